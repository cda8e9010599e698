// Makes nodes, copies and downloads. Text from the data only ever becomes text nodes, never markup.
(function (report) {
  "use strict";

  const byId = (id) => document.getElementById(id);

  function fill(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) {
      if (typeof value === "function") node.addEventListener(name, value);
      else if (value === true) node.setAttribute(name, "");
      else if (value !== false && value !== null && value !== undefined)
        node.setAttribute(name, String(value));
    }
    node.append(...children.filter((child) => child !== null && child !== undefined));
    return node;
  }

  const el = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);
  const svg = (name, attributes, ...children) =>
    fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
  // Untrusted text: its direction stays its own, and a long one is cut by the style.
  const word = (text, className = "word") => el("bdi", { class: className, dir: "auto" }, text);
  const backgroundMark = () => el("span", { class: "background" }, "background");
  const button = (text, click, attributes) => el("button", { type: "button", click, ...attributes }, text);

  function download(name, type, text) {
    const address = URL.createObjectURL(new Blob([text], { type }));
    el("a", { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  }

  // The older way works where a page from a file may not use the clipboard.
  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = el("textarea", { class: "hidden-text" });
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
  }

  // Copies on a click, and says so on the button for a moment.
  function copyOnClick(target, text) {
    const caption = target.textContent;
    target.addEventListener("click", async () => {
      await copy(text());
      target.textContent = "Copied";
      setTimeout(() => {
        target.textContent = caption;
      }, 1500);
    });
  }

  // A name for a file, made of the run's name.
  const fileName = (rest) =>
    `${report.data.runs[0].name.replace(/[^\p{L}\p{N}._-]+/gu, "-").slice(0, 60)}-${rest}`;

  Object.assign(report, { byId, el, svg, word, backgroundMark, button, download, copyOnClick, fileName });
})((window.report ??= {}));
