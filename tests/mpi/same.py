"""Compares a run of several ranks with a run of one process, byte for byte but for times, and who made it where."""

import json
import re
import struct
from pathlib import Path

# What of run.json tells of times, ranks, hosts, devices and commands.
OWN = ["wall_seconds", "ranks", "command", "threads", "device", "driver", "kernel", "device_error", "chosen", "resumed"]


def record(found):
    for part in [found, found["settings"], found["chains"] or {}]:
        for name in OWN:
            part.pop(name, None)
    return found


def report(text):
    """A report without times, devices and its command."""
    text = re.sub(rb'"timing":\{[^}]*\}', b"", text)
    text = re.sub(rb'"command":"(?:[^"\\]|\\.)*"', b"", text)
    text, times = re.subn(rb'\["Time","[^"]*"\]', b"", text)
    assert times > 0, "the report does not say how long it took"
    return text


def checkpoint(data):
    """The parts of a checkpoint but for timing.csv; the checksum at its end goes with the times in it."""
    _, tokens, topics, sums, trace, times, tokens_per_topic, info = struct.unpack("<8Q", data[8:72])
    parts, at = {}, 72
    sizes = {"info": info, "z": 2 * tokens, "l": 8 * topics, "psi": 8 * topics, "sums": sums}
    for name, size in {**sizes, "trace": trace, "timing": times, "tokens": tokens_per_topic}.items():
        parts[name] = data[at : at + size]
        at += size
    assert at + 32 == len(data) and tokens > 0, "a checkpoint is not as long as its header says"
    info = json.loads(parts["info"])
    record(info["record"])
    return {**parts, "info": info, "timing": parts["timing"].count(b"\n")}


def content(path):
    data = path.read_bytes()
    if path.name == "timing.csv":
        return [line.split(b",")[0] for line in data.splitlines()]
    if path.name == "run.json":
        return record(json.loads(data))
    if path.name in ("infer.json", "evaluation.json"):
        found = json.loads(data)
        return {name: found[name] for name in found if name not in OWN}
    if path.name == "report.html":
        return report(data)
    if path.suffix == ".checkpoint":
        return checkpoint(data)
    return data


def files(folder):
    return {path.relative_to(folder) for path in Path(folder).rglob("*") if path.is_file()}


def differences(one, several, checkpoints=True):
    """The files below two folders that are not the same, and how many there are; which checkpoints are kept depends on when a run
    was stopped."""
    found, both = [], []
    names = [files(one), files(several)]
    for name in sorted(names[0] | names[1]):
        if name.suffix == ".checkpoint" and not checkpoints:
            continue
        if any(name not in folder for folder in names):
            found.append(f"{name} is in one folder only")
        elif content(Path(one) / name) != content(Path(several) / name):
            found.append(f"{name} differs")
        both.append(name)
    return found, len(both)
