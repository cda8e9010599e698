"""Times, traffic and memory of ranks beside one process: mpi.py PROGRAM openmpi CORPUS ITERATIONS, as benches/mpi.sh starts it."""

import csv
import json
import subprocess
import sys
import time
from pathlib import Path
from statistics import mean

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "mpi"))

import hosts
from launch import LAUNCH, PROGRAM, ended, iterations_done, killed, rank_processes, started
from memory import memory_of

CORPUS, ITERATIONS = sys.argv[3], int(sys.argv[4])
# Iterations that are left out: tables are laid out, and pages are touched for the first time.
SKIPPED = 2
GIGABIT = 1e9 / 8
# The part of a line's speed that the model of docs/SCALING.md counts on.
OF_LINE = 0.88
# Bytes that a token has in z and among the words.
TOKEN = 6
ALONE = [PROGRAM]
HEADER = "s an iteration | z, s | talking, s | talked, MB | on the wire, MB | memory of each, MB: own + mapped"


def on_ranks(number):
    return [*LAUNCH, "-n", str(number), PROGRAM]


def sent(network):
    """Bytes that the first host has sent so far."""
    counter = ["ip", "netns", "exec", f"{network}h1", "cat", "/sys/class/net/eth0/statistics/tx_bytes"]
    return int(subprocess.run(counter, check=True, capture_output=True, text=True).stdout)


def measure(label, words, threads, network=None):
    """Has a run make its iterations, prints what they took, and ends it: its results would take longer."""
    command = f"train {CORPUS} --out {label} --device cpu --threads {threads} --iterations 100000 --trace-every {ITERATIONS} --quiet"
    job = started([*words, *command.split()])
    memory, traffic = {}, []
    while (done := iterations_done(label)) < SKIPPED + ITERATIONS:
        if job.poll() is not None:
            sys.exit(f"{label} has ended:\n{job.communicate()[0].decode()}")
        if done >= SKIPPED:
            if network:
                traffic.append((done, sent(network)))
            for process in [job.pid] if words == ALONE else rank_processes(job.pid).values():
                memory[process] = max(memory.get(process, (0, 0)), memory_of(process))
        time.sleep(0.05)
    # The launcher ends all hosts' ranks; a process by itself would first write its results.
    if words == ALONE:
        killed(job)
    else:
        job.terminate()
        ended(job)
    rows = list(csv.DictReader(Path(label, "timing.csv").open()))[SKIPPED : SKIPPED + ITERATIONS]
    took, z, talking, talked = (mean(float(row[name]) for row in rows) for name in ("seconds", "z_seconds", "comm_seconds", "comm_bytes"))
    (first, before), (last, after) = (traffic[0], traffic[-1]) if network else ((0, 0), (1, 0))
    wire = (after - before) / max(last - first, 1)
    memories = ", ".join(f"{own / 1e6:.0f} + {mapped / 1e6:.0f}" for own, mapped in memory.values())
    print(f"| {label} | {took:.3f} | {z:.3f} | {talking:.3f} | {talked / 1e6:.2f} | {wire / 1e6:.2f} | {memories} |", flush=True)
    return talking, talked, [own + mapped for own, mapped in memory.values()]


def measure_hosts(label, rate=None):
    """Two ranks on hosts of their own."""
    with hosts.network() as name:
        if rate:
            hosts.slow(name, rate)
        return measure(label, hosts.launcher(name, 2), 1, name)


def tokens_of(label):
    return json.loads(Path(label, "run.json").read_text())["corpus"]["tokens"]


def print_share(one, ranks):
    """How much of the memory that one rank has for tokens each of two has, when both have its tables and program beside that."""
    tokens = TOKEN * tokens_of("2-ranks")
    tables = one - tokens
    shares = ", ".join(f"{(own - tables) / tokens:.2f}" for own in ranks)
    print(f"one rank has {tables / 1e6:.0f} MB apart from its tokens; beside as many, two have {shares} of its memory for tokens")


def main():
    print(f"| of {ITERATIONS} iterations | {HEADER} |\n|{7 * '---|'}")
    measure("process-of-2-threads", ALONE, 2)
    *_, [one] = measure("1-rank", on_ranks(1), 1)
    *_, ranks = measure("2-ranks", on_ranks(2), 1)
    print_share(one, ranks)
    labels = ["process-of-2-threads", "1-rank", "2-ranks"]
    try:
        (free, *_), (limited, talked, _) = measure_hosts("2-hosts"), measure_hosts("2-hosts-1-Gb-per-s", "1gbit")
        labels += ["2-hosts", "2-hosts-1-Gb-per-s"]
        model = talked / (OF_LINE * GIGABIT)
        print(f"1 Gb/s: {1e3 * (limited - free):.0f} ms more talking than without a limit; by the model {1e3 * model:.0f} ms in all")
    except hosts.Refused as refusal:
        print(f"SKIPPED: two hosts: {refusal}")
    traces = {tuple(Path(label, "trace.csv").read_text().splitlines()[:3]) for label in labels}
    assert len(traces) == 1, "the traces differ"
    print("the same trace in all")


main()
