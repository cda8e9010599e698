// The paper's summary: topics at quantiles of the ranking by tokens, with their most probable words.
(function (report) {
  "use strict";
  const { el, word, data, state, format, byId } = report;
  const WORDS = 8;

  const topicsOf = (row) => row.topics.map(report.topicByNumber).filter(Boolean);
  const words = (topic) => report.topWords(topic, 1, WORDS).map((entry) => data.words[entry.word]);

  function column(topic) {
    const label = report.labels.name(topic);
    return el(
      "div",
      { class: "quantile-topic" },
      el(
        "p",
        { class: "quantile-head" },
        el("a", { href: `#topic-${topic.topic}` }, `Topic ${topic.topic}`),
        label === "" ? null : word(label, "word block"),
        el("span", { class: "note" }, `${format.count(topic.tokens)} tokens`),
      ),
      el("ul", null, ...words(topic).map((text) => el("li", null, word(text)))),
    );
  }

  const section = (row) =>
    el(
      "div",
      { class: "quantile" },
      el("h3", null, `${row.percent}\u00a0%`),
      el("div", { class: "quantile-topics" }, ...topicsOf(row).map(column)),
    );

  function text() {
    const line = (topic) => {
      const label = report.labels.get(topic);
      const name = label === "" ? `topic ${topic.topic}` : `topic ${topic.topic} (${label})`;
      return `  ${name}, ${topic.tokens} tokens: ${words(topic).join(" ")}\n`;
    };
    return (data.quantiles || [])
      .map((row) => `${row.percent} %\n${topicsOf(row).map(line).join("")}`)
      .join("\n");
  }

  function start() {
    const rows = data.quantiles || [];
    byId("quantiles").hidden = rows.length === 0;
    const render = () => byId("quantile-rows").replaceChildren(...rows.map(section));
    report.copyOnClick(byId("quantiles-copy"), text);
    state.on("labels", render);
    render();
  }

  report.quantiles = { start, text };
})((window.report ??= {}));
