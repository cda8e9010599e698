"""A report with made-up data, to try the page without a run.

    mock.py OUT.html [--large | --hostile | --tiny] [--runs N] [--seed S]

The template and scripts are those of src/report/page, in the order of its mod.rs; the data is mock_data's.
--large has 600 topics and 6,000 documents; --hostile has words, names and metadata that try to break out of
the page; --tiny has one topic and nothing else that can be left out.
"""

import argparse
import json
import re
from pathlib import Path

from jinja2 import Environment
from mock_data import HOSTILE, make

PAGE = Path(__file__).resolve().parents[2] / "src" / "report" / "page"
SCRIPTS = re.findall(r'include_str!\("(\w+\.js)"\)', (PAGE / "mod.rs").read_text())


def render(data, title):
    """The page as the program renders it."""
    template = Environment(autoescape=True).from_string((PAGE / "page.html").read_text())
    return template.render(
        title=title,
        style=(PAGE / "style.css").read_text(),
        scripts=[(PAGE / name).read_text() for name in SCRIPTS],
        data=json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c"),
    )


def main():
    """Reads the arguments and writes the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    kinds = parser.add_mutually_exclusive_group()
    for kind in ("large", "hostile", "tiny"):
        kinds.add_argument(f"--{kind}", action="store_const", const=kind, dest="kind")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    kind = args.kind or "usual"
    title = f"Topics of {HOSTILE[1]}" if kind == "hostile" else "Topics of docword.ap"
    args.out.parent.mkdir(parents=True, exist_ok=True)
    args.out.write_text(render(make(kind, args.runs, args.seed), title), encoding="utf-8")


if __name__ == "__main__":
    main()
