// The control for the order of words: by probability, or by relevance with λ.
(function (report) {
  "use strict";
  const { el, state } = report;

  // The range answers to every move, the words follow once a frame.
  let pending = false;
  function later(byRelevance, lambda) {
    state.byRelevance = byRelevance;
    state.lambda = lambda;
    if (pending) return;
    pending = true;
    requestAnimationFrame(() => {
      pending = false;
      state.changed("order");
    });
  }

  function control(host, name) {
    const radio = (byRelevance, text) => {
      const input = el("input", {
        type: "radio",
        name,
        value: byRelevance ? "relevance" : "probability",
        change: () => later(byRelevance, state.lambda),
      });
      return [input, el("label", null, input, text)];
    };
    const [probability, first] = radio(false, "probability");
    const [relevance, second] = radio(true, "relevance");
    const range = el("input", {
      type: "range",
      min: 0,
      max: 1,
      step: 0.01,
      "aria-label": "λ: 1 is probability alone, 0 is how much more frequent a word is here than elsewhere",
    });
    range.addEventListener("input", () => later(true, Number(range.value)));
    const shown = el("output", null);
    const refresh = () => {
      probability.checked = !state.byRelevance;
      relevance.checked = state.byRelevance;
      range.value = state.lambda;
      shown.textContent = `λ = ${state.lambda.toFixed(2)}`;
      slider.classList.toggle("idle", !state.byRelevance);
    };
    const slider = el("label", { class: "slider" }, range, shown);
    host.append(el("fieldset", { class: "order" }, el("legend", null, "Words by"), first, second, slider));
    state.on("order", refresh);
    refresh();
  }

  report.orderControl = control;
})((window.report ??= {}));
