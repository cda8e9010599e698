// Topics over time as lines with bands, of topics that the reader chooses.
(function (report) {
  "use strict";
  const { el, data, state, byId } = report;
  const FIRST = 3,
    MOST = 6;
  // The topics of the lines; none until the reader has chosen, which are then the first ones.
  let chosen = null,
    figure;

  const current = () => report.groups.current();
  const known = () =>
    report.mainTopics(state.by).filter((topic) => !topic.background && current().isKnown(data.topics.indexOf(topic)));
  const shown = () => chosen || known().slice(0, FIRST);

  function draw(width) {
    const series = shown().map((topic, i) => report.groups.line(topic, `s${i}`));
    return report.linePlot(
      {
        name: `Topics over ${current().column.slice(0, 60)}`,
        x: report.groups.xAxis(width),
        y: report.groups.yAxis(),
        series,
        empty: "No topic is chosen.",
      },
      width,
      figure.readout,
    );
  }

  // A topic of the lines, with a button that takes it away.
  function chip(topic, i) {
    const away = () => {
      chosen = shown().filter((other) => other !== topic);
      show();
    };
    const name = report.word(report.groups.topicText(topic));
    const remove = report.button("×", away, { class: "quiet", "aria-label": `Take topic ${topic.topic} away` });
    return el("li", { class: `chip s${i}` }, el("span", { class: "swatch" }), `${topic.topic} `, name, remove);
  }

  function controls() {
    const lines = shown();
    byId("times-chosen").replaceChildren(...lines.map(chip));
    const others = data.topics.filter((topic) => !lines.includes(topic) && current().isKnown(data.topics.indexOf(topic)));
    const option = (topic) => el("option", { value: topic.topic }, `${topic.topic} ${report.groups.topicText(topic).slice(0, 60)}`);
    byId("times-add").replaceChildren(el("option", { value: "" }, "add a topic …"), ...others.map(option));
    byId("times-add").disabled = lines.length >= MOST;
  }

  function show() {
    byId("times").hidden = current().kind !== "date";
    if (current().kind !== "date") return;
    figure.title.textContent = "Topics over time";
    figure.readout.replaceChildren();
    controls();
    figure.redraw();
  }

  function start() {
    figure = report.figure("times", draw);
    byId("times").prepend(figure.node);
    byId("times-add").addEventListener("change", (event) => {
      const topic = report.topicByNumber(Number(event.target.value));
      if (event.target.value === "" || !topic) return;
      chosen = [...shown(), topic].slice(0, MOST);
      show();
    });
    state.on("by", () => {
      chosen = null;
    });
  }

  report.times = { start, show };
})((window.report ??= {}));
