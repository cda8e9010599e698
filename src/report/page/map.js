// The map of topics: a circle each, its area the topic's share, its place by likeness of words.
(function (report) {
  "use strict";
  const { svg, el, data, state, format } = report;
  let circles = [],
    figure,
    focused = 0;

  const name = (topic) => {
    const label = report.labels.name(topic);
    return label === "" ? `Topic ${topic.topic}` : `Topic ${topic.topic}, ${label}`;
  };

  // The middle and the extent of circles on one axis, if a unit of the map is `unit` pixels.
  function extent(places, axis, unit) {
    const low = Math.min(...places.map((place) => place[axis] * unit - place.r));
    const high = Math.max(...places.map((place) => place[axis] * unit + place.r));
    return { middle: (low + high) / 2, size: high - low };
  }

  // Places in pixels with one scale for both axes, so that distances can be compared; circles that do not
  // overlap would cover a quarter of the area.
  function layout(width) {
    const most = width * 0.9;
    const radius = (topic) =>
      Math.max(3, Math.min(width * 0.12, Math.sqrt(((topic.share || 0) * 0.25 * width * most) / Math.PI)));
    // The smallest of very many topics are not on the map.
    const shown = data.topics.filter((topic) => topic.x !== null);
    const places = shown.map((topic) => ({
      topic,
      r: radius(topic),
      x: topic.x || 0,
      y: -(topic.y || 0),
    }));
    const fits = (unit) =>
      extent(places, "x", unit).size <= width - 8 && extent(places, "y", unit).size <= most - 8;
    let unit = 1,
      step = 2;
    while (fits(unit) && unit < 1e9) unit *= 2;
    while (!fits(unit) && unit > 1e-9) unit /= 2;
    for (let round = 0; round < 12; round += 1) {
      step = Math.sqrt(step);
      if (fits(unit * step)) unit *= step;
    }
    const x = extent(places, "x", unit),
      y = extent(places, "y", unit);
    const height = Math.round(Math.max(width * 0.5, y.size + 8));
    for (const place of places)
      Object.assign(place, {
        x: place.x * unit - x.middle + width / 2,
        y: place.y * unit - y.middle + height / 2,
      });
    return { height, places };
  }

  function captionText(place) {
    const label = place.r < 22 ? "" : report.fit(report.labels.name(place.topic), place.r * 1.8, 11);
    return label.length > 3 ? label : String(place.topic.topic);
  }

  // Names inside large circles, largest first; one that would lie on another is left out.
  function captions(places) {
    const taken = [];
    for (const place of [...places].sort((a, b) => b.r - a.r)) {
      if (place.r < 9) break;
      const text = captionText(place);
      const half = text.length * 3.6 + 2;
      if (
        half > place.r + 3 ||
        taken.some(
          (other) => Math.abs(other.x - place.x) < other.half + half && Math.abs(other.y - place.y) < 14,
        )
      )
        continue;
      taken.push({ x: place.x, y: place.y, half, text });
    }
    return taken.map(({ x, y, text }) =>
      svg("text", { class: "map-label", x, y, dy: "0.35em", "text-anchor": "middle" }, text),
    );
  }

  function describe(topic) {
    const words = report
      .topWords(topic, state.orderLambda(), 6)
      .flatMap(({ word }) => [report.word(data.words[word]), " "]);
    const label = report.labels.name(topic);
    figure.readout.replaceChildren(
      el("span", null, `Topic ${topic.topic}`),
      label === "" ? "" : report.word(label),
      el("span", null, format.percent(topic.share)),
      el("span", null, ...words),
    );
  }

  function mark() {
    const near = new Set(state.topic?.near);
    const tokens =
      state.word === null
        ? null
        : new Map(report.topicsOfWord(state.word).map((found) => [found.topic, found.tokens]));
    circles.forEach(({ node, topic }, i) => {
      // A word that is pointed at or searched for: the more of its tokens a topic has, the fuller its circle.
      node.style.fillOpacity =
        tokens === null
          ? ""
          : tokens.has(topic)
            ? 0.3 + (0.7 * tokens.get(topic)) / data.word_tokens[state.word]
            : 0.04;
      node.classList.toggle("chosen", topic === state.topic);
      node.classList.toggle("near", near.has(topic.topic));
      node.setAttribute("aria-pressed", topic === state.topic);
      node.setAttribute("tabindex", i === focused ? 0 : -1);
    });
  }

  // The nearest circle in the direction of an arrow key; what lies off to the side counts as farther.
  function neighbour(from, key) {
    const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
    let best = -1,
      least = Infinity;
    circles.forEach((circle, i) => {
      const along = (circle.x - from.x) * dx + (circle.y - from.y) * dy;
      const aside = Math.abs((circle.x - from.x) * dy) + Math.abs((circle.y - from.y) * dx);
      if (circle !== from && along > 0 && along + 2 * aside < least) {
        least = along + 2 * aside;
        best = i;
      }
    });
    return best;
  }

  function onKey(event, i) {
    if (event.key === "Enter" || event.key === " ") report.openTopic(circles[i].topic.topic);
    else if (event.key === "Home") focus(0);
    else if (event.key.startsWith("Arrow")) {
      const next = neighbour(circles[i], event.key);
      if (next >= 0) focus(next);
    } else return;
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
        class: place.topic.background ? "topic everywhere" : "topic",
        cx: place.x.toFixed(1),
        cy: place.y.toFixed(1),
        r: place.r.toFixed(1),
        role: "button",
        "data-topic": place.topic.topic,
        "aria-label": `${name(place.topic)}, ${format.percent(place.topic.share)}`,
        click: () => {
          focused = i;
          report.openTopic(place.topic.topic);
        },
        pointerenter: () => describe(place.topic),
        focus: () => describe(place.topic),
        keydown: (event) => onKey(event, i),
      });
      return { ...place, node };
    });
    plot.append(...circles.map((circle) => circle.node));
    plot.append(...captions(places));
    mark();
    return plot;
  }

  function start() {
    figure = report.figure("map", draw);
    figure.title.textContent = "Map";
    report.byId("map").append(figure.node);
    figure.redraw();
    state.on("topic", () => {
      focused = Math.max(0, circles.findIndex((circle) => circle.topic === state.topic));
      mark();
      describe(state.topic);
    });
    state.on("labels", figure.redraw);
    state.on("word", mark);
  }

  report.map = { start };
})((window.report ??= {}));
