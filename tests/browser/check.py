"""Opens reports in a browser and uses them as a reader would.

    check.py PICTURES PAGE.html …

Every check runs on every page. A page whose name contains "hostile" must show its words as text, one whose name contains
"large" must be ready in two seconds; pictures of every page are written to the folder PICTURES.
"""

import re
import sys
from pathlib import Path

from selenium.common.exceptions import NoAlertPresentException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from browser import Browser
from mock import HOSTILE, SCRIPTS

READY_MS = 2000
PHONE = 380


def numbers(browser):
    """The topics' numbers in the data, largest first."""
    return browser.js("return report.data.topics.map((topic) => topic.topic)")


def rows(browser):
    """The topics' numbers in the table as it is shown."""
    return browser.js("return [...document.querySelectorAll('#topic-table tbody tr')].map((row) => Number(row.dataset.topic))")


def check_quiet(browser, page):
    """Nothing left the page, nothing complained, no dialog opened, nothing ran that is not the page's own."""
    assert (errors := browser.console_errors()) == [], errors
    outside = [url for url in browser.requests() if not url.startswith(("file:", "data:", "about:", "blob:"))]
    assert outside == [], outside
    try:
        raise AssertionError(f"a dialog opened: {browser.driver.switch_to.alert.text}")
    except NoAlertPresentException:
        pass
    assert browser.js("return window.__hacked === undefined")
    assert browser.js("return document.scripts.length") == 1 + len(SCRIPTS)  # the data and the page's own
    assert browser.js("return document.querySelectorAll('img, iframe, object, embed, base, form').length") == 0


def check_click(browser, page):
    """A click on a circle shows its topic, and the address names it."""
    topic = numbers(browser)[-1]
    browser.find(f'circle[data-topic="{topic}"]')
    browser.js("document.querySelector(arguments[0]).dispatchEvent(new MouseEvent('click', {bubbles: true}))", f'circle[data-topic="{topic}"]')
    assert browser.text("#topic-title") == f"Topic {topic}"
    assert browser.js("return location.hash") == f"#topic-{topic}"
    first = numbers(browser)[0]
    browser.find("#topic-table tbody tr a").click()
    assert browser.text("#topic-title") == f"Topic {first}"
    browser.js("history.back()")
    browser.wait(lambda: browser.text("#topic-title") == f"Topic {topic}", "going back shows the topic before")


