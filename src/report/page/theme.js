// Light or dark: as the system has it, until the reader switches.
(function (report) {
  "use strict";

  function start() {
    const root = document.documentElement;
    report.byId("theme").addEventListener("click", () => {
      const dark = root.dataset.theme
        ? root.dataset.theme === "dark"
        : matchMedia("(prefers-color-scheme: dark)").matches;
      root.dataset.theme = dark ? "light" : "dark";
    });
  }

  report.theme = { start };
})((window.report ??= {}));
