"""A headless Chromium: opens a page from a file, sees its console and its requests, takes pictures."""

import base64
import json
import tempfile
import time
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--force-prefers-reduced-motion",
]


class Browser:
    """One browser with a profile of its own; use as a context manager."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.downloads = Path(self.folder.name) / "downloads"
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for flag in [*FLAGS, f"--user-data-dir={self.folder.name}/profile"]:
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
        options.set_capability("unhandledPromptBehavior", "ignore")
        self.driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        self.driver.execute_cdp_cmd(
            "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(self.downloads)}
        )
        self.driver.get("about:blank")
        self.requests()  # those of the browser's own first page
        return self

    def __exit__(self, *_):
        self.driver.quit()
        self.folder.cleanup()

    def size(self, width, height):
        """Sets the size of the page, as a phone has it when it is narrow."""
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500},
        )

    def open(self, page, fragment="", stored=None):
        """Opens a file and waits until the page says that it is ready; returns the milliseconds that took.

        The page finds `stored` in its storage: Chromium loses what a page stored just before it was left.
        """
        self.driver.get("about:blank")
        restore = f"Object.assign(localStorage, {json.dumps(stored or {})})"
        script = self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": restore})
        self.driver.get(page.resolve().as_uri() + fragment)
        self.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)
        self.wait(
            lambda: self.js("return document.documentElement.dataset.ready") == "true",
            "the page is ready",
        )
        return self.js("return performance.getEntriesByName('ready')[0].startTime")

    def js(self, script, *arguments):
        """Runs JavaScript in the page."""
        return self.driver.execute_script(script, *arguments)

    def find(self, selector):
        """The first element of a selector, scrolled into view."""
        element = self.driver.find_element(By.CSS_SELECTOR, selector)
        self.js("arguments[0].scrollIntoView({block: 'center'})", element)
        return element

    def text(self, selector):
        """The text of an element as it is in the page, shown or not."""
        return self.js("return document.querySelector(arguments[0]).textContent", selector)

    def texts(self, selector):
        """The texts of all elements of a selector."""
        return self.js(
            "return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent)", selector
        )

    def enter(self, selector, value, event="input"):
        """Gives a field a value at once, as pasting does."""
        script = """const field = document.querySelector(arguments[0]);
            field.value = arguments[1]; field.dispatchEvent(new Event(arguments[2], {bubbles: true}))"""
        self.js(script, selector, value, event)

    def wait(self, condition, what, seconds=120):
        """Waits until a condition holds; only what never comes takes the whole time."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if condition():
                return
            time.sleep(0.05)
        raise AssertionError(f"waited in vain: {what}")

    def saved(self, selector):
        """The name and the text of the file that the page saves when a button is pressed; nothing is written."""
        script = """const download = report.download, saved = [];
            report.download = (name, type, text) => saved.push([name, text]);
            try { document.querySelector(arguments[0]).click(); } finally { report.download = download; }
            return saved"""
        [(name, text)] = self.js(script, selector)
        return name, text

    def downloaded(self, ending):
        """The text of the file that was last downloaded with this ending; the file is removed."""
        # A file without content holds the name until the download takes its place.
        found = lambda: [file for file in sorted(self.downloads.glob(f"*{ending}")) if file.stat().st_size > 0]
        self.wait(found, f"a download {ending}")
        file = found()[-1]
        text = file.read_text(encoding="utf-8")
        file.unlink()
        return text

    def console_errors(self):
        """Errors and warnings of the console since the last call."""
        return [
            entry["message"]
            for entry in self.driver.get_log("browser")
            if entry["level"] in ("SEVERE", "WARNING")
        ]

    def requests(self):
        """Addresses the page asked for since the last call."""
        messages = (json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance"))
        return [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]

    def dark(self, dark):
        """The system's theme."""
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def picture(self, path):
        """Writes a picture of what is seen."""
        result = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})
        path.write_bytes(base64.b64decode(result["data"]))