def check_address(browser, page):
    """An address with a topic opens it."""
    topic = numbers(browser)[len(numbers(browser)) // 2]
    browser.open(page, f"#topic-{topic}")
    assert browser.text("#topic-title") == f"Topic {topic}"


def check_keyboard(browser, page):
    """Arrow keys go round the map, Enter chooses; the plots are read with arrow keys."""
    chosen = browser.js("""
        const circle = document.querySelector('circle.topic[tabindex="0"]'); circle.focus(); return Number(circle.dataset.topic)""")
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
    """The slider goes over to relevance and changes words here and in the table; the order is that of the formula."""
    browser.find("#table-order input[value=probability]").click()
    words = "return [...document.querySelectorAll('#topic-table tbody .cell-words')].map((cell) => cell.textContent)"
    bars = "return [...document.querySelectorAll('#plot-words .word-name')].map((text) => text.textContent)"
    before, before_bars = browser.js(words), browser.js(bars)
    browser.js("""const range = document.querySelector('#table-order input[type=range]');
        range.value = 0; range.dispatchEvent(new Event('input', {bubbles: true}));""")
    browser.wait(lambda: browser.js("return document.querySelector('#topic-order, #topic input[value=relevance]').checked"), "both controls follow")
    browser.wait(lambda: browser.js(words) != before or len(before) == 0, "words change with the slider")
    # At λ = 0 the first word is the one with the largest lift.
    best = browser.js("""const topic = report.state.topic, data = report.data;
        const lift = ([v, n]) => Math.log((n + data.beta) / data.word_tokens[v]);
        return data.words[[...topic.words].sort((a, b) => lift(b) - lift(a) || b[1] - a[1] || a[0] - b[0])[0][0]]""")
    first = browser.js(bars)[0]
    assert best.startswith(first.removesuffix("…")), (best, first)
    browser.find("#table-order input[value=probability]").click()
    browser.wait(lambda: browser.js(words) == before and browser.js(bars) == before_bars, "probability brings the words back")


def check_search(browser, page):
    """A word of the largest topic is found in it, with its tokens."""
    word, topic, tokens = browser.js("""const data = report.data;
        const at = data.words.findIndex((word, i) => data.search[i] && data.search[i].length > 0 && word.length < 30 && word === word.trim() && !/\\s/.test(word));
        return [data.words[at], data.search[at][0], data.search[at][1]]""")
    browser.js("const field = document.getElementById('search'); field.value = arguments[0]; field.dispatchEvent(new Event('input'))", word)
    result = browser.js("return [...document.querySelectorAll('#search-results tbody tr')].map((row) => [row.querySelector('b').textContent, row.cells[1].textContent.replace(/\\D/g, '')])")
    assert [str(topic), str(tokens)] in result, (word, topic, tokens, result)
    assert word in browser.text("#search-results p")
    fullness = browser.js("return [...document.querySelectorAll('circle.topic')].map((circle) => [Number(circle.style.fillOpacity), Number(circle.dataset.topic)])")
    assert max(fullness)[0] >= 0.3 and dict((number, full) for full, number in fullness)[topic] == max(fullness)[0]
    field = browser.find("#search")
    field.clear()
    field.send_keys("no such word at all")
    assert "No such word" in browser.text("#search-results")
    field.clear()


def check_labels(browser, page):
    """A label that is typed is in the panel, the export and the next visit; an imported one is in the table."""
    topic = numbers(browser)[0]
    label = 'Trade, "ships" <b>& sea</b>'
    field = browser.find(f'#topic-table tr[data-topic="{topic}"] input.label')
    field.clear()
    field.send_keys(label)
    browser.find("#labels-export").click()
    assert browser.downloaded("labels.csv") == f'topic,label\n{topic},"{label.replace(chr(34), chr(34) * 2)}"\n'
    browser.open(page, f"#topic-{topic}")
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
        assert browser.js("return document.querySelector(arguments[0]).hasAttribute('aria-sort')", f'th[data-column="{column}"]')
        assert len(rows(browser)) == min(count, 100)
    coherent = browser.js("return report.data.topics.map((topic) => topic.npmi)")
    if any(value is not None for value in coherent):
        browser.find('th[data-column="npmi"] button').click()
        assert rows(browser)[0] == numbers(browser)[coherent.index(max(value for value in coherent if value is not None))]
    browser.find('th[data-column="tokens"] button').click()
    if count > 100:
        browser.find("#more").click()
        assert rows(browser) == numbers(browser)[:200]
    browser.find("#filter").send_keys(str(numbers(browser)[0]))
    assert numbers(browser)[0] in rows(browser)
    browser.find("#table-csv").click()
    table = browser.js("return report.csv.read(arguments[0])", browser.downloaded("topics.csv"))
    assert table[0] == ["topic", "label", "share", "tokens", "documents", "words", "npmi", "umass", "exclusivity"]
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
    for name in browser.js("return [...document.querySelectorAll('figure.plot')].map((figure) => figure.id)"):
        browser.find(f"#{name} .tools button").click()
        text = browser.downloaded(".svg")
        assert text.startswith("<svg") and "class=" not in text and "var(" not in text, name
        assert browser.js("return new DOMParser().parseFromString(arguments[0], 'image/svg+xml').querySelector('parsererror') === null", text), name


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
        browser.js("const choice = document.getElementById('group-column'); choice.value = arguments[0]; choice.dispatchEvent(new Event('change'))", i)
        shapes = browser.js("return document.querySelectorAll('#plot-topics-by-group .area').length")
        assert shapes >= min(len(numbers(browser)), 8)


def check_summary(browser, page):
    """The summary as text has a line for every topic it shows."""
    text = browser.js("return report.quantiles.text()")
    shown = browser.js("return report.data.quantiles.flatMap((row) => row.topics)")
    assert re.findall(r"^  topic (\d+)", text, re.M) == [str(topic) for topic in shown]


def check_phone(browser, page):
    """On a phone the page does not scroll sideways, with everything open."""
    browser.size(PHONE, 800)
    browser.open(page)
    browser.js("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    browser.js("const field = document.getElementById('search'); field.value = 'x'; field.dispatchEvent(new Event('input'))")
    browser.wait(lambda: browser.js("return document.querySelector('.canvas svg').viewBox.baseVal.width") < PHONE, "plots follow the width")
    width = browser.js("return document.scrollingElement.scrollWidth")
    assert width <= PHONE, width
    browser.size(1280, 900)


def check_hostile(browser, page):
    """Words that look like markup, templates or scripts are shown as they are."""
    if "hostile" not in page.name:
        return
    shown = browser.js("return [...document.querySelectorAll('#topic-table bdi')].map((word) => word.textContent)")
    kept = [word for word in HOSTILE if browser.js("return report.data.words.includes(arguments[0])", word)]
    assert len(kept) >= 20
    browser.js("report.data.topics.forEach((topic) => report.openTopic(topic.topic))")
    for word in (one for one in kept if "\n" not in one):  # a field has one line
        browser.js("const field = document.getElementById('search'); field.value = arguments[0]; field.dispatchEvent(new Event('input'))", word)
        assert word in browser.js("return document.getElementById('search-results').textContent"), word[:50]
    assert any(word in shown for word in kept if "<" in word)
    assert "49" not in browser.text("h1")


def check_ready(browser, page):
    """The time until the page is ready, best of three."""
    times = [browser.open(page) for _ in range(3)]
    print(f"  {page.stat().st_size / 1e6:.2f} MB, ready after {min(times):.0f} ms (best of 3)")
    if "large" in page.name:
        assert min(times) < READY_MS, times


def take_pictures(browser, page, folder):
    """The whole page in light and dark, and on a phone."""
    for name, width, dark in (("light", 1280, False), ("dark", 1280, True), ("phone", PHONE, False)):
        browser.size(width, 900)
        browser.dark(dark)
        browser.open(page)
        height = browser.js("return document.scrollingElement.scrollHeight")
        browser.size(width, min(height, 8000))
        browser.picture(folder / f"{page.stem}-{name}.png")
    browser.size(1280, 900)
    browser.dark(False)


CHECKS = [
    check_ready, check_click, check_address, check_keyboard, check_slider, check_search, check_labels, check_table, check_hover,
    check_export, check_theme, check_groups, check_summary, check_phone, check_hostile,
]


def main():
    """Runs every check on every page; the first failure ends it."""
    folder, pages = Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]]
    folder.mkdir(parents=True, exist_ok=True)
    with Browser() as browser:
        for page in pages:
            print(page.name)
            browser.size(1280, 900)
            for check in CHECKS:
                try:
                    check(browser, page)
                    check_quiet(browser, page)
                except Exception:
                    print(f"  {check.__name__} failed", file=sys.stderr)
                    raise
            take_pictures(browser, page, folder)
    print(f"{len(pages)} pages, {len(CHECKS)} checks each: passed")


if __name__ == "__main__":
    main()
