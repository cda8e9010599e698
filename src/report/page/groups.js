// Topics over a column of the metadata: the chosen topic alone, the largest ones together, and what is in the other parts of the section.
(function (report) {
  "use strict";
  const { el, data, state, format, byId } = report;
  const LARGEST = 7,
    MOST_BARS = 30;
  let single, stacked, current;

  // The groups of a view that have a topic, by their place in it: { share, low, high }, the ends as none where they are not known.
  function cells(view, position) {
    view.maps ??= [];
    if (view.maps[position]) return view.maps[position];
    const flat = view.cells[position] || [];
    const found = new Map();
    const end = (value) => (value < 0 ? null : value / 1e6);
    for (let i = 0; i + 3 < flat.length; i += 4)
      found.set(flat[i], { share: flat[i + 1] / 1e6, low: end(flat[i + 2]), high: end(flat[i + 3]) });
    view.maps[position] = found;
    return found;
  }

  // Names in the order that was chosen; times and numbers in their own.
  function inOrder(group, view, by) {
    const order = view.values.map((_, i) => i);
    if (group.kind !== "name") return order;
    if (by === "size") order.sort((a, b) => view.tokens[b] - view.tokens[a]);
    if (by === "name") order.sort((a, b) => view.values[a].localeCompare(view.values[b]));
    return order;
  }

  // A view as it is shown.
  function prepare(group, view) {
    const order = inOrder(group, view, byId("group-order").value);
    const tokens = order.map((i) => view.tokens[i]);
    return {
      kind: group.kind,
      column: group.column,
      unit: view.unit,
      names: order.map((i) => view.values[i]),
      at: group.kind === "name" ? [] : order.map((i) => view.at[i]),
      documents: order.map((i) => view.documents[i]),
      tokens,
      all: tokens.reduce((sum, n) => sum + n, 0),
      // What is known of a topic in each group; nothing where it has no tokens.
      cells: (position) => order.map((i) => cells(view, position).get(i)),
      shares: (position) => order.map((i) => cells(view, position).get(i)?.share || 0),
      isKnown: (position) => position < view.cells.length,
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

  const firstGroups = (list) => (current.kind === "name" ? list.slice(0, MOST_BARS) : list);

  const layer = (topic, position, className) => ({
    number: `${topic.topic} `,
    text: topicText(topic),
    name: `${topic.topic} ${topicText(topic)}`,
    class: className,
    shares: firstGroups(current.shares(position)),
  });

  function layers() {
    const shown = report.mainTopics(state.by).slice(0, LARGEST);
    const largest = shown.map((topic, i) => layer(topic, data.topics.indexOf(topic), `s${i}`));
    if (data.topics.length <= LARGEST) return largest;
    const rest = firstGroups(current.names).map((_, i) =>
      Math.max(0, 1 - largest.reduce((sum, one) => sum + one.shares[i], 0)),
    );
    return [
      ...largest,
      { number: "", text: "all others", name: "all others", class: "others", shares: rest },
    ];
  }

  // Some of the stretches of time, where they begin.
  function timeTicks(width) {
    const every = Math.ceil(current.at.length / Math.max(2, width / 90));
    return current.at.filter((_, i) => i % every === 0);
  }

  // Years are not numbers to be grouped by thousands.
  function xAxis(width) {
    const nameAt = (at) => current.names[current.at.indexOf(at)] ?? String(Number(at.toPrecision(12)));
    const few = current.unit && (current.unit === "month" || current.at.length <= 12);
    return {
      name: current.column.slice(0, 60),
      ticks: few ? timeTicks(width) : undefined,
      label: nameAt,
      read: nameAt,
    };
  }

  const yAxis = () => ({
    name: "share of tokens",
    zero: true,
    label: (share) => `${Number((share * 100).toPrecision(6))}\u00a0%`,
    read: format.percent,
  });

  // A topic as a line with a band: where it has no tokens its share is 0.
  function line(topic, className) {
    const found = current.cells(data.topics.indexOf(topic));
    return {
      name: `${topic.topic} ${topicText(topic).slice(0, 40)}`,
      short: String(topic.topic),
      class: className,
      x: current.at,
      y: found.map((cell) => cell?.share || 0),
      low: found.map((cell) => (cell ? cell.low : 0)),
      high: found.map((cell) => (cell ? cell.high : 0)),
    };
  }

  function drawSingle(width) {
    const position = data.topics.indexOf(state.topic);
    if (current.kind === "name")
      return report.shareBars(
        `Topic ${state.topic.topic} by group`,
        firstGroups(current.names),
        [layer(state.topic, position, "c0")],
        width,
      );
    return report.linePlot(
      {
        name: `Topic ${state.topic.topic} over ${current.column.slice(0, 60)}`,
        x: xAxis(width),
        y: yAxis(),
        series: current.isKnown(position) ? [line(state.topic, "c0")] : [],
        empty: "The page has no shares of this topic here.",
      },
      width,
      single.readout,
    );
  }

  function drawStacked(width) {
    if (current.kind !== "name" && current.at.length > 1)
      return report.stackedAreas("The largest topics", xAxis(width), current.at, layers(), width);
    return report.shareBars("The largest topics", firstGroups(current.names), layers(), width);
  }

  function drawTable() {
    if (byId("group-details").open)
      report.shareTable(byId("group-table"), current.column, firstGroups(current.names), firstGroups(current.tokens), layers());
  }

  function showSingle() {
    single.title.replaceChildren(`Topic ${state.topic.topic} `, report.word(topicText(state.topic)));
    single.readout.replaceChildren();
    single.redraw();
  }

  function show() {
    showSingle();
    const few = data.topics.length <= LARGEST ? "All topics" : `The ${layers().length - 1} ${state.by === "size" ? "largest" : "most distinctive"} topics`;
    const shown = firstGroups(current.names).length;
    stacked.title.textContent = shown < current.names.length ? `${few}, ${shown} of ${current.names.length} groups` : few;
    stacked.redraw();
    drawTable();
    report.heat.show();
    report.times.show();
  }

  // Where the bands and the heat map's intervals come from.
  const INTERVAL = data.has_samples
    ? "Bands, and the intervals in the table, are of 95 %: how far a share moves over the samples of the run, document by document."
    : "Bands, and the intervals in the table, are of 95 %: how far a share would move with other documents like these, as the " +
      "documents of a group differ. Groups of one document have none.";

  function choose() {
    const group = data.groups[Number(byId("group-column").value)];
    const units = group.views.map((view) => view.unit);
    const unit = byId("group-unit");
    if (units.join() !== [...unit.options].map((option) => option.value).join())
      unit.replaceChildren(...units.map((name) => el("option", { value: name ?? "" }, `by ${name}`)));
    unit.hidden = group.kind !== "date";
    byId("group-order-field").hidden = group.kind !== "name";
    const view = group.views[Math.max(0, units.indexOf(unit.value))];
    current = prepare(group, view);
    const sentences = [...group.notes, INTERVAL, ...(data.no_groups || [])];
    byId("group-notes").replaceChildren(...sentences.map((one) => el("span", { class: "block" }, one)));
    show();
  }

  function start() {
    if (data.groups.length === 0) {
      if (!data.no_groups?.length) return;
      byId("no-groups").hidden = false;
      byId("no-groups").textContent = data.no_groups.join(" ");
      return;
    }
    byId("groups").hidden = false;
    byId("groups-link").hidden = false;
    byId("group-column").append(...data.groups.map((group, i) => el("option", { value: i }, group.column)));
    for (const id of ["group-column", "group-unit", "group-order"]) byId(id).addEventListener("change", choose);
    single = report.figure("topic-by-group", drawSingle);
    stacked = report.figure("topics-by-group", drawStacked);
    byId("group-plots").append(single.node, stacked.node);
    byId("group-details").addEventListener("toggle", drawTable);
    report.heat.start();
    report.times.start();
    choose();
    state.on("topic", showSingle);
    state.on("order", show);
    state.on("by", show);
    state.on("labels", show);
  }

  report.groups = { start, current: () => current, line, topicText, xAxis, yAxis };
})((window.report ??= {}));
