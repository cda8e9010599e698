// The topics that several runs have found: which all of them have, and which only some.
(function (report) {
  "use strict";
  const { el, word, data, format, byId } = report;
  const FIRST = 50;
  const view = { onlySome: false, all: false };

  const runsOf = (topic) => topic.found.filter(Boolean).length;
  const words = (topic) => topic.label.flatMap((one, i) => [i > 0 ? " " : "", word(one)]);

  function sentence() {
    const { runs, topics } = data.matching;
    const everywhere = topics.filter((topic) => runsOf(topic) === runs.length).length;
    const once = topics.filter((topic) => runsOf(topic) === 1).length;
    const all = runs.length === 2 ? "both runs" : `all ${runs.length} runs`;
    const parts = [`${everywhere} of ${topics.length} topics are found by ${all}`];
    if (runs.length > 2) parts.push(`${topics.length - everywhere - once} by some of them`);
    parts.push(`${once} by one alone`);
    return `${parts.slice(0, -1).join(", ")} and ${parts[parts.length - 1]}.`;
  }

  // The number of a topic in a run; those of the first run lead to its page.
  function cell(found, i) {
    if (!found) return el("td", { class: "number missing" }, "–");
    const [number, share, cosine] = found;
    const shown = i === 0 ? el("a", { href: `#topic-${number}` }, String(number)) : String(number);
    const title = i === 0 ? null : `cosine ${format.fixed(cosine, 2)}`;
    return el("td", { class: "number", title }, shown, " ", el("span", { class: "note" }, format.percent(share)));
  }

  const row = (topic) =>
    el(
      "tr",
      null,
      el("th", { scope: "row" }, ...words(topic)),
      el("td", { class: "number" }, `${runsOf(topic)} of ${data.matching.runs.length}`),
      ...topic.found.map(cell),
    );

  function render() {
    const { runs, topics } = data.matching;
    const wanted = view.onlySome ? topics.filter((topic) => runsOf(topic) < runs.length) : topics;
    const shown = view.all ? wanted : wanted.slice(0, FIRST);
    byId("found-table").tBodies[0].replaceChildren(...shown.map(row));
    byId("found-more").hidden = shown.length === wanted.length;
  }

  function start() {
    if (!data.matching) return;
    byId("found").hidden = false;
    byId("found-link").hidden = false;
    byId("found-sentence").textContent = sentence();
    const head = (name, i) => el("th", { scope: "col", class: i > 0 ? "number" : null }, name);
    const names = data.matching.runs.map((place) => word(data.runs[place].name));
    byId("found-table").append(
      el("thead", null, el("tr", null, ...["Topic", "Found by", ...names].map(head))),
      el("tbody"),
    );
    byId("found-some").addEventListener("change", (event) => {
      view.onlySome = event.target.checked;
      render();
    });
    byId("found-more").addEventListener("click", () => {
      view.all = true;
      render();
    });
    render();
  }

  report.found = { start };
})((window.report ??= {}));
