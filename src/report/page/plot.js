// A line plot whose values can be read with the pointer or the arrow keys.
(function (report) {
  "use strict";
  const { svg, el, isNumber } = report;

  const usable = (axis, value) => isNumber(value) && (!axis.log || value > 0);

  function points(spec, series) {
    const found = [];
    for (let i = 0; i < series.x.length; i += 1) {
      if (usable(spec.x, series.x[i]) && usable(spec.y, series.y[i])) found.push([series.x[i], series.y[i]]);
    }
    return found;
  }

  // The area between the ends of the intervals of a series, in pieces where some are not known.
  function band(series, x, y) {
    const pieces = [[]];
    series.x.forEach((at, i) => {
      const [low, high] = [series.low[i], series.high[i]];
      if (isNumber(low) && isNumber(high)) pieces[pieces.length - 1].push([x.scale(at), y.scale(low), y.scale(high)]);
      else pieces.push([]);
    });
    const area = (piece) => {
      const roof = piece.map(([at, , high]) => [at, high]);
      const floor = piece.map(([at, low]) => [at, low]).reverse();
      return `${report.path([...roof, ...floor])}Z`;
    };
    const d = pieces.filter((piece) => piece.length > 1).map(area).join("");
    return svg("path", { class: `band ${series.class}`, d });
  }

  // The range of an axis; one value alone gets room on both sides.
  function range(axis, values) {
    let low = Infinity,
      high = -Infinity;
    for (const value of values) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    if (axis.zero) low = Math.min(0, low);
    if (low === high) {
      const room = axis.log ? 0 : Math.abs(low) * 0.05 || 1;
      return axis.log ? [low / 2, high * 2] : [low - room, high + room];
    }
    return axis.padded && !axis.zero ? [low - (high - low) * 0.04, high + (high - low) * 0.04] : [low, high];
  }

  function nearest(list, value, position) {
    let best = null;
    for (const point of list) {
      if (
        best === null ||
        Math.abs(position(point[0]) - position(value)) < Math.abs(position(best[0]) - position(value))
      )
        best = point;
    }
    return best;
  }

  function legend(box, entries) {
    const group = svg("g", { class: "legend" });
    entries.forEach((series, i) => {
      const y = box.bottom - 12 - (entries.length - 1 - i) * 17;
      group.append(
        svg("line", { class: `line ${series.class}`, x1: box.left + 10, x2: box.left + 28, y1: y, y2: y }),
      );
      group.append(svg("text", { class: "tick", x: box.left + 34, y, dy: "0.32em" }, series.name));
    });
    return group;
  }

  // Moves a rule and dots to the values nearest to x, and writes them into the read-out.
  function reader(plot, spec, lines, box, x, y, readout) {
    const rule = svg("line", { class: "pointer", y1: box.top, y2: box.bottom });
    const dots = lines.map((line) => svg("circle", { class: `dot ${line.series.class}`, r: 3.5 }));
    const marks = svg("g", { class: "marks", visibility: "hidden" }, rule, ...dots);
    const stops = lines.length > 0 ? lines[lines.length - 1].points : [];
    let at = -1;
    plot.append(marks);

    function show(index) {
      at = Math.max(0, Math.min(stops.length - 1, index));
      const value = stops[at][0];
      const parts = [`${spec.x.short || spec.x.name} ${(spec.x.read || report.format.count)(value)}`];
      lines.forEach((line, i) => {
        const found = nearest(line.points, value, x.scale);
        dots[i].setAttribute("cx", x.scale(found[0]));
        dots[i].setAttribute("cy", y.scale(found[1]));
        parts.push(
          `${lines.length > 1 ? `${line.series.short || line.series.name}: ` : ""}${spec.y.read(found[1])}`,
        );
      });
      rule.setAttribute("x1", x.scale(value));
      rule.setAttribute("x2", x.scale(value));
      marks.setAttribute("visibility", "visible");
      readout.replaceChildren(...parts.map((part) => el("span", null, part)));
    }

    function hide() {
      at = -1;
      marks.setAttribute("visibility", "hidden");
      readout.replaceChildren();
    }

    if (stops.length === 0) return;
    plot.addEventListener("pointermove", (event) => {
      const bounds = plot.getBoundingClientRect();
      const pixel = ((event.clientX - bounds.left) / bounds.width) * plot.viewBox.baseVal.width;
      let best = 0;
      stops.forEach((stop, i) => {
        if (Math.abs(x.scale(stop[0]) - pixel) < Math.abs(x.scale(stops[best][0]) - pixel)) best = i;
      });
      show(best);
    });
    plot.addEventListener("pointerleave", hide);
    plot.addEventListener("blur", hide);
    plot.addEventListener("focus", () => {
      if (at < 0 && plot.matches(":focus-visible")) show(stops.length - 1);
    });
    plot.addEventListener("keydown", (event) => {
      const step = Math.max(1, Math.round(stops.length / 40));
      const moves = { ArrowLeft: at - step, ArrowRight: at + step, Home: 0, End: stops.length - 1 };
      if (!(event.key in moves)) return;
      event.preventDefault();
      show(moves[event.key]);
    });
  }

  // spec: { name, x, y, series: [{ name, x, y, low, high, class, faint }] }; an axis is { name, log, zero, read }.
  function linePlot(spec, width, readout) {
    const height = Math.round(Math.max(210, Math.min(300, width * 0.55)));
    const box = { left: spec.left || 52, right: width - 18, top: 24, bottom: height - 42 };
    const lines = spec.series
      .map((series) => ({ series, points: points(spec, series) }))
      .filter((line) => line.points.length > 0);
    const plot = report.drawing(width, height, `${spec.name}. Arrow keys read its values.`, {
      tabindex: 0,
      class: "line-plot",
    });
    if (lines.length === 0) {
      plot.append(
        svg(
          "text",
          { class: "empty", x: width / 2, y: height / 2, "text-anchor": "middle" },
          spec.empty || "No values were recorded.",
        ),
      );
      return plot;
    }
    const axis = (which, index, pixels) => {
      const ends = index === 1 ? lines.flatMap(({ series }) => (series.high || []).filter(isNumber)) : [];
      const [low, high] = range(spec[which], [
        ...lines.flatMap((line) => line.points.map((point) => point[index])),
        ...ends,
      ]);
      return { ...spec[which], low, high, scale: report.scale(low, high, pixels, spec[which].log) };
    };
    const x = axis("x", 0, [box.left, box.right]);
    const y = axis("y", 1, [box.bottom, box.top]);
    plot.append(report.axes(box, x, y));
    plot.append(...lines.filter(({ series }) => series.low).map(({ series }) => band(series, x, y)));
    for (const { series, points: list } of lines) {
      const d = report.path(list.map(([a, b]) => [x.scale(a), y.scale(b)]));
      plot.append(svg("path", { class: `line ${series.class}${series.faint ? " faint" : ""}`, d }));
      if (list.length === 1)
        plot.append(
          svg("circle", {
            class: `dot ${series.class}`,
            r: 3.5,
            cx: x.scale(list[0][0]),
            cy: y.scale(list[0][1]),
          }),
        );
    }
    const strong = lines.filter((line) => !line.series.faint);
    if (spec.legend && strong.length > 1)
      plot.append(
        legend(
          box,
          strong.map((line) => line.series),
        ),
      );
    reader(plot, spec, strong, box, x, y, readout);
    return plot;
  }

  report.linePlot = linePlot;
})((window.report ??= {}));
