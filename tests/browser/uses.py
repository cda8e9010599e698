"""What a reader does with a report: each check takes a browser with the page open, and the page's path."""

import re
from pathlib import Path

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys


def numbers(browser):
    """The topics' numbers in the data, largest first."""
    return browser.js("return report.data.topics.map((topic) => topic.topic)")


def main_numbers(browser):
    """Those that the table does not fold, largest first."""
    return browser.js("return report.mainTopics('size').map((topic) => topic.topic)")


def rows(browser):
    """The topics' numbers in the table as it is shown."""
    return [int(text) for text in browser.texts("#topic-table tbody tr > td:nth-child(2)")]


def check_beginning(browser, page):
    """The page begins with the topics; how the run went and its settings come last."""
    sections = browser.js("return [...document.querySelectorAll('main > section')].map((one) => one.id)")
    assert sections == ["run", "topics", "table", "groups", "found", "quantiles", "traces", "settings"]
    first = browser.js("return (report.data.topics.find((it) => !it.background) || report.data.topics[0]).topic")
    assert browser.text("#topic-title") == f"Topic {first}"
    links = browser.texts(".bar nav a:not([hidden])")
    assert links[0] == "Topics" and links[-2:] == ["How the run went", "Settings"], links
    assert len(browser.texts("#trace-plots .technical")) == len(browser.texts("#trace-plots figure"))


def check_click(browser, page):
    """A click on a circle or a number shows its topic, the address names it, and one can go back."""
    first, last = numbers(browser)[0], numbers(browser)[-1]
    browser.js(
        "document.querySelector(arguments[0]).dispatchEvent(new MouseEvent('click'))",
        f'[data-topic="{last}"]',
    )
    assert browser.text("#topic-title") == f"Topic {last}"
    assert browser.js("return location.hash") == f"#topic-{last}"
    browser.find("#topic-table tbody tr a").click()
    assert browser.text("#topic-title") == f"Topic {first}"
    browser.js("history.back()")
    browser.wait(lambda: browser.text("#topic-title") == f"Topic {last}", "going back shows the topic before")


