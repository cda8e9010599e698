"""Opens reports in a browser and uses them as a reader would.

    check.py PICTURES PAGE.html …

Every check runs on every page. One with "hostile" in its name must show its words as text, one with "large"
must be ready in two seconds; pictures of every page are written to the folder PICTURES.
"""

import sys
from pathlib import Path

from browser import Browser
from mock import SCRIPTS
from mock_data import HOSTILE
from selenium.common.exceptions import NoAlertPresentException
from uses import USES

READY_MS = 2000
PHONE = 380


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
    assert browser.texts("img, iframe, object, embed, base, form") == []


def check_phone(browser, page):
    """On a phone the page does not scroll sideways, with everything open."""
    browser.size(PHONE, 800)
    browser.open(page)
    browser.js("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    browser.enter("#search", "x")
    width = lambda: browser.js("return document.querySelector('.canvas svg').viewBox.baseVal.width")
    browser.wait(lambda: width() < PHONE, "plots follow the width")
    scrolled = browser.js("return document.scrollingElement.scrollWidth")
    assert scrolled <= PHONE, scrolled
    browser.size(1280, 900)


def check_hostile(browser, page):
    """Words that look like markup, templates or scripts are shown as they are."""
    if "hostile" not in page.name:
        return
    kept = [word for word in HOSTILE if browser.js("return report.data.words.includes(arguments[0])", word)]
    assert len(kept) >= 15
    shown = browser.texts("#topic-table bdi")
    assert any("<" in word and word in shown for word in kept)
    browser.js("report.data.topics.forEach((topic) => report.openTopic(topic.topic))")
    for word in (one for one in kept if "\n" not in one):  # a field has one line
        browser.enter("#search", word)
        assert browser.text("#search-results bdi") == word, word[:50]


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


CHECKS = [check_ready, *USES, check_phone, check_hostile]


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
