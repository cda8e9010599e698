// The table of topics: sorted by any column, filtered, small topics folded, a hundred rows at first, and as CSV.
(function (report) {
  "use strict";
  const { el, word, data, state, format, byId } = report;
  const PAGE = 100,
    WORDS = 10;
  const view = { column: "tokens", falling: true, filter: "", limit: PAGE, unfolded: false };
  let rows = [],
    small = [];

  const words = (topic) =>
    report.topWords(topic, state.orderLambda(), WORDS).map((entry) => data.words[entry.word]);
  const plain = (name) => (topic) => topic[name];
  const digits = (name) => (topic) => format.fixed(topic[name], 2);

  // A column has a value to sort and export by, and a cell to show.
  const COLUMNS = [
    { id: "rank", name: "#", value: plain("rank"), cell: (topic) => String(topic.rank), title: "Rank by size" },
    {
      id: "topic",
      name: "Topic",
      value: plain("topic"),
      cell: (topic) => el("a", { href: `#topic-${topic.topic}` }, String(topic.topic)),
    },
    { id: "label", name: "Label", value: report.labels.name, cell: labelCell, text: true },
    { id: "words", name: "Words", value: (topic) => words(topic).join(" "), cell: wordCell, text: true },
    { id: "share", name: "Share", value: plain("share"), cell: (topic) => format.percent(topic.share) },
    { id: "tokens", name: "Tokens", value: plain("tokens"), cell: (topic) => format.count(topic.tokens) },
    {
      id: "documents",
      name: "Docs",
      value: plain("documents"),
      cell: (topic) => format.count(topic.documents),
    },
    {
      id: "npmi",
      name: "NPMI",
      value: plain("npmi"),
      cell: digits("npmi"),
      title: "Coherence: mean normalised pointwise mutual information of the top words",
    },
    {
      id: "umass",
      name: "UMass",
      value: plain("umass"),
      cell: digits("umass"),
      title: "Coherence by document co-occurrence (UMass)",
    },
    {
      id: "exclusivity",
      name: "Exclusive",
      value: plain("exclusivity"),
      cell: digits("exclusivity"),
      title: "How far the top words belong to this topic alone",
    },
    {
      id: "distinctiveness",
      name: "Distinct",
      value: plain("distinctiveness"),
      cell: digits("distinctiveness"),
      title: "How far the topic keeps to documents of its own: 0 when it is spread evenly over all",
    },
  ];

  function labelCell(topic) {
    const field = report.labels.field(topic);
    return topic.background ? el("div", null, field, report.backgroundMark()) : field;
  }

  function wordCell(topic) {
    const cell = el("span", { class: "words" });
    for (const text of words(topic)) cell.append(word(text), " ");
    return cell;
  }

  // Missing values come last in both directions; ties go by tokens, largest first.
  function compare(column, falling) {
    const missing = (value) => value === null || value === undefined || value === "";
    const sign = falling ? -1 : 1;
    const order = column.text ? (a, b) => String(a).localeCompare(String(b)) : (a, b) => a - b;
    return ([a, first], [b, second]) => {
      if (missing(a) || missing(b)) return missing(a) - missing(b) || second.tokens - first.tokens;
      return sign * order(a, b) || second.tokens - first.tokens;
    };
  }

  function matching() {
    const text = view.filter.trim().toLowerCase();
    const fits = (topic) =>
      String(topic.topic) === text ||
      report.labels.name(topic).toLowerCase().includes(text) ||
      words(topic).some((one) => one.toLowerCase().includes(text));
    const column = COLUMNS.find((one) => one.id === view.column);
    const found = text === "" ? data.topics : data.topics.filter(fits);
    return found
      .map((topic) => [column.value(topic), topic])
      .sort(compare(column, view.falling))
      .map(([, topic]) => topic);
  }

  function row(topic) {
    const cells = COLUMNS.map((column) =>
      el("td", { class: column.text ? `cell-${column.id}` : "number" }, column.cell(topic)),
    );
    return el("tr", { "data-topic": topic.topic, class: topic === state.topic ? "chosen" : null }, ...cells);
  }

  function render() {
    const found = matching();
    // What is searched for is shown, however small it is.
    const folds = !view.unfolded && view.filter.trim() === "";
    small = found.filter(report.isSmall);
    rows = folds ? found.filter((topic) => !report.isSmall(topic)) : found;
    const shown = rows.slice(0, view.limit);
    byId("topic-table").tBodies[0].replaceChildren(...shown.map(row));
    byId("more").hidden = rows.length <= view.limit;
    byId("table-status").textContent =
      rows.length > shown.length
        ? `${format.count(shown.length)} of ${format.count(rows.length)} topics`
        : `${format.count(rows.length)} ${rows.length === 1 ? "topic" : "topics"}`;
    renderFolded(folds);
    for (const head of byId("topic-table").tHead.rows[0].cells) {
      const sorted = head.dataset.column === view.column;
      if (sorted) head.setAttribute("aria-sort", view.falling ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    }
  }

  // One line for all small topics, which opens and closes.
  function renderFolded(folds) {
    byId("folded").hidden = small.length === 0 || view.filter.trim() !== "";
    const share = small.reduce((sum, topic) => sum + topic.share, 0);
    const topics = small.length === 1 ? "1 small topic" : `${format.count(small.length)} small topics`;
    const fewer = format.count(data.fold_below);
    byId("folded-text").textContent =
      `${topics} with fewer than ${fewer} tokens each, ${format.percent(share)} of all.`;
    byId("unfold").textContent = folds ? "Show them" : "Fold them";
  }

  // A first click sorts numbers from the largest and text from A; a second one turns the order round.
  function sortBy(column) {
    view.falling = view.column === column.id ? !view.falling : !column.text && !["topic", "rank"].includes(column.id);
    view.column = column.id;
    render();
  }

  const headCell = (column) =>
    el(
      "th",
      { scope: "col", "data-column": column.id, class: column.text ? null : "number" },
      report.button(column.name, () => sortBy(column), { class: "sort", title: column.title }),
    );

  const exportText = () =>
    report.csv.write([
      COLUMNS.map((column) => column.id),
      ...matching().map((topic) => COLUMNS.map((column) => column.value(topic))),
    ]);

  // Up and down go to the same field of the next row.
  function onKey(event) {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const cell = event.target.closest("td");
    if (!step || !cell) return;
    const next = byId("topic-table").tBodies[0].rows[cell.parentNode.sectionRowIndex + step];
    if (next) {
      event.preventDefault();
      next.cells[cell.cellIndex].querySelector("a, input").focus();
    }
  }

  // What changed is put into the rows that are there, so that the field being typed in stays.
  function refresh() {
    for (const one of byId("topic-table").tBodies[0].rows) {
      const topic = report.topicByNumber(Number(one.dataset.topic));
      one.classList.toggle("chosen", topic === state.topic);
      one.querySelector("input.label").refresh();
    }
  }

  // The order of words moves with a slider: rows stay unless they depend on it.
  function reorder() {
    if (view.column === "words" || view.filter.trim() !== "") {
      render();
      return;
    }
    for (const one of byId("topic-table").tBodies[0].rows) {
      one.querySelector(".words").replaceWith(wordCell(report.topicByNumber(Number(one.dataset.topic))));
    }
  }

  function start() {
    const table = byId("topic-table");
    table.append(
      el("thead", null, el("tr", null, ...COLUMNS.map(headCell))),
      el("tbody", { keydown: onKey }),
    );
    report.orderControl(byId("table-order"), "table-order");
    byId("filter").addEventListener("input", (event) => {
      view.filter = event.target.value;
      render();
    });
    byId("unfold").addEventListener("click", () => {
      view.unfolded = !view.unfolded;
      render();
    });
    byId("background-note").hidden = !data.topics.some((topic) => topic.background);
    byId("topics-by").addEventListener("change", (event) => {
      state.by = event.target.value;
      [view.column, view.falling] = [state.by === "size" ? "tokens" : state.by, true];
      render();
      state.changed("by");
    });
    byId("more").addEventListener("click", () => {
      view.limit = view.limit < 5 * PAGE ? view.limit + PAGE : Infinity;
      render();
    });
    byId("table-csv").addEventListener("click", () =>
      report.download(report.fileName("topics.csv"), "text/csv", exportText()),
    );
    state.on("order", reorder);
    state.on("topic", refresh);
    state.on("labels", refresh);
    render();
  }

  report.table = { start, exportText };
})((window.report ??= {}));