def check_address(browser, page):
    """An address with a topic opens it."""
    topic = numbers(browser)[len(numbers(browser)) // 2]
    browser.open(page, f"#topic-{topic}")
    assert browser.text("#topic-title") == f"Topic {topic}"


def check_keyboard(browser, page):
    """Arrow keys go round the map, Enter chooses; the plots are read with arrow keys."""
    chosen = browser.js("""const circle = document.querySelector('circle.topic[tabindex="0"]');
        circle.focus(); return Number(circle.dataset.topic)""")
    if len(numbers(browser)) > 1:
        for key in (Keys.ARROW_RIGHT, Keys.ARROW_LEFT, Keys.ARROW_UP, Keys.ARROW_DOWN):
            ActionChains(browser.driver).send_keys(key).perform()
            focused = browser.js("return Number(document.activeElement.dataset.topic)")
            if focused != chosen:
                break
        assert focused != chosen
        ActionChains(browser.driver).send_keys(Keys.ENTER).perform()
        assert browser.text("#topic-title") == f"Topic {focused}"
    browser.js("document.querySelector('#plot-log-likelihood svg').focus()")
    ActionChains(browser.driver).send_keys(Keys.HOME).perform()
    start = browser.text("#plot-log-likelihood .readout")
    ActionChains(browser.driver).send_keys(Keys.END).perform()
    assert start != browser.text("#plot-log-likelihood .readout") != ""


def check_slider(browser, page):
    """The slider goes over to relevance and changes words in the panel and the table, by the formula."""
    browser.find("#table-order input[value=probability]").click()
    words = lambda: browser.texts("#topic-table tbody .cell-words")
    bars = lambda: browser.texts("#plot-words .word-name")
    before, before_bars = words(), bars()
    browser.enter("#table-order input[type=range]", 0)
    browser.wait(lambda: words() != before, "words change with the slider")
    assert browser.js("return document.querySelector('#topic input[value=relevance]').checked")
    # At λ = 0 the first word is the one with the largest lift.
    best = browser.js("""const { words, word_tokens, beta } = report.data;
        const lift = ([v, n]) => Math.log((n + beta) / word_tokens[v]);
        const order = (a, b) => lift(b) - lift(a) || b[1] - a[1] || a[0] - b[0];
        return words[[...report.state.topic.words].sort(order)[0][0]]""")
    assert best.startswith(bars()[0].removesuffix("…")), (best, bars()[0])
    browser.find("#table-order input[value=probability]").click()
    browser.wait(lambda: words() == before and bars() == before_bars, "probability brings the words back")


def check_search(browser, page):
    """A word is found in the topic that has most of it, with its tokens, and the map shows where it is."""
    word, topic, tokens = browser.js("""const { words, search } = report.data;
        const at = words.findIndex((word, i) => search[i].length > 0 && word.length < 30 && !/\\s/.test(word))
        return [words[at], search[at][0], search[at][1]]""")
    browser.enter("#search", word)
    assert word in browser.text("#search-results p")
    found = browser.texts("#search-results tbody tr:first-child :is(b, .number)")
    assert [found[0], re.sub(r"\D", "", found[1])] == [str(topic), str(tokens)], (word, found)
    fullness = browser.js("""return Object.fromEntries([...document.querySelectorAll("circle.topic")].map(
        (circle) => [circle.dataset.topic, Number(circle.style.fillOpacity)]))""")
    assert fullness[str(topic)] == max(fullness.values()) >= 0.3
    browser.enter("#search", "no such word at all")
    assert "No such word" in browser.text("#search-results")
    browser.enter("#search", "")
    assert browser.texts("#search-results *") == []


def check_labels(browser, page):
    """A typed label is in the export and the panel of the next visit; an imported one is in the table."""
    topic = numbers(browser)[0]
    label = 'Trade, "ships" <b>& sea</b>'
    field = browser.find(f'#topic-table tr[data-topic="{topic}"] input.label')
    field.clear()
    field.send_keys(label)
    quoted = label.replace('"', '""')
    assert browser.saved("#labels-export")[1] == f'topic,label\n{topic},"{quoted}"\n'
    browser.open(page, f"#topic-{topic}", stored=browser.js("return {...localStorage}"))
    assert browser.js("return document.querySelector('.topic-head input').value") == label
    upload = Path(browser.folder.name) / "import.csv"
    upload.write_text(f'topic,label\n{topic},"a, b"\n99999999,nobody\n', encoding="utf-8")
    browser.driver.find_element("id", "labels-file").send_keys(str(upload))
    browser.wait(lambda: browser.text("#labels-status") == "1 labels read.", "labels are imported")
    assert browser.js("return document.querySelector('#topic-table input.label').value") == "a, b"
    browser.js("localStorage.clear()")
    browser.open(page)


def check_passages(browser, page):
    """A passage of text is the text itself, with the words of the topic marked in their places; a list of words has them one by one."""
    browser.open(page)
    for number in numbers(browser)[:6]:
        browser.open(page, f"#topic-{number}")
        passages = browser.js(
            "return report.topicByNumber(arguments[0]).docs.map((doc) => doc[2]).filter((it) => it.length > 0)", number
        )
        nodes = """[...document.querySelectorAll("#topic-documents .passage")]"""
        shown = browser.js(f"return {nodes}.map((node) => node.textContent)")
        marked = browser.js(f"return {nodes}.map((node) => [...node.querySelectorAll('mark')].map((it) => it.textContent))")
        assert len(shown) == len(passages)
        for text, marks, parts in zip(shown, marked, passages):
            if isinstance(parts[0], str):
                assert text == "".join(parts) and marks == parts[1::2], parts
            else:
                assert text == "".join(f"{word} " for word, _ in parts), parts
                assert marks == [word for word, in_topic in parts if in_topic], parts
        inside = f"return {nodes}.every((node) => node.scrollWidth <= node.clientWidth + 1)"
        assert browser.js(inside), f"a passage of topic {number} is wider than its place"


def check_table(browser, page):
    """Sorting, filtering, more rows, and CSV of what is shown."""
    shown = main_numbers(browser)
    count = len(shown)
    assert rows(browser) == shown[:100]
    assert browser.texts("#topic-table tbody td:first-child") == [str(i + 1) for i in range(min(count, 100))]
    browser.find('th[data-column="topic"] button').click()
    assert rows(browser) == sorted(shown)[:100]
    columns = "rank share documents words npmi umass exclusivity distinctiveness label tokens"
    for column in columns.split():
        browser.find(f'th[data-column="{column}"] button').click()
        assert browser.js(
            "return document.querySelector(arguments[0]).hasAttribute('aria-sort')",
            f'th[data-column="{column}"]',
        )
        assert len(rows(browser)) == min(count, 100)
    coherent = browser.js("return report.mainTopics('size').map((topic) => topic.npmi)")
    if any(value is not None for value in coherent):
        browser.find('th[data-column="npmi"] button').click()
        best = max(value for value in coherent if value is not None)
        assert rows(browser)[0] == shown[coherent.index(best)]
    browser.find('th[data-column="tokens"] button').click()
    if count > 100:
        browser.find("#more").click()
        assert rows(browser) == shown[:200]
    browser.find("#filter").send_keys(str(numbers(browser)[0]))
    assert numbers(browser)[0] in rows(browser)
    browser.find("#table-csv").click()
    table = browser.js("return report.csv.read(arguments[0])", browser.downloaded("topics.csv"))
    columns = "rank topic label words share tokens documents npmi umass exclusivity distinctiveness"
    assert table[0] == columns.split()
    assert [int(row[1]) for row in table[1:]][:200] == rows(browser)
    browser.find("#filter").clear()


def check_folded(browser, page):
    """Small topics are one line, which opens and closes; a filter finds them too, and the table as CSV has them."""
    browser.open(page)
    small = [topic for topic in numbers(browser) if topic not in main_numbers(browser)]
    assert browser.js("return document.getElementById('folded').hidden") == (small == [])
    if not small:
        return
    topics = "1 small topic" if len(small) == 1 else f"{len(small)} small topics"
    assert browser.text("#folded-text").startswith(f"{topics} with fewer than "), small
    assert not set(small) & set(rows(browser))
    browser.find("#unfold").click()
    assert rows(browser) == numbers(browser)[:100]
    browser.find("#unfold").click()
    assert not set(small) & set(rows(browser))
    browser.find("#filter").send_keys(str(small[-1]))
    assert small[-1] in rows(browser)
    browser.enter("#filter", "")
    table = browser.js("return report.csv.read(arguments[0])", browser.saved("#table-csv")[1])
    assert [int(row[1]) for row in table[1:]] == numbers(browser)
    browser.open(page, f"#topic-{small[-1]}")
    assert browser.text("#topic-title") == f"Topic {small[-1]}"


def check_background(browser, page):
    """Topics that are everywhere are marked, and come last by distinctiveness, in the table and in the plots."""
    browser.open(page)
    marked = browser.js("return report.data.topics.filter((topic) => topic.background).map((topic) => topic.topic)")
    assert browser.js("return document.getElementById('background-note').hidden") == (marked == [])
    found = browser.js("""return [...document.querySelectorAll("#topic-table tr:has(.background)")].map(
        (row) => Number(row.dataset.topic))""")
    assert found == [topic for topic in rows(browser) if topic in marked]
    for topic in marked[:1]:
        browser.open(page, f"#topic-{topic}")
        assert browser.text(".topic-head .background") == "background"
    browser.enter("#topics-by", "distinctiveness", "change")
    distinct = browser.js("return report.mainTopics('distinctiveness').map((topic) => topic.topic)")
    assert rows(browser) == distinct[:100]
    if marked and len(distinct) > 20:
        assert not set(marked) & set(distinct[:10])
    if browser.js("return report.data.groups.length > 0"):
        assert str(distinct[0]) == browser.text("#plot-topics-by-group .legend text").split()[0]
    browser.enter("#topics-by", "size", "change")
    assert rows(browser) == main_numbers(browser)[:100]


def check_names(browser, page):
    """Every topic has a label of its own words, which stands wherever the reader has given none."""
    browser.open(page)
    topic = browser.js("return report.data.topics[0]")
    words = browser.js("return arguments[0].map((v) => report.data.words[v])", topic["label"])
    assert 1 <= len(words) <= 3
    field = f'#topic-table tr[data-topic="{topic["topic"]}"] input.label'
    assert browser.js("return document.querySelector(arguments[0]).placeholder", field) == re.sub(
        r"[\r\n]", "", " ".join(words)
    )
    # The browser may still have what the reader wrote on an earlier page.
    own = browser.js("return report.labels.get(report.data.topics[0])")
    assert browser.js("return report.labels.name(report.data.topics[0])") == (own or " ".join(words))
    near = browser.js("return report.data.topics.flatMap((topic) => topic.near)[0]")
    if near is not None:
        assert browser.texts("#near a .word") != []


def check_found(browser, page):
    """Topics of several runs are matched: a row each, with those that some runs lack alone at a wish."""
    browser.open(page)
    matching = browser.js("return report.data.matching")
    assert browser.js("return document.getElementById('found').hidden") == (matching is None)
    if matching is None:
        return
    runs = [sum(found is not None for found in topic["found"]) for topic in matching["topics"]]
    everywhere = sum(count == len(matching["runs"]) for count in runs)
    all_runs = "both runs" if len(matching["runs"]) == 2 else f"all {len(matching['runs'])} runs"
    start = f"{everywhere} of {len(runs)} topics are found by {all_runs}"
    assert browser.text("#found-sentence").startswith(start)
    shown = lambda: browser.texts("#found-table tbody td:nth-child(2)")
    assert shown() == [f"{count} of {len(matching['runs'])}" for count in runs][:50]
    browser.find("#found-some").click()
    assert len(shown()) == min(50, len(runs) - everywhere)
    browser.find("#found-some").click()
    number = matching["topics"][0]["found"][0][0]
    browser.find("#found-table tbody tr a").click()
    assert browser.text("#topic-title") == f"Topic {number}"


def check_cells(browser, page):
    """A text that a spreadsheet would run is written as text, and read back as it was."""
    texts = ["=1+1", "'=1", "@sum", "+1", "-2.5", "-a", "'tis", "\tx", "plain"]
    written = browser.js("return report.csv.write([arguments[0]])", texts)
    assert written.startswith("'=1+1,''=1,'@sum,+1,-2.5,'-a,'tis,'\tx,plain"), written
    assert browser.js("return report.csv.read(arguments[0])[0]", written) == texts


def check_hover(browser, page):
    """The pointer on a trace reads its value."""
    plot = browser.find("#plot-log-likelihood svg")

    def read():
        ActionChains(browser.driver).move_to_element(plot).perform()
        return re.match(r"iteration [\d\u202f]+\u2212?[\d\u202f]+$", browser.text("#plot-log-likelihood .readout"))

    browser.wait(read, "the value under the pointer is read")
    ActionChains(browser.driver).move_to_element(browser.find("h1")).perform()


def check_export(browser, page):
    """A saved plot stands alone: it is a whole SVG that carries its colours."""
    for name in browser.js("return [...document.querySelectorAll('figure.plot')].map((one) => one.id)"):
        file, text = browser.saved(f"#{name} .tools button")
        assert file.endswith(".svg"), file
        assert text.startswith("<svg") and "class=" not in text and "var(" not in text, name
        parsed = (
            "return new DOMParser().parseFromString(arguments[0], 'image/svg+xml').documentElement.tagName"
        )
        assert browser.js(parsed, text) == "svg", name
        assert "rgb(" in text, name


def check_theme(browser, page):
    """The button turns the page dark and light again, and the system's wish counts before it is used."""
    background = lambda: browser.js("return getComputedStyle(document.body).backgroundColor")
    light = background()
    browser.dark(True)
    dark = background()
    assert light != dark
    browser.find("#theme").click()
    assert background() == light
    browser.find("#theme").click()
    assert background() == dark
    browser.dark(False)
    browser.js("delete document.documentElement.dataset.theme")
    assert background() == light


def check_groups(browser, page):
    """Every column of the metadata can be chosen; without any the section is not there, and what makes none is told."""
    columns = browser.js("return report.data.groups.map((group) => group.column)")
    assert browser.js("return document.getElementById('groups').hidden") == (columns == [])
    told = "#group-notes" if columns else "#no-groups"
    for sentence in browser.js("return report.data.no_groups"):
        assert sentence in browser.text(told)
    for i in range(len(columns)):
        browser.enter("#group-column", i, "change")
        shapes = len(browser.texts("#plot-topics-by-group .area"))
        assert shapes >= min(len(numbers(browser)), 8)
        notes = browser.text("#group-notes")
        for sentence in browser.js("return report.data.groups[arguments[0]].notes", i):
            assert sentence in notes
        assert browser.js("return document.getElementById('group-order-field').hidden") == (
            browser.js("return report.data.groups[arguments[0]].kind", i) != "name"
        )


def kinds(browser, kind):
    """The places of the columns of a kind."""
    return browser.js(
        "return report.data.groups.flatMap((group, i) => (group.kind === arguments[0] ? [i] : []))", kind
    )


def check_heat(browser, page):
    """The heat map has a square for each cell, reads them with arrow keys, and its table has the same numbers."""
    browser.open(page)
    for column in kinds(browser, "name"):
        browser.enter("#group-column", column, "change")
        names = browser.js("return report.data.groups[arguments[0]].views[0].values", column)
        shown = lambda: browser.js("return document.querySelectorAll('#plot-heat-map .word-name').length")
        assert shown() == min(30, len(names))
        if len(names) > 30:
            assert f"30 of {len(names)} groups, the most distinctive first" in browser.text("#heat-status")
            browser.find("#heat-more").click()
            assert shown() == len(names)
            browser.find("#heat-more").click()
        columns = len(browser.texts("#plot-heat-map .tick"))
        assert len(browser.texts("#plot-heat-map rect.heat")) == columns * shown()
        browser.js("document.querySelector('#plot-heat-map svg').focus()")
        keys = ActionChains(browser.driver).send_keys(Keys.HOME)
        keys.send_keys(*[Keys.ARROW_UP] * 40, Keys.ARROW_DOWN, Keys.ARROW_RIGHT, Keys.ARROW_LEFT).perform()
        read = browser.texts("#plot-heat-map .readout bdi")
        assert read[0] == names[1], read
        browser.js("document.getElementById('heat-details').open = true")
        browser.wait(lambda: browser.texts("#heat-table tbody th")[:1] == names[:1], "the table is made")
        row = browser.texts("#heat-table tbody tr:nth-child(2) > *")
        assert row[0] == names[1] and row[3] == read[2], (row[:4], read)
        topic = int(browser.text("#heat-table thead th:nth-child(4)").split()[0])
        cells = browser.js("""const [column, number] = arguments;
            const at = report.data.topics.findIndex((topic) => topic.topic === number);
            const flat = report.data.groups[column].views[0].cells[at];
            for (let i = 0; i < flat.length; i += 4) if (flat[i] === 1) return flat.slice(i + 1, i + 4);
            return [0, -1, -1]""", column, topic)
        percent = lambda share: browser.js("return report.format.percent(arguments[0] / 1e6)", share)
        share, low, high = cells
        assert row[3] == percent(share) + (f" ({percent(low)} to {percent(high)})" if low >= 0 else "")
        browser.js("document.querySelector('#plot-heat-map svg').focus()")
        ActionChains(browser.driver).send_keys(Keys.ENTER).perform()
        assert browser.text("#topic-title") == f"Topic {topic}"
        tokens = browser.js("return report.data.groups[arguments[0]].views[0].tokens", column)
        browser.enter("#group-order", "size", "change")
        first = lambda: browser.text("#heat-table tbody th")
        assert tokens[names.index(first())] == max(tokens)
        browser.enter("#group-order", "name", "change")
        assert first() == browser.js("return [...arguments[0]].sort((a, b) => a.localeCompare(b))[0]", names)
        browser.enter("#group-order", "distinctiveness", "change")
        assert first() == names[0]
        browser.js("document.getElementById('heat-details').open = false")


def check_times(browser, page):
    """Topics over time are lines with bands; others can be chosen, as can the length of the stretches."""
    browser.open(page)
    hidden = lambda: browser.js("return document.getElementById('times').hidden")
    for column in kinds(browser, "date"):
        browser.enter("#group-column", column, "change")
        assert not hidden()
        lines = lambda: browser.js("return [...document.querySelectorAll('#plot-times path.line')].map((one) => one.classList[1])")
        chosen = lambda: [int(text.split()[0]) for text in browser.texts("#times-chosen li")]
        before = chosen()
        assert 1 <= len(before) <= 3 and lines() == [f"s{i}" for i in range(len(before))]
        assert len(browser.texts("#plot-times path.band")) == len(before)
        if len(browser.texts("#times-add option")) > 1:
            other = int(browser.js("return document.querySelectorAll('#times-add option')[1].value"))
            browser.enter("#times-add", other, "change")
            assert chosen() == [*before, other] and len(lines()) == len(before) + 1
            browser.find("#times-chosen li button").click()
            assert chosen() == [*before[1:], other]
        browser.js("document.querySelector('#plot-times svg').focus()")
        ActionChains(browser.driver).send_keys(Keys.HOME).perform()
        views = browser.js("return report.data.groups[arguments[0]].views.map((view) => [view.unit, view.values[0]])", column)
        assert views[0][1] in browser.text("#plot-times .readout"), browser.text("#plot-times .readout")
        for unit, first in views:
            browser.enter("#group-unit", unit, "change")
            browser.js("document.querySelector('#plot-times svg').focus()")
            ActionChains(browser.driver).send_keys(Keys.HOME).perform()
            assert f" {first}" in browser.text("#plot-times .readout"), (unit, browser.text("#plot-times .readout"))
        assert "are of 95 %" in browser.text("#group-notes")
        sampled = browser.js("return report.data.has_samples")
        assert ("over the samples" in browser.text("#group-notes")) == sampled
        text = browser.saved("#plot-times .tools button")[1]
        assert text.count("fill-opacity:0.16") >= len(chosen())
    for column in kinds(browser, "name")[:1]:
        browser.enter("#group-column", column, "change")
        assert hidden()


def check_summary(browser, page):
    """The summary as text has a line for every topic it shows."""
    text = browser.js("return report.quantiles.text()")
    shown = browser.js("return report.data.quantiles.flatMap((row) => row.topics)")
    assert re.findall(r"^  topic (\d+)", text, re.M) == [str(topic) for topic in shown]


USES = [
    check_beginning,
    check_click,
    check_address,
    check_keyboard,
    check_slider,
    check_search,
    check_labels,
    check_passages,
    check_table,
    check_folded,
    check_background,
    check_names,
    check_found,
    check_cells,
    check_hover,
    check_export,
    check_theme,
    check_groups,
    check_heat,
    check_times,
    check_summary,
]
