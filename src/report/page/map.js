// The map of topics: a circle each, its area the topic's share, its place by likeness of words.
(function (report) {
  "use strict";
  const { svg, el, data, state, format } = report;
  let circles = [], figure, focused = 0;

  const name = (topic) => {
    const label = report.labels.get(topic);
    return label === "" ? `Topic ${topic.topic}` : `Topic ${topic.topic}, ${label}`;
  };

  // Places in pixels with one scale for both axes, so that distances can be compared; a quarter of the area is circles.
  function layout(width) {
    const xs = data.topics.map((topic) => topic.x || 0), ys = data.topics.map((topic) => topic.y || 0);
    const low = [Math.min(...xs), Math.min(...ys)];
    const span = [Math.max(...xs) - low[0], Math.max(...ys) - low[1]];
    const height = Math.round(width * Math.max(0.62, Math.min(1, span[0] > 0 ? span[1] / span[0] : 1)));
    const radius = (topic) => Math.max(3, Math.min(width * 0.12, Math.sqrt(((topic.share || 0) * 0.25 * width * height) / Math.PI)));
    const margin = Math.max(...data.topics.map(radius)) + 6;
    const unit = Math.min((width - 2 * margin) / (span[0] || 1), (height - 2 * margin) / (span[1] || 1));
    const place = (value, from, extent, room) => room / 2 + (value - from - extent / 2) * unit;
    return {
      height,
      places: data.topics.map((topic, i) => ({
        topic, r: radius(topic), x: place(xs[i], low[0], span[0], width), y: height - place(ys[i], low[1], span[1], height),
      })),
    };
  }

  function caption(place) {
    if (place.r < 10) return null;
    const label = report.fit(report.labels.get(place.topic), place.r * 1.8, 11);
    const text = label.length > 3 && place.r >= 22 ? label : String(place.topic.topic);
    return svg("text", { class: "map-label", x: place.x, y: place.y, dy: "0.35em", "text-anchor": "middle" }, text);
  }

  function describe(topic) {
    const words = report.topWords(topic, state.orderLambda(), 6).flatMap(({ word }) => [report.word(data.words[word]), " "]);
    const label = report.labels.get(topic);
    figure.readout.replaceChildren(el("span", null, `Topic ${topic.topic}`), label === "" ? "" : report.word(label),
      el("span", null, format.percent(topic.share)), el("span", null, ...words));
  }

  function mark() {
    const near = new Set(state.topic ? state.topic.near : []);
    circles.forEach(({ node, topic }, i) => {
      node.classList.toggle("chosen", topic === state.topic);
      node.classList.toggle("near", near.has(topic.topic));
      node.setAttribute("aria-pressed", topic === state.topic);
      node.setAttribute("tabindex", i === focused ? 0 : -1);
    });
  }

  // The nearest circle in the direction of an arrow key; what lies off to the side counts as farther.
  function neighbour(from, key) {
    const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
    let best = -1, least = Infinity;
    circles.forEach((circle, i) => {
      const along = (circle.x - from.x) * dx + (circle.y - from.y) * dy;
      const aside = Math.abs((circle.x - from.x) * dy) + Math.abs((circle.y - from.y) * dx);
      if (circle !== from && along > 0 && along + 2 * aside < least) { least = along + 2 * aside; best = i; }
    });
    return best;
  }

  function onKey(event, i) {
    if (event.key === "Enter" || event.key === " ") report.openTopic(circles[i].topic.topic);
    else if (event.key === "Home") focus(0);
    else if (event.key.startsWith("Arrow")) { const next = neighbour(circles[i], event.key); if (next >= 0) focus(next); }
    else return;
    event.preventDefault();
  }

  function focus(i) {
    focused = i;
    mark();
    circles[i].node.focus();
  }

  function draw(width) {
    const { height, places } = layout(width);
    const plot = report.drawing(width, height, "Map of topics", { role: "group", class: "map" });
    circles = places.map((place, i) => {
      const node = svg("circle", {
        class: "topic", cx: place.x.toFixed(1), cy: place.y.toFixed(1), r: place.r.toFixed(1), role: "button",
        "data-topic": place.topic.topic, "aria-label": `${name(place.topic)}, ${format.percent(place.topic.share)}`,
        click: () => { focused = i; report.openTopic(place.topic.topic); },
        pointerenter: () => describe(place.topic), focus: () => describe(place.topic), keydown: (event) => onKey(event, i),
      });
      return { ...place, node };
    });
    plot.append(...circles.map((circle) => circle.node));
    plot.append(...places.map(caption).filter(Boolean));
    mark();
    return plot;
  }

  function start() {
    figure = report.figure("map", draw);
    figure.title.textContent = "Map";
    report.byId("map").append(figure.node);
    figure.redraw();
    state.on("topic", () => { focused = data.topics.indexOf(state.topic); mark(); describe(state.topic); });
    state.on("labels", figure.redraw);
  }

  report.map = { start };
})(window.report ??= {});
