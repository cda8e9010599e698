// Finds a word in all topics: an exact word shows where its tokens are, a part of one offers words.
(function (report) {
  "use strict";
  const { el, word, data, format, byId } = report;
  const OFFERED = 12;
  let folded = null;

  // The word itself in any case, then words that begin with the text, then words that contain it.
  function matches(text) {
    folded ??= data.words.map((one) => one.toLowerCase());
    const same = [],
      begin = [],
      inside = [];
    folded.forEach((one, i) => {
      if (one === text) same.push(i);
      else if (begin.length < OFFERED && one.startsWith(text)) begin.push(i);
      else if (inside.length < OFFERED && one.includes(text)) inside.push(i);
    });
    return { same, others: [...begin, ...inside].slice(0, OFFERED) };
  }

  function result(index) {
    const found = report.topicsOfWord(index);
    const total = data.word_tokens[index];
    const rows = found.map(({ topic, tokens }) =>
      el(
        "tr",
        null,
        el("td", null, report.topicLink(topic)),
        el("td", { class: "number" }, format.count(tokens)),
        el("td", { class: "number" }, format.percent(tokens / total)),
        el(
          "td",
          { class: "bar-cell" },
          el("span", { class: "share-bar", style: `width:${((100 * tokens) / total).toFixed(1)}%` }),
        ),
      ),
    );
    const text = `: ${format.count(total)} tokens${found.length === 0 ? "" : ", most of them in"}`;
    const head = el(
      "tr",
      null,
      ...["topic", "tokens", "of the word"].map((name, i) =>
        el("th", { scope: "col", class: i > 0 ? "number" : null }, name),
      ),
      el("td"),
    );
    return [
      el("p", null, word(data.words[index], "word strong"), text),
      found.length === 0
        ? null
        : el(
            "div",
            { class: "scroll" },
            el("table", { class: "small-table" }, el("thead", null, head), el("tbody", null, ...rows)),
          ),
    ].filter(Boolean);
  }

  function offer(indices, field) {
    return el(
      "p",
      { class: "offers" },
      ...indices.map((index) =>
        report.button(word(data.words[index]), () => {
          field.value = data.words[index];
          show(field);
        }),
      ),
    );
  }

  function chosenOnMap(index) {
    report.state.searched = index;
    report.state.point(index);
  }

  function show(field) {
    const text = field.value.trim().toLowerCase();
    const host = byId("search-results");
    if (text === "") {
      host.replaceChildren();
      chosenOnMap(null);
      return;
    }
    const { same, others } = matches(text);
    const chosen = same.find((index) => data.words[index] === field.value.trim()) ?? same[0];
    chosenOnMap(chosen ?? null);
    others.unshift(...same.filter((index) => index !== chosen));
    const nodes = chosen === undefined ? [] : result(chosen);
    if (others.length > 0) nodes.push(offer(others, field));
    if (nodes.length === 0)
      nodes.push(el("p", { class: "note" }, "No such word among those kept in this report."));
    host.replaceChildren(...nodes);
  }

  function start() {
    const field = byId("search");
    field.addEventListener("input", () => show(field));
    report.state.on("labels", () => show(field));
  }

  report.search = { start };
})((window.report ??= {}));
