"""Compares what two programs have written, byte for byte but for times and for where a program lies."""

import json
import re
import struct
from pathlib import Path

# Columns of timing.csv that are times or made of them.
TIMES = [1, 2, 3, 4, 5, 6, 7]


def timing(text):
    rows = [line.split(",") for line in text.decode().splitlines()]
    return [[field for at, field in enumerate(row) if at not in TIMES] for row in rows]


def record(found):
    """A run's record without its time and without the path of the program, which begins every command."""
    for part in [found, found["chains"] or {}]:
        part["wall_seconds"] = None
    for run in [found, *found["resumed"]]:
        if isinstance(run, dict) and "command" in run:
            run["command"] = run["command"][1:]
    return found


def report(text):
    """A report without times, and without the quotes of its command, which are those of the system's shell."""
    text = re.sub(rb'"seconds":\[[^]]*\]', b"", text)
    text, times = re.subn(rb'"[^"]* on cpu \(', b'"on cpu (', text)
    text = re.sub(rb'"command":"(?:[^"\\]|\\.)*"', lambda found: re.sub(rb"'|\\\"", b"", found[0]), text)
    assert times > 0, "the report does not say how long it took"
    return text


def checkpoint(data):
    """The parts of a checkpoint; the checksum at its end goes with the times in it."""
    numbers = struct.unpack("<8Q", data[8:72])
    _, tokens, topics, sums, trace, times, tokens_per_topic, info = numbers
    parts, at = [data[:8], numbers[:5], numbers[6]], 72
    for length in [info, 2 * tokens, 8 * topics, 8 * topics, sums, trace, times, tokens_per_topic]:
        parts.append(data[at : at + length])
        at += length
    assert at + 32 == len(data), "a checkpoint is not as long as its header says"
    kept = json.loads(parts[3])
    record(kept["record"])
    parts[3] = kept
    parts[9] = timing(parts[9])
    return parts


def output(text):
    """What a program prints, without times and with paths as Unix writes them."""
    return re.sub(rb" in [0-9.]+ m?s on ", b" on ", text.replace(b"\\", b"/"))


def content(path):
    data = path.read_bytes()
    if path.name == "timing.csv":
        return timing(data)
    if path.name in ("run.json", "infer.json", "evaluation.json"):
        found = json.loads(data)
        return record(found) if path.name == "run.json" else {**found, "command": None, "wall_seconds": None}
    if path.name == "report.html":
        return report(data)
    if path.suffix == ".checkpoint":
        return checkpoint(data)
    return data


def differences(a, b):
    """The files below two folders that are not the same."""
    names = [{p.relative_to(folder) for p in Path(folder).rglob("*") if p.is_file()} for folder in (a, b)]
    found = [f"{name} is in one folder only" for name in sorted(names[0] ^ names[1])]
    for name in sorted(names[0] & names[1]):
        if content(Path(a) / name) != content(Path(b) / name):
            found.append(f"{name} differs")
    return found, len(names[0] & names[1])
