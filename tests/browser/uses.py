"""What a reader does with a report: each check takes a browser with the page open, and the page's path."""

import re

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys


def numbers(browser):
    """The topics' numbers in the data, largest first."""
    return browser.js("return report.data.topics.map((topic) => topic.topic)")


def rows(browser):
    """The topics' numbers in the table as it is shown."""
    return [int(text) for text in browser.texts("#topic-table tbody tr > td:first-child")]


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
    browser.find("#labels-export").click()
    quoted = label.replace('"', '""')
    assert browser.downloaded("labels.csv") == f'topic,label\n{topic},"{quoted}"\n'
    browser.open(page, f"#topic-{topic}", stored=browser.js("return {...localStorage}"))
    assert browser.js("return document.querySelector('.topic-head input').value") == label
    upload = browser.downloads / "import.csv"
    upload.write_text(f'topic,label\n{topic},"a, b"\n99999999,nobody\n', encoding="utf-8")
    browser.driver.find_element("id", "labels-file").send_keys(str(upload))
    browser.wait(lambda: browser.text("#labels-status") == "1 labels read.", "labels are imported")
    assert browser.js("return document.querySelector('#topic-table input.label').value") == "a, b"
    browser.js("localStorage.clear()")
    browser.open(page)


def check_table(browser, page):
    """Sorting, filtering, more rows, and CSV of what is shown."""
    count = len(numbers(browser))
    assert rows(browser) == numbers(browser)[:100]
    browser.find('th[data-column="topic"] button').click()
    assert rows(browser) == sorted(numbers(browser))[:100]
    for column in ("share", "documents", "words", "npmi", "umass", "exclusivity", "label", "tokens"):
        browser.find(f'th[data-column="{column}"] button').click()
        assert browser.js(
            "return document.querySelector(arguments[0]).hasAttribute('aria-sort')",
            f'th[data-column="{column}"]',
        )
        assert len(rows(browser)) == min(count, 100)
    coherent = browser.js("return report.data.topics.map((topic) => topic.npmi)")
    if any(value is not None for value in coherent):
        browser.find('th[data-column="npmi"] button').click()
        best = max(value for value in coherent if value is not None)
        assert rows(browser)[0] == numbers(browser)[coherent.index(best)]
    browser.find('th[data-column="tokens"] button').click()
    if count > 100:
        browser.find("#more").click()
        assert rows(browser) == numbers(browser)[:200]
    browser.find("#filter").send_keys(str(numbers(browser)[0]))
    assert numbers(browser)[0] in rows(browser)
    browser.find("#table-csv").click()
    table = browser.js("return report.csv.read(arguments[0])", browser.downloaded("topics.csv"))
    columns = "topic label words share tokens documents npmi umass exclusivity"
    assert table[0] == columns.split()
    assert [int(row[0]) for row in table[1:]][:200] == rows(browser)
    browser.find("#filter").clear()


def check_hover(browser, page):
    """The pointer on a trace reads its value."""
    plot = browser.find("#plot-log-likelihood svg")
    ActionChains(browser.driver).move_to_element(plot).perform()
    value = browser.text("#plot-log-likelihood .readout")
    assert re.match(r"iteration [\d\u202f]+\u2212?[\d\u202f]+$", value), value
    ActionChains(browser.driver).move_to_element(browser.find("h1")).perform()


def check_export(browser, page):
    """A saved plot stands alone: it is a whole SVG that carries its colours."""
    for name in browser.js("return [...document.querySelectorAll('figure.plot')].map((one) => one.id)"):
        browser.find(f"#{name} .tools button").click()
        text = browser.downloaded(".svg")
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
    """Every column of the metadata can be chosen; without any the section is not there."""
    columns = browser.js("return report.data.groups.map((group) => group.column)")
    assert browser.js("return document.getElementById('groups').hidden") == (columns == [])
    for i in range(len(columns)):
        browser.enter("#group-column", i, "change")
        shapes = len(browser.texts("#plot-topics-by-group .area"))
        assert shapes >= min(len(numbers(browser)), 8)


def check_summary(browser, page):
    """The summary as text has a line for every topic it shows."""
    text = browser.js("return report.quantiles.text()")
    shown = browser.js("return report.data.quantiles.flatMap((row) => row.topics)")
    assert re.findall(r"^  topic (\d+)", text, re.M) == [str(topic) for topic in shown]


USES = [
    check_click,
    check_address,
    check_keyboard,
    check_slider,
    check_search,
    check_labels,
    check_table,
    check_hover,
    check_export,
    check_theme,
    check_groups,
    check_summary,
]
