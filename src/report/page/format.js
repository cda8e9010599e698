// Numbers as people read them: thin spaces between thousands, a true minus sign, a dash for what is missing.
(function (report) {
  "use strict";

  const MISSING = "–";
  const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

  function grouped(text) {
    const [whole, fraction] = text.replace("-", "\u2212").split(".");
    const spaced = whole.replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
    return fraction === undefined ? spaced : `${spaced}.${fraction}`;
  }

  const fixed = (value, digits) => (isNumber(value) ? grouped(value.toFixed(digits)) : MISSING);
  const count = (value) => fixed(value, 0);

  // About three digits that matter, and no exponent unless the number is tiny or huge.
  function short(value) {
    if (!isNumber(value)) return MISSING;
    const size = Math.abs(value);
    if (size === 0) return "0";
    if (size < 1e-4 || size >= 1e12) return value.toExponential(2).replaceAll("-", "\u2212");
    return fixed(value, Math.max(0, 2 - Math.floor(Math.log10(size))));
  }

  function percent(share) {
    if (!isNumber(share)) return MISSING;
    if (share > 0 && share < 0.0001) return "<\u202f0.01\u00a0%";
    return `${fixed(share * 100, share < 0.1 ? 2 : 1)}\u00a0%`;
  }

  function seconds(value) {
    if (!isNumber(value)) return MISSING;
    return value < 1 ? `${short(value * 1000)}\u00a0ms` : `${short(value)}\u00a0s`;
  }

  report.isNumber = isNumber;
  report.format = { count, fixed, short, percent, seconds };
})((window.report ??= {}));
