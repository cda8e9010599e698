// The page of the chosen topic: its figures, words, nearest topics and best documents; #topic-17 opens one.
(function (report) {
  "use strict";
  const { el, word, data, state, format, byId } = report;
  const BAG_NOTE =
    "The corpus does not know the order of words: each passage is a list of the document's frequent words. " +
    "Marked words belong to the topic.";
  let bars, head;

  const address = (number) => `#topic-${number}`;

  function link(topic) {
    return el(
      "a",
      { href: address(topic.topic), class: "topic-link" },
      el("b", null, String(topic.topic)),
      " ",
      ...report.labels.nodes(topic),
    );
  }

  function figures(topic) {
    const parts = [
      ["rank", `${topic.rank} of ${data.topics.length}`],
      ["share", format.percent(topic.share)],
      ["tokens", format.count(topic.tokens)],
      ["documents", format.count(topic.documents)],
      ["Ψ", format.short(topic.psi)],
      ["NPMI", format.fixed(topic.npmi, 2)],
      ["UMass", format.fixed(topic.umass, 2)],
      ["exclusivity", format.fixed(topic.exclusivity, 2)],
      ["distinctiveness", format.fixed(topic.distinctiveness, 2)],
    ];
    return el(
      "dl",
      { class: "figures" },
      ...parts.map(([name, value]) => el("div", null, el("dt", null, name), el("dd", null, value))),
    );
  }

  // The document's own text, whose every second part is a word of the topic.
  const ownText = (parts) => parts.map((part, i) => (i % 2 === 1 ? el("mark", null, part) : part));

  // Words with 1 for those of the topic.
  const listOfWords = (tokens) =>
    tokens.flatMap(([token, inTopic]) => [inTopic ? el("mark", null, word(token)) : word(token), " "]);

  function passage(parts) {
    const isText = typeof parts[0] === "string";
    const nodes = isText ? ownText(parts) : listOfWords(parts);
    return el("p", { class: isText ? "passage own-text" : "passage", dir: "auto" }, ...nodes);
  }

  function documentItem([index, share, parts]) {
    const found = data.documents[index];
    const meta = (found.meta || [])
      .map((value, i) => (value === "" ? null : el("span", null, `${data.metadata[i]}: `, word(value))))
      .filter(Boolean);
    return el(
      "li",
      null,
      el("h4", null, word(found.name), " ", el("span", { class: "share" }, format.percent(share))),
      el("p", { class: "meta" }, ...meta, el("span", null, `${format.count(found.tokens)} tokens`)),
      parts.length > 0 ? passage(parts) : null,
    );
  }

  function documents(topic) {
    const found = (topic.docs || []).filter(([index]) => data.documents[index]);
    if (found.length === 0) return [];
    return [
      el("h3", null, `Documents with most of topic ${topic.topic}`),
      el("p", { class: "note" }, data.bag ? BAG_NOTE : "Marked words belong to the topic."),
      el("ol", { class: "documents" }, ...found.map(documentItem)),
    ];
  }

  function nearest() {
    const topics = (state.topic.near || []).map(report.topicByNumber).filter(Boolean);
    byId("near").replaceChildren(
      ...(topics.length === 0
        ? []
        : [el("h3", null, "Nearest topics"), el("p", { class: "near-topics" }, ...topics.map(link))]),
    );
  }

  function show() {
    const topic = state.topic;
    const label = report.labels.field(topic);
    const mark = topic.background ? report.backgroundMark() : "";
    head.replaceChildren(el("h3", { id: "topic-title" }, `Topic ${topic.topic}`), label, mark);
    head.refresh = label.refresh;
    byId("topic").querySelector(".figures").replaceWith(figures(topic));
    bars.title.textContent = `Words of topic ${topic.topic}`;
    bars.redraw();
    nearest();
    byId("topic-documents").replaceChildren(...documents(topic));
  }

  // Chooses a topic, notes it in the address, and brings its page into view if it is not there.
  function open(number) {
    if (!report.topicByNumber(number)) return;
    if (location.hash !== address(number)) history.pushState(null, "", address(number));
    state.select(number);
    const box = byId("topic").getBoundingClientRect();
    if (box.top < 0 || box.top > innerHeight * 0.75) byId("topic").scrollIntoView({ block: "start" });
  }

  function fromAddress() {
    const found = /^#topic-(\d+)$/.exec(location.hash);
    if (found) open(Number(found[1]));
    return found !== null;
  }

  function start() {
    head = el("div", { class: "topic-head" });
    const order = el("div");
    bars = report.figure("words", (width) => report.wordBars(state.topic, state.orderLambda(), width));
    byId("topic").append(head, el("dl", { class: "figures" }), order, bars.node);
    report.orderControl(order, "topic-order");
    state.on("topic", show);
    state.on("order", () => {
      bars.redraw();
      nearest();
    });
    state.on("labels", () => {
      head.refresh();
      nearest();
    });
    addEventListener("hashchange", fromAddress);
    addEventListener("popstate", fromAddress);
    // The largest topic that says something.
    state.select((data.topics.find((topic) => !topic.background) || data.topics[0]).topic);
    fromAddress();
  }

  report.openTopic = open;
  report.topicLink = link;
  report.topic = { start };
})((window.report ??= {}));
