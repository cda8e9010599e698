// Names for topics, automatic ones and the reader's: these are kept in the browser under a key made of the run, exported and imported as CSV.
(function (report) {
  "use strict";
  const { data, state, byId } = report;

  // FNV-1a, 32 bits: another run with the same name gets another key.
  function digest(text) {
    let hash = 0x811c9dc5;
    for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
    return (hash >>> 0).toString(16);
  }

  const run = data.runs[0];
  const sizes = data.topics.map((topic) => `${topic.topic}:${topic.tokens}`).join(" ");
  const key = `hdp-gpu labels ${run.name} ${digest(`${run.command}\n${sizes}`)}`;
  const labels = load();

  // A browser may refuse storage to a page from a file; labels then last as long as the page.
  function load() {
    try {
      const stored = JSON.parse(localStorage.getItem(key) || "[]");
      return new Map(
        stored.filter(([topic, label]) => report.topicByNumber(topic) && typeof label === "string"),
      );
    } catch {
      return new Map();
    }
  }

  function save() {
    try {
      localStorage.setItem(key, JSON.stringify([...labels]));
    } catch {
      byId("labels-status").textContent =
        "This browser does not keep labels of a page from a file: export them before you leave.";
    }
  }

  function setAll(pairs) {
    for (const [topic, label] of pairs) {
      if (label === "") labels.delete(topic);
      else labels.set(topic, label);
    }
    save();
    state.changed("labels");
  }

  const get = (topic) => labels.get(topic.topic) || "";
  // The label that a topic has without the reader: its most relevant words.
  const automatic = (topic) => (topic.label || []).map((v) => data.words[v]).join(" ");
  const name = (topic) => get(topic) || automatic(topic);
  // The same as text nodes; a word of the corpus may be very long, or run from right to left.
  function nodes(topic) {
    if (get(topic)) return [report.word(get(topic))];
    return (topic.label || []).flatMap((v, i) => [i > 0 ? " " : "", report.word(data.words[v])]);
  }

  // A field to edit the label of a topic in.
  function field(topic) {
    const input = report.el("input", {
      class: "label",
      type: "text",
      dir: "auto",
      placeholder: automatic(topic) || "label",
      "aria-label": `Label of topic ${topic.topic}`,
      input: (event) => setAll([[topic.topic, event.target.value.trim()]]),
    });
    input.value = get(topic);
    input.refresh = () => {
      if (document.activeElement !== input) input.value = get(topic);
    };
    return input;
  }

  const exportText = () =>
    report.csv.write([
      ["topic", "label"],
      ...data.topics.filter(get).map((topic) => [topic.topic, get(topic)]),
    ]);

  async function importFile(file) {
    const rows = report.csv.read(await file.text());
    const pairs = rows
      .filter(([topic]) => /^\d+$/.test(topic) && report.topicByNumber(Number(topic)))
      .map(([topic, label]) => [Number(topic), (label || "").trim()]);
    setAll(pairs);
    byId("labels-status").textContent = `${pairs.length} labels read.`;
  }

  function start() {
    byId("labels-export").addEventListener("click", () =>
      report.download(report.fileName("labels.csv"), "text/csv", exportText()),
    );
    const file = byId("labels-file");
    byId("labels-import").addEventListener("click", () => file.click());
    file.addEventListener("change", async () => {
      if (file.files.length > 0) await importFile(file.files[0]);
      file.value = "";
    });
  }

  report.labels = { get, name, nodes, field, exportText, start };
})((window.report ??= {}));
