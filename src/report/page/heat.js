// The heat map: groups in rows, topics in columns, and in each cell how large the topic is in the group; with the numbers as a table.
(function (report) {
  "use strict";
  const { svg, el, data, state, format, byId, fit } = report;
  const HEAD = 26,
    WIDE = 28,
    NARROW = 24,
    FIRST = 30,
    MOST_TOPICS = 30;
  // The width of a cell is that of the last drawing.
  let figure,
    rows,
    side = WIDE;

  const current = () => report.groups.current();
  const view = { all: false, row: 0, column: 0 };

  // How far a topic's shares differ between groups: χ² of its tokens.
  function difference(position) {
    const groups = current();
    const shares = groups.shares(position);
    const mean = shares.reduce((sum, share, i) => sum + share * groups.tokens[i], 0) / groups.all;
    if (mean === 0) return 0;
    return shares.reduce((sum, share, i) => sum + (groups.tokens[i] * (share - mean) ** 2) / mean, 0);
  }

  // The topics of the columns: those that differ most, or the largest.
  function topics(most) {
    const main = report.mainTopics("size").map((topic) => ({ topic, position: data.topics.indexOf(topic) }));
    const known = main.filter(({ position }) => current().isKnown(position));
    if (byId("heat-topics").value === "size") return known.slice(0, most);
    const differing = known.map((one) => ({ ...one, by: difference(one.position) }));
    return differing.sort((a, b) => b.by - a.by).slice(0, most);
  }

  // A column: what is known of its topic in every row, its share of all groups, and the largest.
  function column({ topic, position }) {
    const groups = current();
    const found = groups.cells(position).slice(0, rows);
    // Of all groups, those that are not shown among them.
    const shares = groups.shares(position);
    const mean = shares.reduce((sum, share, i) => sum + share * groups.tokens[i], 0) / groups.all;
    const largest = shares.reduce((most, share) => Math.max(most, share), 1e-9);
    return { topic, found, mean, largest };
  }

  // Whether the interval of a share leaves out the topic's share of all groups.
  const stands = (cell, mean) => cell && cell.low !== null && (cell.low > mean || cell.high < mean);

  const interval = (cell) =>
    cell && cell.low !== null ? ` (${format.percent(cell.low)} to ${format.percent(cell.high)})` : "";

  function rect(cell, one, x, y) {
    const size = stands(cell, one.mean) ? side - 3 : side - 15;
    const at = (side - size) / 2;
    const strength = (cell?.share || 0) / one.largest;
    return svg("rect", {
      class: "heat",
      x: x + at,
      y: y + at,
      width: size,
      height: size,
      rx: 2,
      "fill-opacity": (0.04 + 0.96 * strength).toFixed(3),
    });
  }

  // Reads the cell under the pointer, or the one that arrow keys go to.
  function reader(plot, columns, left) {
    const ring = svg("rect", { class: "heat-ring", width: side, height: side, rx: 3, visibility: "hidden" });
    plot.append(ring);
    function read(row, at) {
      const groups = current();
      view.row = Math.max(0, Math.min(rows - 1, row));
      view.column = Math.max(0, Math.min(columns.length - 1, at));
      const one = columns[view.column];
      const cell = one.found[view.row];
      ring.setAttribute("x", left + view.column * side);
      ring.setAttribute("y", HEAD + view.row * side);
      ring.setAttribute("visibility", "visible");
      const parts = [
        groups.names[view.row],
        `${one.topic.topic} ${report.groups.topicText(one.topic)}`,
        `${format.percent(cell?.share || 0)}${interval(cell)}`,
        `of all ${format.percent(one.mean)}`,
      ];
      figure.readout.replaceChildren(...parts.map((part) => report.word(part, "read")));
    }
    const leave = () => ring.setAttribute("visibility", "hidden");
    plot.addEventListener("pointermove", (event) => {
      const bounds = plot.getBoundingClientRect();
      const scale = plot.viewBox.baseVal.width / bounds.width;
      const row = Math.floor(((event.clientY - bounds.top) * scale - HEAD) / side);
      const at = Math.floor(((event.clientX - bounds.left) * scale - left) / side);
      if (row >= 0 && row < rows && at >= 0 && at < columns.length) read(row, at);
    });
    plot.addEventListener("pointerleave", leave);
    plot.addEventListener("blur", leave);
    plot.addEventListener("focus", () => plot.matches(":focus-visible") && read(view.row, view.column));
    plot.addEventListener("click", () => report.openTopic(columns[view.column].topic.topic));
    plot.addEventListener("keydown", (event) => {
      const { row, column: at } = view;
      const moves = {
        ArrowLeft: [row, at - 1],
        ArrowRight: [row, at + 1],
        ArrowUp: [row - 1, at],
        ArrowDown: [row + 1, at],
        Home: [row, 0],
        End: [row, columns.length - 1],
      };
      if (event.key === "Enter") report.openTopic(columns[Math.min(at, columns.length - 1)].topic.topic);
      if (!(event.key in moves)) return;
      event.preventDefault();
      read(...moves[event.key]);
    });
  }

  function draw(width) {
    const groups = current();
    side = width < 500 ? NARROW : WIDE;
    const left = Math.min(170, Math.max(76, Math.round(width * 0.26)));
    const most = Math.max(1, Math.min(MOST_TOPICS, Math.floor((width - left) / side)));
    const columns = topics(most).map(column);
    const height = HEAD + rows * side + 2;
    const label = "Topics by group. Arrow keys go from cell to cell, Enter opens the topic; the table below has the numbers.";
    const plot = report.drawing(width, height, label, { tabindex: 0, class: "heat-map" });
    const text = (name, attributes) => svg("text", attributes, name);
    columns.forEach((one, i) => {
      const x = left + i * side;
      const head = { class: "tick", x: x + side / 2, y: HEAD - 8, "text-anchor": "middle" };
      plot.append(text(String(one.topic.topic), head));
      for (let row = 0; row < rows; row += 1) plot.append(rect(one.found[row], one, x, HEAD + row * side));
    });
    for (let row = 0; row < rows; row += 1) {
      const at = { class: "word-name", x: left - 8, y: HEAD + (row + 0.5) * side, dy: "0.34em", "text-anchor": "end" };
      plot.append(text(fit(groups.names[row], left - 10, 13), at));
    }
    reader(plot, columns, left);
    say(columns.length);
    return plot;
  }

  // What is shown of all that there is.
  function say(columns) {
    const all = current().names.length;
    const which = current().kind === "name" ? { distinctiveness: ", the most distinctive first", size: ", the largest first" } : {};
    const order = which[byId("group-order").value] || "";
    const groups = rows < all ? `${rows} of ${format.count(all)} groups${order}` : `${format.count(all)} groups${order}`;
    byId("heat-status").textContent =
      `${groups}; ${columns} of ${format.count(data.topics.length)} topics. The colour of a topic is strongest where its share is largest; ` +
      "a small square is a share that its interval does not tell from that of all groups.";
    byId("heat-more").hidden = all <= FIRST;
    byId("heat-more").textContent = view.all ? `Show the first ${FIRST}` : `Show all ${format.count(all)} groups`;
  }

  function table() {
    if (!byId("heat-details").open) return;
    const groups = current();
    const columns = topics(MOST_TOPICS).map(column);
    const head = (content) => el("th", { scope: "col", class: "number" }, ...content);
    const titles = columns.map(({ topic }) => head([`${topic.topic} `, report.word(report.groups.topicText(topic))]));
    const cell = (found) => el("td", { class: "number" }, format.percent(found?.share || 0), el("span", { class: "note" }, interval(found)));
    const row = (i) =>
      el(
        "tr",
        null,
        el("th", { scope: "row" }, report.word(groups.names[i])),
        el("td", { class: "number" }, format.count(groups.documents[i])),
        el("td", { class: "number" }, format.count(groups.tokens[i])),
        ...columns.map((one) => cell(one.found[i])),
      );
    const corner = el("th", { scope: "col" }, report.word(groups.column));
    byId("heat-table").replaceChildren(
      el("thead", null, el("tr", null, corner, head(["documents"]), head(["tokens"]), ...titles)),
      el("tbody", null, ...Array.from({ length: rows }, (_, i) => row(i))),
    );
  }

  function show() {
    const all = current().names.length;
    rows = view.all ? all : Math.min(all, FIRST);
    figure.readout.replaceChildren();
    figure.redraw();
    table();
  }

  function start() {
    figure = report.figure("heat-map", draw);
    figure.title.textContent = "Topics by group";
    byId("heat").append(figure.node);
    byId("heat-topics").addEventListener("change", show);
    byId("heat-details").addEventListener("toggle", table);
    byId("heat-more").addEventListener("click", () => {
      view.all = !view.all;
      show();
    });
    state.on("topic", () => figure.readout.replaceChildren());
  }

  report.heat = { start, show };
})((window.report ??= {}));
