// What every plot is drawn with: scales, ticks, axes, and text cut to a width.
(function (report) {
  "use strict";
  const { svg, format } = report;

  const linear = (from, to) => (value) => to[0] + ((value - from[0]) / (from[1] - from[0])) * (to[1] - to[0]);

  // A scale over [low, high], logarithmic if asked for, to pixels.
  function scale(low, high, pixels, log) {
    const inner = log ? linear([Math.log(low), Math.log(high)], pixels) : linear([low, high], pixels);
    return log ? (value) => inner(Math.log(value)) : inner;
  }

  // Round numbers between low and high, about `wanted` of them.
  function ticks(low, high, wanted) {
    const raw = (high - low) / wanted;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw * 0.8);
    const found = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i += 1) found.push(i * step);
    return found;
  }

  // Powers of ten, with 2 and 5 times them when there are few.
  function logTicks(low, high) {
    const decades = Math.log10(high / low);
    const steps = decades < 3 ? [1, 2, 5] : [1];
    const found = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high) + 1e-9; power += 1) {
      for (const step of steps) found.push(step * 10 ** power);
    }
    const inside = found.filter((tick) => tick >= low * 0.999 && tick <= high * 1.001);
    return decades > 7 ? inside.filter((_, i) => i % 2 === 0) : inside;
  }

  function tickLabel(tick, step) {
    if (Math.abs(tick) >= 1e6) return `${Number((tick / 1e6).toPrecision(4))}\u202fM`;
    return format.fixed(tick, Math.max(0, Math.min(6, -Math.floor(Math.log10(step) + 1e-9))));
  }

  // The frame of a plot: horizontal lines, tick labels and the names of both axes. `box` has left, right,
  // top, bottom; an axis has { low, high, log, name, scale, label }.
  function axes(box, x, y) {
    const group = svg("g", { class: "axes" });
    const yTicks = y.log ? logTicks(y.low, y.high) : ticks(y.low, y.high, 5);
    for (const tick of yTicks) {
      const at = y.scale(tick);
      group.append(svg("line", { class: "rule", x1: box.left, x2: box.right, y1: at, y2: at }));
      group.append(
        svg(
          "text",
          { class: "tick", x: box.left - 6, y: at, dy: "0.32em", "text-anchor": "end" },
          y.label ? y.label(tick) : tickLabel(tick, yTicks[1] - yTicks[0]),
        ),
      );
    }
    const xTicks =
      x.ticks || (x.log ? logTicks(x.low, x.high) : ticks(x.low, x.high, (box.right - box.left) / 90));
    for (const tick of xTicks) {
      const at = x.scale(tick);
      group.append(svg("line", { class: "axis", x1: at, x2: at, y1: box.bottom, y2: box.bottom + 4 }));
      group.append(
        svg(
          "text",
          { class: "tick", x: at, y: box.bottom + 16, "text-anchor": "middle" },
          x.label ? x.label(tick) : tickLabel(tick, xTicks[1] - xTicks[0]),
        ),
      );
    }
    group.append(svg("line", { class: "axis", x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom }));
    group.append(
      svg(
        "text",
        { class: "axis-name", x: (box.left + box.right) / 2, y: box.bottom + 34, "text-anchor": "middle" },
        x.name,
      ),
    );
    group.append(svg("text", { class: "axis-name", x: 0, y: box.top - 10 }, y.name));
    return group;
  }

  const canvas = document.createElement("canvas").getContext("2d");
  const fontFamily = "system-ui, sans-serif";

  // The beginning of a text that fits into a width, with an ellipsis if it was cut.
  function fit(text, width, size) {
    canvas.font = `${size}px ${fontFamily}`;
    const start = [...text.slice(0, 400)];
    const all = start.join("");
    if (all.length === text.length && canvas.measureText(all).width <= width) return text;
    let low = 0,
      high = start.length;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (canvas.measureText(`${start.slice(0, middle).join("")}…`).width <= width) low = middle;
      else high = middle - 1;
    }
    return low === 0 ? "" : `${start.slice(0, low).join("")}…`;
  }

  const path = (points) =>
    points.map(([x, y], i) => `${i === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

  Object.assign(report, { scale, axes, fit, path });
})((window.report ??= {}));
