"use strict";
// The page is complete without this: it adds sorting and filtering of the comparison, and the what-if.
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
    var count = tools.querySelector("[role=status]");
    tools.addEventListener("change", function () {
      var shown = 0, rows = rowsOf(table), wanted = tools.querySelectorAll("select");
      rows.forEach(function (row) {
        row.hidden = Array.prototype.some.call(wanted, function (select) {
          return select.value && row.dataset[select.name] !== select.value;
        });
        shown += row.hidden ? 0 : 1;
      });
      count.textContent = shown === rows.length ? "" : shown + " of " + rows.length + " scenarios";
    });
    tools.hidden = false;
  }

  function whatIf(box) {
    var data = JSON.parse(box.querySelector("script").textContent);
    var selects = Array.prototype.slice.call(box.querySelectorAll("select"));
    var body = box.querySelector("tbody"), caption = box.querySelector("caption");
    function show() {
      var cell = data.cells[selects.map(function (select) { return select.value; }).join(" ")];
      body.textContent = "";
      cell.slice(0, 8).forEach(function (entry, i) {
        var row = body.insertRow();
        [i + 1, data.names[entry[0]], entry[1].toLocaleString("en-US"), entry[2].toFixed(1)].forEach(function (text, j) {
          var place = j === 1 ? document.createElement("th") : document.createElement("td");
          if (j === 1) place.scope = "row"; else place.className = "n";
          place.textContent = text;
          row.appendChild(place);
        });
      });
      caption.textContent = cell.length ? data.names[cell[0][0]] + " is the cheapest, $" + cell[0][1].toLocaleString("en-US")
        + " planned in " + cell[0][2].toFixed(1) + " days" : "No scenario is feasible and completely priced.";
    }
    selects.forEach(function (select) { select.addEventListener("change", show); });
    show();
    box.hidden = false;
  }

  var table = document.getElementById("ranking"), tools = document.getElementById("ranking-tools");
  var box = document.getElementById("what-if");
  if (table) sorting(table);
  if (table && tools) filtering(table, tools);
  if (box) whatIf(box);
  // a link to a line of a closed bill opens the bill
  function open() {
    var found = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (var up = found; up; up = up.parentElement) if (up.tagName === "DETAILS") up.open = true;
    if (found) found.scrollIntoView();
  }
  window.addEventListener("hashchange", open);
  open();
})();
