// What the reader has chosen (a topic, a word, the order of words and of topics), and who wants to know when it changes.
(function (report) {
  "use strict";

  const listeners = { topic: [], order: [], labels: [], word: [], by: [] };
  const state = { topic: null, word: null, searched: null, lambda: 0.6, byRelevance: false, by: "size" };

  state.on = (what, listener) => listeners[what].push(listener);
  state.changed = (what) => listeners[what].forEach((listener) => listener());
  // λ that the words are ordered by: 1 for probability.
  state.orderLambda = () => (state.byRelevance ? state.lambda : 1);

  state.select = function (number) {
    const topic = report.topicByNumber(number);
    if (!topic || topic === state.topic) return;
    state.topic = topic;
    state.changed("topic");
  };

  // Shows a word on the map; null goes back to the one that was searched for, if there is one.
  state.point = function (pointed) {
    const word = pointed ?? state.searched;
    if (word === state.word) return;
    state.word = word;
    state.changed("word");
  };

  report.state = state;
})((window.report ??= {}));
