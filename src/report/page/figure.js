// A figure: a title, a line for values under the pointer, a drawing that follows the width, and its export as SVG.
(function (report) {
  "use strict";
  const { el, svg } = report;

  const EXPORTED = [
    "fill",
    "fill-opacity",
    "stroke",
    "stroke-width",
    "stroke-opacity",
    "stroke-dasharray",
    "stroke-linejoin",
    "paint-order",
    "opacity",
    "font-family",
    "font-size",
    "font-weight",
    "text-anchor",
    "display",
    "visibility",
  ];

  // The drawing alone, in light colours on white, with every style written into its nodes.
  function exportText(drawing) {
    const root = document.documentElement;
    const theme = root.dataset.theme;
    root.dataset.theme = "light";
    const alone = drawing.cloneNode(true);
    const nodes = drawing.querySelectorAll("*"),
      copies = alone.querySelectorAll("*");
    nodes.forEach((node, i) => {
      const style = getComputedStyle(node);
      copies[i].setAttribute(
        "style",
        EXPORTED.map((name) => `${name}:${style.getPropertyValue(name)}`).join(";"),
      );
      for (const name of ["class", "tabindex", "role", "aria-pressed"]) copies[i].removeAttribute(name);
    });
    if (theme === undefined) delete root.dataset.theme;
    else root.dataset.theme = theme;
    alone.querySelectorAll('[style*="display:none"]').forEach((node) => node.remove());
    const [, , width, height] = drawing.getAttribute("viewBox").split(" ");
    for (const name of ["class", "tabindex", "role", "style"]) alone.removeAttribute(name);
    alone.setAttribute("width", width);
    alone.setAttribute("height", height);
    alone.prepend(svg("rect", { width, height, fill: "#ffffff" }));
    return new XMLSerializer().serializeToString(alone);
  }

  // `draw(width)` returns an <svg>; it is called again when the width changes.
  function figure(name, draw) {
    const title = el("span", { class: "figure-title" });
    const readout = el("span", { class: "readout", "aria-live": "polite" });
    const save = report.button(
      "SVG",
      () => {
        const drawing = canvas.querySelector("svg");
        if (drawing) report.download(report.fileName(`${name}.svg`), "image/svg+xml", exportText(drawing));
      },
      { class: "quiet", "aria-label": `Save ${name} as SVG`, title: "Save as SVG" },
    );
    const canvas = el("div", { class: "canvas" });
    const tools = el("span", { class: "tools" }, save);
    const node = el(
      "figure",
      { class: "plot", id: `plot-${name}` },
      el("figcaption", null, title, tools),
      readout,
      canvas,
    );
    let width = 0;
    const redraw = () => {
      width = canvas.clientWidth || 480;
      canvas.replaceChildren(draw(width));
    };
    new ResizeObserver(() => {
      if (canvas.clientWidth > 0 && Math.abs(canvas.clientWidth - width) > 1) redraw();
    }).observe(canvas);
    return { node, title, readout, tools, redraw };
  }

  // An empty drawing of a size; text inside is read as its name.
  const drawing = (width, height, name, attributes) =>
    svg("svg", {
      viewBox: `0 0 ${width} ${height}`,
      width: "100%",
      role: "img",
      "aria-label": name,
      ...attributes,
    });

  Object.assign(report, { figure, drawing, exportText });
})((window.report ??= {}));
