// The run card: what was run on what, and the command that repeats it.
(function (report) {
  "use strict";
  const { el, word, data, format } = report;

  function card(run) {
    const list = el("dl", { class: "card" });
    for (const [name, value] of run.card || []) {
      list.append(el("div", null, el("dt", null, word(name, null)), el("dd", null, word(value, null))));
    }
    const copy = report.button("Copy", null, { "aria-label": "Copy the command", class: "quiet" });
    report.copyOnClick(copy, () => run.command);
    const command = el(
      "div",
      { class: "command" },
      el("pre", { tabindex: 0 }, el("code", null, run.command)),
      copy,
    );
    return el(
      "div",
      { class: "run" },
      data.runs.length > 1 ? el("h3", null, word(run.name)) : null,
      list,
      // A further chain of a run is made by the command of the first.
      run.command ? command : null,
    );
  }

  function facts() {
    const parts = [
      [data.topics.length, "topic", "topics"],
      [data.num_tokens, "token", "tokens"],
      [data.vocab_size, "word", "different words"],
    ];
    return parts
      .filter(([count]) => count > 0)
      .map(([count, one, many]) =>
        el("span", null, el("b", null, format.count(count)), ` ${count === 1 ? one : many}`),
      );
  }

  function start() {
    report.byId("facts").append(...facts());
    report.byId("cards").append(...data.runs.map(card));
    report.byId("version").textContent = data.version;
  }

  report.card = { start };
})((window.report ??= {}));
