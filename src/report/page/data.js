// Reads the report's JSON and answers questions about it: topics by number, probable and relevant words.
(function (report) {
  "use strict";

  const data = JSON.parse(document.getElementById("data").textContent);
  const byNumber = new Map(data.topics.map((topic) => [topic.topic, topic]));

  data.topics.forEach((topic, i) => {
    topic.rank = i + 1;
  });

  // Topics that the table folds into one line.
  const isSmall = (topic) => topic.tokens < (data.fold_below || 0);

  // The topics that lists and plots begin with: large enough, by size or the most distinctive first.
  function mainTopics(by) {
    const found = data.topics.filter((topic) => !isSmall(topic));
    const known = (topic) => topic.distinctiveness ?? -1;
    return by === "distinctiveness" ? found.sort((a, b) => known(b) - known(a) || a.rank - b.rank) : found;
  }

  // The words of a topic, best first, as { word: index, tokens: n_kv }.
  // φ_kv = (n_kv + β)/(n_k + Vβ); relevance = λ ln φ_kv + (1−λ) ln(φ_kv/p_v); λ = 1 is by probability.
  function topWords(topic, lambda, limit) {
    const candidates = topic.words.map(([word, tokens]) => ({ word, tokens }));
    if (lambda >= 1) return candidates.slice(0, limit);
    const lnTotal = Math.log(topic.tokens + data.vocab_size * data.beta);
    for (const entry of candidates) {
      const lnPhi = Math.log(entry.tokens + data.beta) - lnTotal;
      const lnP = Math.log(data.word_tokens[entry.word] / data.num_tokens);
      entry.relevance = lambda * lnPhi + (1 - lambda) * (lnPhi - lnP);
    }
    candidates.sort((a, b) => b.relevance - a.relevance || b.tokens - a.tokens || a.word - b.word);
    return candidates.slice(0, limit);
  }

  // Topics with most tokens of a word: [{ topic, tokens }].
  function topicsOfWord(word) {
    const pairs = data.search[word] || [];
    const found = [];
    for (let i = 0; i + 1 < pairs.length; i += 2) {
      if (byNumber.has(pairs[i])) found.push({ topic: byNumber.get(pairs[i]), tokens: pairs[i + 1] });
    }
    return found;
  }

  report.data = data;
  report.topicByNumber = (number) => byNumber.get(number);
  report.isSmall = isSmall;
  report.mainTopics = mainTopics;
  report.topWords = topWords;
  report.topicsOfWord = topicsOfWord;
})((window.report ??= {}));
