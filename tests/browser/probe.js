/* What the tests ask of a page. An expression: an object of functions that return plain data. */
(() => {
  const skipped = new Set(["SCRIPT", "STYLE", "TITLE", "TEMPLATE", "NOSCRIPT"]);
  const visible = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const soon = () => new Promise((done) => setTimeout(done, 0));
  const shortened = (text) => text.trim().replace(/\s+/g, " ").slice(0, 60);

  /* the boxes around an element that cut or scroll what is in them, from the inside out; read once a probe */
  const boxes = new Map();
  const around = (element) => {
    if (element === document.body || !element) return [];
    if (!boxes.has(element)) {
      const { overflowX: x, overflowY: y } = getComputedStyle(element);
      const outer = around(element.parentElement);
      const plain = x === "visible" && y === "visible";
      boxes.set(element, plain ? outer : [{ x, y, edge: element.getBoundingClientRect() }, ...outer]);
    }
    return boxes.get(element);
  };

  /* the lines of text that are laid out */
  const lines = () => {
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const parent = node.parentElement;
      if (!node.data.trim() || skipped.has(parent.tagName) || !visible(parent)) continue;
      range.selectNodeContents(node);
      for (const { left, right, top, bottom } of range.getClientRects()) {
        // what stands left of the page waits there for the keyboard, such as the link past the header
        if (right - left >= 1 && right > 0) found.push({ node, around: around(parent), left, right, top, bottom });
      }
    }
    return found;
  };

  /* text that a box cuts off, or the page's edge. On paper a box that would scroll cuts as well. */
  const cut = (all, paper) => {
    const faults = new Set();
    const width = document.documentElement.clientWidth;
    const hides = (how) => paper || how === "hidden" || how === "clip";
    for (const line of all) {
      const across = line.around.find(
        ({ x, edge }) => x !== "visible" && (line.left < edge.left - 1 || line.right > edge.right + 1),
      );
      const down = line.around.find(
        ({ y, edge }) => y !== "visible" && (line.top < edge.top - 1 || line.bottom > edge.bottom + 1),
      );
      if (across && hides(across.x)) faults.add(`cut at a side: ${shortened(line.node.data)}`);
      if (down && hides(down.y)) faults.add(`cut above or below: ${shortened(line.node.data)}`);
      if (!across && line.right > width + 1) faults.add(`beyond the page: ${shortened(line.node.data)}`);
    }
    return [...faults];
  };

  /* two texts on one place; what a box hides by scrolling covers nothing */
  const covered = (all) => {
    const seen = [];
    for (const { node, around, left, right, top, bottom } of all) {
      const line = { node, left, right, top, bottom };
      for (const { x, y, edge } of around) {
        if (x !== "visible") [line.left, line.right] = [Math.max(line.left, edge.left), Math.min(line.right, edge.right)];
        if (y !== "visible") [line.top, line.bottom] = [Math.max(line.top, edge.top), Math.min(line.bottom, edge.bottom)];
      }
      if (line.right - line.left > 1 && line.bottom - line.top > 1) seen.push(line);
    }
    seen.sort((a, b) => a.top - b.top);
    const faults = [];
    seen.forEach((a, i) => {
      for (let j = i + 1; j < seen.length && seen[j].top < a.bottom; j++) {
        const b = seen[j];
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const high = Math.min(a.bottom, b.bottom) - b.top;
        // the boxes of two lines may touch; letters meet where a third of a line is shared
        if (a.node !== b.node && wide > 2 && high > Math.min(a.bottom - a.top, b.bottom - b.top) / 3)
          faults.push(`${shortened(a.node.data)} | ${shortened(b.node.data)}`);
      }
    });
    return faults;
  };

  const layout = (paper) => {
    const all = lines();
    const root = document.documentElement;
    // a phone zooms out of a page that is too wide, so that its window grows
    const widths = { page: root.scrollWidth, room: root.clientWidth, window: innerWidth };
    return { lines: all.length, widths, cut: cut(all, paper), covered: covered(all) };
  };

  const asOpened = () => {
    for (const details of document.querySelectorAll("details")) {
      if (!("first" in details.dataset)) details.dataset.first = details.open;
      const first = details.dataset.first === "true";
      if (details.open !== first) details.open = first;
    }
    scrollTo(0, 0);
  };

  const openAll = () => {
    asOpened();
    for (const details of document.querySelectorAll("details")) details.open = true;
  };

  /* every link inside the page is followed from the top, with all details as they were: what goes wrong */
  const follow = async () => {
    const faults = [];
    const done = new Set();
    for (const link of document.querySelectorAll("a[href]:not([download])")) {
      const href = link.getAttribute("href");
      if (done.has(href)) continue;
      done.add(href);
      const target = href.startsWith("#") && document.getElementById(decodeURIComponent(href.slice(1)));
      if (!target) {
        faults.push(`${href} leads nowhere`);
        continue;
      }
      asOpened();
      history.replaceState(null, "", location.pathname);
      link.click();
      await soon();
      const { top, bottom } = target.getBoundingClientRect();
      if (!visible(target)) faults.push(`${href} leads to what is hidden`);
      else if (top < -1 || top >= innerHeight) faults.push(`${href} leaves its target at ${top}, ${bottom}`);
    }
    history.replaceState(null, "", location.pathname);
    return { faults, followed: done.size };
  };

  /* what the Tab key must reach, in the order of the page: a number is written on each */
  const stops = () => {
    const wanted = 'a[href], summary, button, input, select, textarea, [tabindex]:not([tabindex="-1"])';
    const found = [...document.querySelectorAll(wanted)].filter((element) => visible(element) && !element.disabled);
    found.forEach((element, place) => (element.dataset.stop = place));
    return found.length;
  };

  /* where the focus is: its number, and whether a reader sees it */
  const focus = () => {
    const element = document.activeElement;
    if (!element || element === document.body) return null;
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    const { left, top, right, bottom } = element.getBoundingClientRect();
    return {
      stop: "stop" in element.dataset ? Number(element.dataset.stop) : null,
      name: `${element.tagName} ${shortened(element.textContent)}`,
      marked: outlineStyle !== "none" && parseFloat(outlineWidth) >= 2,
      inside: right > 0 && bottom > 0 && left < innerWidth && top < innerHeight,
    };
  };

  return { asOpened, openAll, layout, follow, stops, focus };
})()
