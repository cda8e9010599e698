// The words of a topic as bars: tokens in the topic against tokens in the corpus.
(function (report) {
  "use strict";
  const { svg, data, state, format } = report;
  const ROW = 20,
    TOP = 30;

  function legend(width) {
    const entry = (x, className, text) => [
      svg("rect", { class: className, x, y: 6, width: 12, height: 10 }),
      svg("text", { class: "tick", x: x + 17, y: 15 }, text),
    ];
    return svg(
      "g",
      null,
      ...entry(0, "bar-topic", "tokens in the topic"),
      ...entry(Math.min(150, width / 2), "bar-corpus", "in the corpus"),
    );
  }

  // One word: its name, both bars, and n_kv.
  function row(entry, i, left, right, scale) {
    const y = TOP + i * ROW;
    const text = data.words[entry.word];
    return svg(
      "g",
      {
        class: "word-row",
        pointerenter: () => state.point(entry.word),
        pointerleave: () => state.point(null),
      },
      svg("rect", { class: "word-ground", x: 0, y, width: right, height: ROW }),
      svg(
        "text",
        { class: "word-name", x: left - 8, y: y + 10, dy: "0.34em", "text-anchor": "end" },
        report.fit(text, left - 10, 13),
      ),
      svg("rect", {
        class: "bar-corpus",
        x: left,
        y: y + 3,
        width: Math.max(0.5, scale(data.word_tokens[entry.word])),
        height: ROW - 6,
      }),
      svg("rect", {
        class: "bar-topic",
        x: left,
        y: y + 3,
        width: Math.max(0.5, scale(entry.tokens)),
        height: ROW - 6,
      }),
      svg(
        "text",
        { class: "tick", x: right, y: y + 10, dy: "0.34em", "text-anchor": "end" },
        format.count(entry.tokens),
      ),
    );
  }

  function wordBars(topic, lambda, width) {
    const words = report.topWords(topic, lambda, 30);
    const plot = report.drawing(width, TOP + words.length * ROW + 6, `Words of topic ${topic.topic}`, {
      class: "bars",
    });
    const left = Math.min(150, width * 0.32),
      right = width - 2;
    const most = Math.max(1, ...words.map(({ word }) => data.word_tokens[word]));
    const scale = (tokens) => (tokens / most) * (right - 56 - left);
    plot.append(legend(width), ...words.map((entry, i) => row(entry, i, left, right, scale)));
    return plot;
  }

  report.wordBars = wordBars;
})((window.report ??= {}));
