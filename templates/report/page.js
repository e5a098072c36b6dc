"use strict";
// The page is complete without this: it adds sorting, search and filters of the choices,
// the difference between any two of them, and the what-if.
(function () {
  function rowsOf(table) { return Array.prototype.slice.call(table.tBodies[0].rows); }

  function sorting(table) {
    var heads = table.querySelectorAll("th[data-sort]");
    heads.forEach(function (head) {
      var button = document.createElement("button");
      button.type = "button";
      while (head.firstChild) button.appendChild(head.firstChild);
      head.appendChild(button);
      button.addEventListener("click", function () {
        var key = head.dataset.sort, down = head.getAttribute("aria-sort") === "ascending";
        heads.forEach(function (other) { other.removeAttribute("aria-sort"); });
        heads.forEach(function (other) {
          if (other.dataset.sort === key) other.setAttribute("aria-sort", down ? "descending" : "ascending");
        });
        var sign = down ? -1 : 1;
        rowsOf(table).map(function (row) { return [row, row.dataset[key]]; }).sort(function (a, b) {
          // what has no value stands last, whichever way
          if (!a[1] || !b[1]) return a[1] ? -1 : b[1] ? 1 : 0;
          var x = Number(a[1]), y = Number(b[1]);
          if (isNaN(x) || isNaN(y)) return sign * a[1].localeCompare(b[1]) || a[0].dataset.rank - b[0].dataset.rank;
          return sign * (x - y) || a[0].dataset.rank - b[0].dataset.rank;
        }).forEach(function (entry) { table.tBodies[0].appendChild(entry[0]); });
      });
    });
  }

  function filtering(table, tools) {
    var count = tools.querySelector("[role=status]"), search = tools.querySelector("input");
    function show() {
      var shown = 0, rows = rowsOf(table), wanted = tools.querySelectorAll("select");
      var words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      rows.forEach(function (row) {
        var text = row.textContent.toLowerCase();
        row.hidden = Array.prototype.some.call(wanted, function (select) {
          return select.value && row.dataset[select.name] !== select.value;
        }) || !words.every(function (word) { return text.indexOf(word) >= 0; });
        shown += row.hidden ? 0 : 1;
      });
      count.textContent = shown === rows.length ? "" : shown + " of " + rows.length + " choices";
    }
    tools.addEventListener("change", show);
    search.addEventListener("input", show);
    tools.hidden = false;
  }

  // as dollars() of planner/report/wording/figures.py: [text, what the last digit is worth]
  function glance(value) {
    var size = Math.abs(value);
    var unit = [[1e12, "T"], [1e9, "B"], [1e6, "M"], [1e3, "k"]].filter(function (u) {
      return size >= 0.9995 * u[0] && (u[1] !== "k" || size >= 9999.5);
    })[0] || [1, ""];
    var scaled = size / unit[0], places = unit[1] ? (scaled < 9.995 ? 2 : scaled < 99.95 ? 1 : 0) : size < 99.995 ? 2 : 0;
    var text = scaled.toLocaleString("en-US", { minimumFractionDigits: places, maximumFractionDigits: places });
    return [text + unit[1], unit[0] / Math.pow(10, places), Number(text.replace(/,/g, "")) * unit[0]];
  }
  function dollars(value) { return "$" + glance(value)[0]; }
  function exactly(value) {
    var unit = [[1e12, "T"], [1e9, "B"], [1e6, "M"], [1e3, "k"]].filter(function (u) {
      return value >= Math.max(u[0], 10000);
    })[0] || [1, ""];
    return "$" + (Math.round(1e6 * value / unit[0]) / 1e6).toLocaleString("en-US", { maximumFractionDigits: 6 }) + unit[1];
  }
  // as parts() of planner/report/wording/rounding.py, for the steps between two totals
  function steps(changes, from, to) {
    var unit = Math.min(glance(from)[1], glance(to)[1]);
    var scaled = changes.map(function (change) { return change / unit; });
    var low = scaled.map(function (value) { return Math.floor(value + 1e-9); });
    var missing = low.reduce(function (a, b) { return a - b; }, Math.round((glance(to)[2] - glance(from)[2]) / unit));
    var order = low.map(function (_, i) { return i; }).sort(function (a, b) { return low[a] - scaled[a] - low[b] + scaled[b]; });
    var up = Math.min(Math.max(missing, 0), order.length);
    order.slice(0, up).forEach(function (i) { low[i] += 1; });
    if (missing !== up && order.length) {
      low[order.reduce(function (a, b) { return Math.abs(scaled[b]) > Math.abs(scaled[a]) ? b : a; })] += missing - up;
    }
    return low.map(function (count) { return count ? exactly(Math.abs(count * unit)) : "<" + exactly(unit); });
  }

  function exact(value) {
    return "$" + value.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  }

  function waterfall(box) {
    var data = JSON.parse(box.querySelector("script").textContent), list = box.querySelector("ol");
    var selects = box.querySelectorAll("select");
    function add(kind, name, from, to, highest, said) {
      var item = document.createElement("li"), sign = kind === "total" ? "" : to > from ? "+" : "-", size = Math.abs(to - from);
      var track = document.createElement("span"), span = document.createElement("span");
      item.className = kind;
      item.title = sign + exact(size);
      track.className = "track";
      track.setAttribute("aria-hidden", "true");
      span.className = "span";
      span.style.left = 100 * Math.min(from, to) / highest + "%";
      span.style.width = Math.max(100 * size / highest, 0.3) + "%";
      track.appendChild(span);
      [["who", name], null, ["what", said ? (said[0] === "<" ? "" : sign) + said : dollars(size)]].forEach(function (part) {
        if (!part) { item.appendChild(track); return; }
        var text = document.createElement("span");
        text.className = part[0];
        text.textContent = part[1];
        item.appendChild(text);
      });
      list.appendChild(item);
    }
    function show() {
      var rows = Array.prototype.map.call(selects, function (select) { return data.rows[select.value]; });
      function sum(row) { return row[1].reduce(function (a, b) { return a + b; }, 0); }
      var level = sum(rows[0]), moved = data.parts.map(function (name, i) { return [name, rows[1][1][i] - rows[0][1][i]]; })
        .filter(function (step) { return Math.abs(step[1]) >= 0.005; })
        .sort(function (a, b) { return Math.round(100 * Math.abs(b[1])) - Math.round(100 * Math.abs(a[1])) || (a[0] < b[0] ? -1 : 1); });
      var highest = Math.max(level, sum(rows[1])), at = level;
      moved.forEach(function (step) { highest = Math.max(highest, at += step[1]); });
      list.textContent = "";
      add("total", rows[0][0], 0, level, highest || 1);
      var said = steps(moved.map(function (step) { return step[1]; }), level, sum(rows[1]));
      moved.forEach(function (step, i) {
        add(step[1] > 0 ? "more" : "less", step[0], level, level + step[1], highest || 1, said[i]);
        level += step[1];
      });
      add("total", rows[1][0], 0, sum(rows[1]), highest || 1);
    }
    Array.prototype.forEach.call(selects, function (select, which) {
      data.rows.forEach(function (row, i) {
        select.add(new Option(row[0], i, i === data.pair[which], i === data.pair[which]));
      });
      select.addEventListener("change", show);
    });
    box.querySelector(".tools").hidden = false;
  }

  function whatIf(box) {
    var data = JSON.parse(box.querySelector("script").textContent);
    var fields = Array.prototype.slice.call(box.querySelectorAll("input")), limit = fields.pop();
    var body = box.querySelector("tbody"), caption = box.querySelector("caption > span");
    // [[place, share], ...] of the calculated values around what is typed
    function around(values, typed) {
      var high = values.findIndex(function (value) { return typed <= value; });
      if (values[high] === typed) return [[high, 1]];
      var share = (typed - values[high - 1]) / (values[high] - values[high - 1]);
      return [[high - 1, 1 - share], [high, share]];
    }
    function mixed(near) {
      var corners = [[0, 1]];
      near.forEach(function (places, axis) {
        corners = [].concat.apply([], corners.map(function (corner) {
          return places.map(function (place) {
            return [corner[0] * data.axes[axis].length + place[0], corner[1] * place[1]];
          });
        }));
      });
      return data.names.map(function (name, i) {
        var usd = 0, days = 0, there = true;
        corners.forEach(function (corner) {
          var cell = data.cells[corner[0]];
          there = there && cell[2 * i] > 0;
          usd += corner[1] * cell[2 * i];
          days += corner[1] * cell[2 * i + 1];
        });
        return { name: name, usd: usd, days: days, rank: usd * data.weights[i], p90: usd * data.p90[i],
          late: days * data.late[i], there: there };
      });
    }
    // a lead this small may be none in the draws
    function tie(rows) {
      var level = rows.slice(1).filter(function (row) {
        return row.rank <= rows[0].rank * (1 + data.equal) && row.p90 <= rows[0].p90 * (1 + data.equalP90);
      });
      return level.length ? ". Small lead: " + level[0].name + (level.length > 1 ? " and " + (level.length - 1) + " more" : "")
        + " within " + data.equal * 100 + " %" : "";
    }
    function show() {
      body.textContent = "";
      var typed = fields.map(function (field) { return field.value === "" ? NaN : Number(field.value); });
      var inside = typed.every(function (value, axis) {
        var values = data.axes[axis];
        return value >= values[0] && value <= values[values.length - 1];
      });
      if (!inside) { caption.textContent = box.dataset.outside; return; }
      var near = typed.map(function (value, axis) { return around(data.axes[axis], value); });
      var most = limit.value === "" ? Infinity : Number(limit.value) * (1 + 1e-3);
      var rows = mixed(near).filter(function (row) { return row.there && row.late <= most; })
        .sort(function (a, b) { return a.rank - b.rank; });
      rows.slice(0, 8).forEach(function (entry, i) {
        var row = body.insertRow();
        [i + 1, entry.name, glance(entry.usd)[0], entry.days.toFixed(1)].forEach(function (text, j) {
          var place = j === 1 ? document.createElement("th") : document.createElement("td");
          if (j === 1) place.scope = "row"; else place.className = "n";
          place.textContent = text;
          row.appendChild(place);
        });
      });
      var how = near.every(function (places) { return places.length === 1; }) ? "calculated" : "interpolated";
      caption.textContent = rows.length ? rows[0].name + ": " + dollars(rows[0].usd) + " planned in "
        + rows[0].days.toFixed(1) + " days (" + box.dataset[how] + ")" + tie(rows) : "No choice is feasible within the limit.";
    }
    fields.concat(limit).forEach(function (field) { field.addEventListener("input", show); });
    show();
    box.hidden = false;
  }

  var table = document.getElementById("ranking"), tools = document.getElementById("ranking-tools");
  var box = document.getElementById("what-if");
  if (table) sorting(table);
  if (table && tools) filtering(table, tools);
  if (box) whatIf(box);
  var difference = document.getElementById("waterfall");
  if (difference) waterfall(difference);
  // a link to a folded section, or to a line of a closed bill, opens it
  function open() {
    var found = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (var up = found; up; up = up.parentElement) if (up.tagName === "DETAILS") up.open = true;
    var fold = found && found.querySelector(":scope > .appendix");
    if (fold) fold.open = true;
    if (found) found.scrollIntoView();
  }
  window.addEventListener("hashchange", open);
  open();
})();
