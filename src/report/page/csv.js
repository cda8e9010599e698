// Writes and reads comma-separated values (RFC 4180). A text that a spreadsheet would run as a formula has an apostrophe before it.
(function (report) {
  "use strict";

  const FORMULA = /^'*[=+\-@\t\r]/;
  const isNumber = (text) => /^[+-]?[\d.]+(e[+-]?\d+)?$/i.test(text) && Number.isFinite(Number(text));
  const defused = (text) => (FORMULA.test(text) && !isNumber(text) ? `'${text}` : text);
  const asItWas = (text) => (text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text);

  function cell(value) {
    const text = value === null || value === undefined ? "" : defused(String(value));
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  }

  const write = (rows) => rows.map((row) => row.map(cell).join(",") + "\n").join("");

  function read(text) {
    const rows = [];
    let row = [],
      value = "",
      quoted = false;
    const endCell = () => {
      row.push(asItWas(value));
      value = "";
    };
    const endRow = () => {
      endCell();
      rows.push(row);
      row = [];
    };
    const source = text.replace(/^\ufeff/, "");
    for (let i = 0; i < source.length; i += 1) {
      const c = source[i];
      if (quoted && c === '"' && source[i + 1] === '"') {
        value += c;
        i += 1;
      } else if (c === '"') quoted = !quoted;
      else if (quoted) value += c;
      else if (c === ",") endCell();
      else if (c === "\n") endRow();
      else if (c !== "\r") value += c;
    }
    if (value !== "" || row.length > 0) endRow();
    return rows;
  }

  report.csv = { write, read };
})((window.report ??= {}));
