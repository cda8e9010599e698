// Starts every part of the page, and says when it is ready.
(function (report) {
  "use strict";

  report.theme.start();
  report.card.start();
  if (report.data.topics.length > 0) {
    report.labels.start();
    report.map.start();
    report.topic.start();
    report.search.start();
    report.table.start();
    report.groups.start();
    report.found.start();
    report.quantiles.start();
  } else {
    for (const id of ["topics", "table", "quantiles"])
      report.byId(id).replaceChildren(report.el("p", { class: "note" }, "The run has no topics."));
  }
  report.traces.start();
  performance.mark("ready");
  document.documentElement.dataset.ready = "true";
})((window.report ??= {}));
