// Topics over a column of the metadata: the chosen topic alone, and the largest ones together.
(function (report) {
  "use strict";
  const { el, data, state, format, byId } = report;
  const LARGEST = 7,
    MOST_BARS = 30;
  let single, stacked, current;

  // A column as it is shown: numbers in order, or the groups with most tokens.
  function prepare(group) {
    const numeric =
      group.values.length > 1 &&
      group.values.every((value) => value.trim() !== "" && Number.isFinite(Number(value)));
    let order = group.values.map((_, i) => i);
    if (numeric) order.sort((a, b) => Number(group.values[a]) - Number(group.values[b]));
    else order = order.sort((a, b) => group.tokens[b] - group.tokens[a]).slice(0, MOST_BARS);
    return {
      numeric,
      column: group.column,
      left: group.values.length - order.length,
      names: order.map((i) => group.values[i] || "(none)"),
      tokens: order.map((i) => group.tokens[i]),
      shares: (position) => order.map((i) => (group.shares[position] || [])[i] || 0),
    };
  }

  // The label of a topic, or the beginnings of its three first words.
  function topicText(topic) {
    const first = report.topWords(topic, state.orderLambda(), 3);
    return (
      report.labels.name(topic) ||
      first.map(({ word }) => [...data.words[word]].slice(0, 40).join("")).join(" ")
    );
  }

  const layer = (topic, position, className) => ({
    number: `${topic.topic} `,
    text: topicText(topic),
    name: `${topic.topic} ${topicText(topic)}`,
    class: className,
    shares: current.shares(position),
  });

  function layers() {
    const shown = report.mainTopics(state.by).slice(0, LARGEST);
    const largest = shown.map((topic, i) => layer(topic, data.topics.indexOf(topic), `s${i}`));
    if (data.topics.length <= LARGEST) return largest;
    const rest = current.names.map((_, i) =>
      Math.max(0, 1 - largest.reduce((sum, one) => sum + one.shares[i], 0)),
    );
    return [
      ...largest,
      { number: "", text: "all others", name: "all others", class: "others", shares: rest },
    ];
  }

  // Years are not numbers to be grouped by thousands.
  const xAxis = () => ({
    name: current.column.slice(0, 60),
    label: (tick) => String(Number(tick.toPrecision(12))),
    read: (value) => String(value),
  });

  function drawSingle(width) {
    const position = data.topics.indexOf(state.topic);
    if (!current.numeric)
      return report.shareBars(
        `Topic ${state.topic.topic} by group`,
        current.names,
        [layer(state.topic, position, "c0")],
        width,
      );
    const percent = (share) => `${Number((share * 100).toPrecision(6))}\u00a0%`;
    return report.linePlot(
      {
        name: `Topic ${state.topic.topic} over ${current.column.slice(0, 60)}`,
        x: xAxis(),
        y: { name: "share of tokens", zero: true, label: percent, read: format.percent },
        series: [{ name: "share", class: "c0", x: current.names.map(Number), y: current.shares(position) }],
      },
      width,
      single.readout,
    );
  }

  function drawStacked(width) {
    if (current.numeric)
      return report.stackedAreas("The largest topics", xAxis(), current.names.map(Number), layers(), width);
    return report.shareBars("The largest topics", current.names, layers(), width);
  }

  function drawTable() {
    if (byId("group-details").open)
      report.shareTable(byId("group-table"), current.column, current.names, current.tokens, layers());
  }

  function showSingle() {
    single.title.replaceChildren(`Topic ${state.topic.topic} `, report.word(topicText(state.topic)));
    single.readout.replaceChildren();
    single.redraw();
  }

  function show() {
    showSingle();
    const few = data.topics.length <= LARGEST ? "All topics" : `The ${layers().length - 1} ${state.by === "size" ? "largest" : "most distinctive"} topics`;
    stacked.title.textContent = current.left > 0 ? `${few}, ${current.names.length} largest groups` : few;
    stacked.redraw();
    drawTable();
  }

  function start() {
    const groups = (data.groups || []).filter((group) => group.values.length > 0);
    if (groups.length === 0) return;
    byId("groups").hidden = false;
    byId("groups-link").hidden = false;
    const choice = byId("group-column");
    choice.append(...groups.map((group, i) => el("option", { value: i }, group.column)));
    choice.addEventListener("change", () => {
      current = prepare(groups[Number(choice.value)]);
      show();
    });
    current = prepare(groups[0]);
    single = report.figure("topic-by-group", drawSingle);
    stacked = report.figure("topics-by-group", drawStacked);
    byId("group-plots").append(single.node, stacked.node);
    byId("group-details").addEventListener("toggle", drawTable);
    state.on("topic", showSingle);
    state.on("order", show);
    state.on("by", show);
    state.on("labels", show);
    show();
  }

  report.groups = { start };
})((window.report ??= {}));
