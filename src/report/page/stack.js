// Shares of topics in groups: areas over numbers, bars for names.
(function (report) {
  "use strict";
  const { svg, el, format, fit } = report;
  const ROW = 24;

  function legend(layers, width, top) {
    const group = svg("g", { class: "legend" });
    const columns = width > 420 ? 2 : 1;
    layers.forEach((layer, i) => {
      const x = (i % columns) * (width / columns),
        y = top + Math.floor(i / columns) * 18;
      group.append(svg("rect", { class: `area ${layer.class}`, x, y, width: 12, height: 12 }));
      group.append(
        svg("text", { class: "tick", x: x + 18, y: y + 10 }, fit(layer.name, width / columns - 26, 12)),
      );
    });
    return group;
  }

  const legendHeight = (layers, width) => Math.ceil(layers.length / (width > 420 ? 2 : 1)) * 18 + 12;

  // layers: [{ number, text, name, class, shares }], from the bottom up; xs: the numbers.
  function stackedAreas(name, axis, xs, layers, width) {
    const below = legendHeight(layers, width);
    const height = 270 + below;
    const plot = report.drawing(width, height, name);
    const box = { left: 46, right: width - 18, top: 30, bottom: 226 };
    const x = { ...axis, low: xs[0], high: xs[xs.length - 1] };
    x.scale = report.scale(x.low, x.high, [box.left, box.right]);
    const y = {
      name: "share of tokens",
      low: 0,
      high: 1,
      label: (share) => `${Math.round(share * 100)}\u00a0%`,
      scale: report.scale(0, 1, [box.bottom, box.top]),
    };
    plot.append(report.axes(box, x, y), legend(layers, width, height - below + 6));
    let floor = xs.map(() => 0);
    for (const layer of layers) {
      const roof = floor.map((share, i) => Math.min(1, share + layer.shares[i]));
      const edge = (shares) => xs.map((value, i) => [x.scale(value), y.scale(shares[i])]);
      plot.append(
        svg(
          "path",
          { class: `area ${layer.class}`, d: `${report.path([...edge(roof), ...edge(floor).reverse()])}Z` },
          svg("title", null, layer.name),
        ),
      );
      floor = roof;
    }
    return plot;
  }

  // One bar a group; bars of several layers are stacked and span the whole width.
  function bars(name, groups, layers, width) {
    const stacked = layers.length > 1;
    const below = stacked ? legendHeight(layers, width) : 8;
    const height = groups.length * ROW + below;
    const plot = report.drawing(width, height, name);
    const left = Math.min(150, width * 0.34),
      right = width - (stacked ? 2 : 62);
    const most = stacked ? 1 : Math.max(1e-9, ...layers[0].shares);
    groups.forEach((group, i) => {
      const y = i * ROW;
      let at = left;
      plot.append(
        svg(
          "text",
          { class: "word-name", x: left - 8, y: y + 12, dy: "0.34em", "text-anchor": "end" },
          fit(group, left - 10, 13),
        ),
      );
      for (const layer of layers) {
        const wide = (layer.shares[i] / most) * (right - left);
        plot.append(
          svg(
            "rect",
            { class: `area ${layer.class}`, x: at, y: y + 4, width: Math.max(0, wide), height: ROW - 8 },
            svg("title", null, `${layer.name}: ${format.percent(layer.shares[i])}`),
          ),
        );
        at += wide;
      }
      if (!stacked)
        plot.append(
          svg(
            "text",
            { class: "tick", x: at + 6, y: y + 12, dy: "0.34em" },
            format.percent(layers[0].shares[i]),
          ),
        );
    });
    if (stacked) plot.append(legend(layers, width, height - below + 8));
    return plot;
  }

  // The same shares as a table.
  function shareTable(table, corner, groups, tokens, layers) {
    const head = el(
      "tr",
      null,
      el("th", { scope: "col" }, report.word(corner)),
      el("th", { scope: "col", class: "number" }, "tokens"),
      ...layers.map((layer) =>
        el("th", { scope: "col", class: "number" }, layer.number, report.word(layer.text)),
      ),
    );
    const body = groups.map((group, i) =>
      el(
        "tr",
        null,
        el("th", { scope: "row" }, report.word(group)),
        el("td", { class: "number" }, format.count(tokens[i])),
        ...layers.map((layer) => el("td", { class: "number" }, format.percent(layer.shares[i]))),
      ),
    );
    table.replaceChildren(el("thead", null, head), el("tbody", null, ...body));
  }

  Object.assign(report, { stackedAreas, shareBars: bars, shareTable });
})((window.report ??= {}));
