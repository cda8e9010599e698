// What the reader has chosen (a topic, the order of words), and who wants to know when it changes.
(function (report) {
  "use strict";

  const listeners = { topic: [], order: [], labels: [] };
  const state = { topic: null, lambda: 0.6, byRelevance: false };

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

  report.state = state;
})(window.report ??= {});
