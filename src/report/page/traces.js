// The traces of the runs: log-likelihood, active topics, tokens by rank, time; and their diagnostics.
(function (report) {
  "use strict";
  const { el, data, format } = report;

  // The mean over runs at every x that all of them have.
  function meanSeries(all) {
    const maps = all.map((series) => new Map(series.x.map((x, i) => [x, series.y[i]])));
    const x = all[0].x.filter((value) => maps.every((map) => report.isNumber(map.get(value))));
    return {
      name: "mean",
      x,
      y: x.map((value) => maps.reduce((sum, map) => sum + map.get(value), 0) / maps.length),
    };
  }

  // One run: its line. Several: each faint, their mean opaque.
  function overlaid(all) {
    const present = all.filter((series) => series.x.length > 0);
    if (present.length < 2) return present.map((series) => ({ ...series, class: "c0" }));
    return [
      ...present.map((series) => ({ ...series, class: "c0", faint: true })),
      { ...meanSeries(present), class: "c0" },
    ];
  }

  const column = (part, name) =>
    overlaid(
      data.runs.map((run) => ({
        name: run.name,
        x: run[part]?.iteration || [],
        y: run[part]?.[name] || [],
      })),
    );

  const ranked = (entry) => ({
    name: `iteration ${format.count(entry.iteration)}`,
    x: entry.tokens.map((_, i) => i + 1),
    y: entry.tokens,
  });

  function rankSeries() {
    if (data.runs.length > 1)
      return overlaid(data.runs.flatMap((run) => (run.ranks || []).slice(-1)).map(ranked));
    const entries = data.runs[0].ranks || [];
    return entries.map((entry, i) => ({
      ...ranked(entry),
      short: i === 0 ? undefined : format.count(entry.iteration),
      class: i === entries.length - 1 ? "c0" : `early${entries.length - 1 - i}`,
    }));
  }

  // Powers of a thousand go into the axis' name, so that its labels stay short.
  function scaled(name, series) {
    const largest = Math.max(1, ...series.flatMap((one) => one.y.map((y) => Math.abs(y) || 0)));
    const power = Math.max(0, Math.floor(Math.log10(largest) / 3) * 3);
    const exponent = [...String(power)].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]).join("");
    const digits = (tick) => String(Number((tick / 10 ** power).toPrecision(6))).replace("-", "\u2212");
    return {
      name: power > 0 ? `${name} (× 10${exponent})` : name,
      label: power > 0 ? digits : undefined,
      padded: true,
      read: format.count,
    };
  }

  const iteration = { name: "iteration", read: format.count };

  function likelihood(name) {
    const series = column("trace", name);
    return {
      name: "How well the topics explain the words",
      note:
        "The log-likelihood of words and topics after each pass. It may fall in the first ones, while α and γ are learned; " +
        "then it rises until the run has settled.",
      x: iteration,
      y: scaled("log-likelihood", series),
      series,
    };
  }

  function topics() {
    return {
      name: "Topics that are in use",
      note: "Active topics: those that have tokens, the smallest included.",
      x: iteration,
      y: { name: "topics with tokens", zero: true, read: (n) => format.short(n) },
      series: column("trace", "active_topics"),
    };
  }

  // A concentration that is learned moves; one that is fixed has no plot.
  const moves = (name) =>
    data.runs.some((run) => {
      const values = (run.trace?.[name] || []).filter(report.isNumber);
      return values.some((value) => value !== values[0]);
    });

  function concentration(name, letter, meaning) {
    return {
      name: meaning,
      note: `The concentration ${letter}, as it is learned.`,
      x: iteration,
      y: { name: letter, zero: true, read: (value) => format.short(value) },
      series: column("trace", name),
    };
  }

  function ranks() {
    return {
      name: "Large and small topics",
      note: "Tokens per topic, by rank; both scales are logarithmic.",
      legend: true,
      series: rankSeries(),
      x: {
        name: "topic, by rank",
        short: "rank",
        log: true,
        label: (rank) => (rank < 1 ? "" : format.count(rank)),
      },
      y: { name: "tokens", log: true, read: format.count },
    };
  }

  function timing() {
    return {
      name: "Time for each pass",
      note: "Seconds per iteration.",
      x: iteration,
      series: column("timing", "seconds"),
      empty: "No times were recorded.",
      y: { name: "seconds", zero: true, read: format.seconds },
    };
  }

  function plot(id, make) {
    const figure = report.figure(id, (width) => report.linePlot(make(), width, figure.readout));
    figure.title.textContent = make().name;
    figure.node.append(el("p", { class: "technical" }, make().note));
    report.byId("trace-plots").append(figure.node);
    figure.redraw();
    return figure;
  }

  // The likelihood of the HDP, or that of LDA given Ψ, which other programs print.
  function likelihoodPlot() {
    const choice = el(
      "select",
      { "aria-label": "Which log-likelihood", class: "small" },
      el("option", { value: "log_likelihood" }, "model"),
      el("option", { value: "log_likelihood_lda" }, "as LDA"),
    );
    const figure = plot("log-likelihood", () => likelihood(choice.value));
    if (!data.runs.some((run) => (run.trace?.log_likelihood_lda || []).some(report.isNumber))) return;
    choice.addEventListener("change", figure.redraw);
    figure.tools.prepend(choice);
  }

  function diagnostics() {
    const rows = data.diagnostics || [];
    report.byId("technical").hidden = rows.length === 0;
    if (rows.length === 0) return;
    const head = el(
      "tr",
      null,
      ...["Trace", "R-hat", "Effective sample size"].map((name, i) =>
        el("th", { scope: "col", class: i > 0 ? "number" : null }, name),
      ),
    );
    const body = rows.map((row) =>
      el(
        "tr",
        null,
        el("th", { scope: "row" }, row.trace),
        el("td", { class: "number" }, format.fixed(row.rhat, 3)),
        el("td", { class: "number" }, format.fixed(row.ess, 1)),
      ),
    );
    report
      .byId("diagnostics")
      .append(el("table", { class: "small-table" }, el("thead", null, head), el("tbody", null, ...body)));
  }

  function start() {
    report
      .byId("settled")
      .append(...(data.settled || []).map((sentence) => el("p", { class: "settled" }, sentence)));
    likelihoodPlot();
    plot("active-topics", topics);
    for (const [name, letter, meaning] of [
      ["alpha", "α", "How many topics a document mixes"],
      ["beta", "β", "How many words a topic uses"],
      ["gamma", "γ", "How readily there are more topics"],
    ])
      if (moves(name)) plot(name, () => concentration(name, letter, meaning));
    plot("tokens-per-topic", ranks);
    plot("time", timing);
    diagnostics();
    if (data.runs.length > 1)
      report
        .byId("settled")
        .append(
          el(
            "p",
            { class: "note" },
            "Faint lines are the runs, the full line is their mean. Topics above are those of the first run.",
          ),
        );
  }

  report.traces = { start };
})((window.report ??= {}));
