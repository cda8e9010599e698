"""A stranger's way, on a terminal of 80 and of 120 columns: one command from a folder of texts, web pages and Word documents to the report.

    terminal.py HDP-GPU

tmux is the terminal. The line that shows how far a run is must fit into it to the end. Installs tmux on Debian and Ubuntu when run as
root, and says SKIPPED where it cannot.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

PROGRAM = Path(sys.argv[1]).resolve()
# Seconds after which something is taken to hang.
LIMIT = 1200

# How far a run is: 120/1000.
ITERATION = re.compile(r"\b\d+/1000\b")

SEA = "The captain and the crew left the harbour, and the wind filled every sail of the ship on the open sea."
LAND = "The farmer looked at the wheat and the corn of the field, and hoped for rain before the harvest."
LAW = "The judge heard the witness, and the jury of the court found that the law was on the side of the defendant."
WORD = (
    '<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
    "<w:body><w:p><w:r><w:t>{}</w:t></w:r></w:p></w:body></w:document>"
)


def letters(folder):
    """Thirty documents of three kinds, and what is none of them."""
    folder.mkdir()
    for number in range(10):
        (folder / f"sea-{number}.txt").write_text(f"{SEA} {LAND if number % 5 == 0 else SEA}\n")
        page = f"<html><head><title>Letter</title></head><body><p>{LAND}</p><p>{LAND}</p></body></html>"
        (folder / f"land-{number}.html").write_text(page)
        with zipfile.ZipFile(folder / f"law-{number}.docx", "w") as document:
            document.writestr("word/document.xml", WORD.format(f"{LAW} {LAW}"))
    (folder / "scan.pdf").write_bytes(b"%PDF-1.4\n")


class Terminal:
    """A terminal of so many columns, with a shell in a folder."""

    def __init__(self, columns, folder):
        self.commands = 0
        self.socket = str(folder / "tmux")
        # What the user of the machine has set does not matter.
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(columns), "-y", "50", "-c", str(folder), "env", "PS1=$ ", "sh")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.tmux("kill-server")

    def tmux(self, *words):
        environment = {**os.environ, "LC_ALL": "C.UTF-8", "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}"}
        environment.pop("TMUX", None)
        done = subprocess.run(
            ["tmux", "-u", "-S", self.socket, *words], check=True, capture_output=True, encoding="utf-8", env=environment
        )
        return done.stdout

    def type(self, line):
        self.tmux("send-keys", "-l", line)
        self.tmux("send-keys", "Enter")

    def shown(self):
        """All lines that there were, as they are on the screen."""
        return [line.rstrip() for line in self.tmux("capture-pane", "-p", "-S", "-").splitlines() if line.strip()]

    def run(self, command):
        """All lines of the screen when a command has ended, which it must do well."""
        self.commands += 1
        ended = f"ended {self.commands}: "
        self.type(f"clear; {command}; echo 'ended' {self.commands}: $?")
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            lines = self.shown()
            if any(line.startswith(ended) for line in lines):
                assert f"{ended}0" in lines, "\n".join(lines)
                return lines
            time.sleep(0.2)
        raise AssertionError(f"{command} goes on and on:\n" + "\n".join(lines))


def way(columns):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        letters(folder / "letters")
        with Terminal(columns, folder) as terminal:
            said = terminal.run("hdp-gpu train letters --device cpu --out run")
            listed = terminal.run("hdp-gpu topics run")
        whole = "\n".join(said)
        # Sentences may be broken between words where the terminal ends.
        flat = " ".join(whole.split())
        for part in ["language: English (en), recognised", "30 documents", "open run/report.html"]:
            assert part in flat, f"{part!r} is not in:\n{whole}"
        assert "scan.pdf" in flat or "PDF" in flat, f"nothing is said of what was left out:\n{whole}"
        iterations = [line for line in said if ITERATION.search(line)]
        assert len(iterations) == 1 and iterations[0].endswith(" left"), f"the line of iterations is not whole:\n{whole}"
        assert any("captain" in line or "crew" in line for line in listed), "\n".join(listed)
        page = (folder / "run" / "report.html").read_text(encoding="utf-8")
        assert "captain" in page and "harvest" in page and "jury" in page
        print(whole, flush=True)


def main():
    if not shutil.which("tmux") and os.getuid() == 0 and shutil.which("apt-get"):
        for words in (["update"], ["install", "-y", "--no-install-recommends", "tmux"]):
            subprocess.run(["apt-get", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if not shutil.which("tmux"):
        print("SKIPPED: a stranger's way on a terminal: needs tmux")
        return
    for columns in (80, 120):
        way(columns)
        print(f"{columns} columns: passed", flush=True)


main()
