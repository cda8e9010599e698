"""An estimate of the z step's speed on GPUs that nobody here owns, from what stats.py counts.

    predict.py STATS.json [--kernels team8,…]

A SIMD is a server with as many customers as it holds waves: a wave issues a token's instructions (service) and then
waits for memory (think time). Mean value analysis gives the tokens per second; memory bandwidth, the documents that
there are, the last of them, and the host's part bound them. Every figure is an estimate.
"""

import argparse
import json
from dataclasses import dataclass, replace
from math import ceil, sqrt
from pathlib import Path

from kernels import KERNELS, SHAPES, USED, table_lines


@dataclass(frozen=True)
class Device:
    name: str
    family: str  # the AMD family whose compiled code stands for this device
    simds: int
    clock: float  # 10^9 per second
    simd_lanes: int  # lanes that an instruction covers per clock
    wave_lanes: int
    most_waves: int  # per SIMD
    most_groups: int  # workgroups per SIMD
    shared_bytes: int  # workgroup memory per SIMD
    scalar_unit: bool  # uniform arithmetic has a unit of its own
    near: float  # ns to the nearest cache
    l2: float  # ns to the cache that all share
    dram: float  # ns
    l2_bytes: float
    bandwidth: float  # GB/s
    link: float  # GB/s between host and device
    own_code: bool = True  # the compiler's output is of this device's maker


@dataclass(frozen=True)
class Corpus:
    name: str
    shape: str
    tokens: float
    docs: float
    longest: float
    words: float
    nonzeros: float  # of Φ
    topics: float
    host_seconds: float  # Φ, alias tables, l and Ψ on one core


@dataclass(frozen=True)
class Assumptions:
    """What is not read off a compiler or a data sheet."""

    instructions: float = 1.0  # other makers' compilers against AMD's, as a factor
    chain: float = 1.0  # dependent arithmetic, as a factor on the compiler's clocks
    latency: float = 1.0  # factor on all of near, l2 and dram
    waves: float = 1.0  # factor on the waves in flight
    bandwidth: float = 1.0
    clock: float = 1.0
    cache: float = 1.0  # factor on the cache's size
    shared_latency: float = 30  # ns of a wait for workgroup memory
    store_latency: float = 1.0  # in units of l2
    tail: float = 1.0
    submission: float = 0.3e-3  # seconds per iteration: submitting, waiting and mapping
    host_cores: float = 8
    host_efficiency: float = 0.8


RANGED = ("instructions", "chain", "latency", "waves", "bandwidth", "clock", "cache", "shared_latency", "tail", "submission")

DEVICES = (
    Device("Radeon 780M", "gfx1103_r1", 24, 2.7, 32, 64, 16, 16, 32 << 10, True, 40, 106, 250, 2e6, 73, 20),
    Device("Intel Xe, 96 units", "gfx1103_r1", 96, 1.35, 8, 32, 7, 7, 8 << 10, False, 60, 150, 310, 3.8e6, 68, 20, False),
    Device("Apple M2, 10 cores", "gfx1103_r1", 40, 1.4, 32, 32, 24, 24, 16 << 10, False, 40, 106, 342, 8e6, 100, 20, False),
    Device("RX 6800", "navi21", 120, 2.1, 32, 64, 16, 16, 32 << 10, True, 40, 106, 250, 128e6, 512, 20),
    Device("RTX 4070", "gfx1103_r1", 184, 2.48, 32, 32, 12, 6, 25 << 10, False, 35, 140, 270, 36e6, 504, 20, False),
)

CORPORA = (
    Corpus("AP", "ap", 393_565, 2_206, 590, 7_074, 93_800, 63, 2.8e-3),
    Corpus("10 million", "100m", 1e7, 43_521, 345, 85_381, 1.07e6, 301, 31e-3),
    Corpus("100 million", "100m", 1e8, 435_000, 345, 270_001, 4.29e6, 302, 187e-3),
)
# Million tokens per second of z on 8 CPU cores: carried over from 2 cores.
CPU_CORES = {"AP": 185, "10 million": 0, "100 million": 82}


def served(service: float, think: float, customers: float) -> float:
    """Tokens per second of one server with so many customers, by mean value analysis."""
    queue, rate, whole = 0.0, 0.0, max(1, round(customers))
    for n in range(1, whole + 1):
        response = service * (1 + queue)
        rate = n / (response + think)
        queue = rate * response
    # A mean of less than one wave keeps the server busy for that share of the time.
    return rate * min(1.0, customers / whole)


def waves_held(device: Device, stats: dict, k_star: int) -> float:
    if device.own_code:
        return stats["waves"][str(k_star)]
    kernel = KERNELS[stats["kernel"]]
    waves_per_group = ceil(kernel.lanes / device.wave_lanes)
    shared = stats["LDS bytes"][str(k_star)]
    groups = device.shared_bytes / shared if shared else device.most_groups
    return max(0.5, min(device.most_waves, waves_per_group * min(groups, device.most_groups)))


def table_bytes(corpus: Corpus) -> float:
    """What tokens read of the tables: words, weights, and topics or sets of topics; alias tables are read rarely."""
    return 8 * corpus.nonzeros + 24 * corpus.words


def cached(device: Device, corpus: Corpus, assume: Assumptions) -> float:
    """The share of table reads that the shared cache answers: words are drawn by their frequency, so less than the
    whole tables is enough for many."""
    return min(1.0, sqrt(assume.cache * device.l2_bytes / table_bytes(corpus)))


def token_bytes(lines: float, hit: float) -> float:
    """Memory traffic per token: w, z read and written, and the 64-byte lines of the tables that no cache has."""
    return 8 + 64 * (1 - hit) * lines


@dataclass(frozen=True)
class Prediction:
    latency: float  # seconds per token of a wave that is alone
    issue: float  # seconds that it occupies its SIMD
    rate: float  # tokens per second, all documents alike
    by_issue: float
    by_latency: float
    by_bandwidth: float
    by_bandwidth_uncached: float
    z_seconds: float  # per iteration
    iteration_seconds: float


def predict(device: Device, corpus: Corpus, stats: dict, assume: Assumptions, k_star: int = 1000) -> Prediction:
    kernel, token = KERNELS[stats["kernel"]], stats["token"]
    clock = device.clock * assume.clock * 1e9
    factor = 1.0 if device.own_code else assume.instructions
    valu = token.get("valu", 0) * device.wave_lanes / device.simd_lanes * factor
    scalar = (token.get("salu", 0) + token.get("branch", 0)) * factor
    other = (token.get("lds", 0) + token.get("load", 0) + token.get("store", 0) + token.get("atomic", 0)) * factor
    if device.scalar_unit:
        clocks = max(valu, scalar, other)
    else:
        clocks = valu + (scalar + other) * device.wave_lanes / device.simd_lanes
    issue = clocks / clock

    hit = cached(device, corpus, assume)
    loads = token.get("wait load", 0) + token.get("wait scalar load", 0)
    cold = min(stats["cold waits"], loads)
    far = hit * device.l2 + (1 - hit) * device.dram
    waits = cold * far + (loads - cold) * device.near
    waits += token.get("wait store", 0) * assume.store_latency * device.l2
    waits = 1e-9 * (assume.latency * waits + assume.shared_latency * token.get("wait lds", 0))
    chain = (token["clocks"] - token.get("stalled clocks", 0)) * assume.chain * (factor if factor > 1 else 1) / clock
    # A document's first and last pass are spread over its tokens.
    outside = stats["document"]["clocks"] / clock / (corpus.tokens / corpus.docs)
    latency = max(chain, issue) + waits + outside

    docs_per_wave = kernel.docs_per_wave(device.wave_lanes)
    held = waves_held(device, stats, k_star) * assume.waves
    there = corpus.docs / docs_per_wave / device.simds
    rate = docs_per_wave * device.simds * served(issue, latency - issue, min(held, there))
    lines = table_lines(SHAPES[corpus.shape])
    bandwidth = assume.bandwidth * device.bandwidth * 1e9
    by_bandwidth = bandwidth / token_bytes(lines, hit)
    uncached = bandwidth / token_bytes(lines, 0.0)
    rate = min(rate, by_bandwidth)

    # The longest documents end last, on a device that empties; without a queue there is nothing else.
    tail = corpus.longest * latency * (1.0 if there <= held else kernel.tail * assume.tail)
    sweep = max(corpus.tokens / rate, tail) if there <= held else corpus.tokens / rate + tail
    moved = table_bytes(corpus) + 8 * corpus.nonzeros + 4 * corpus.nonzeros + 1024 * corpus.topics
    z_seconds = sweep + assume.submission + moved / (device.link * 1e9)
    host = corpus.host_seconds / (assume.host_cores * assume.host_efficiency)
    return Prediction(
        latency=latency,
        issue=issue,
        rate=rate,
        by_issue=docs_per_wave * device.simds / issue,
        by_latency=docs_per_wave * device.simds * min(held, there) / latency,
        by_bandwidth=by_bandwidth,
        by_bandwidth_uncached=uncached,
        z_seconds=z_seconds,
        iteration_seconds=z_seconds + host,
    )


# --- the same model for CPU threads ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Thread:
    """One CPU thread: a server with one customer. Counts are per token, of a simulated CPU."""

    name: str
    instructions: float
    mispredicted: float
    l1_misses: float
    l2_misses: float
    measured: dict[int, float]  # million tokens per second by threads


def cpu_rate(thread: Thread, threads: int, clock=4.28e9, per_clock=4.0, branch=15, l2=14, l3=60, overlap=4.0) -> float:
    """Service at half of Zen 5's eight instructions per clock, and waits for branches and caches. Loads that miss are
    fetched ahead and overlap."""
    misses = (thread.l1_misses - thread.l2_misses) * l2 + thread.l2_misses * l3
    clocks = thread.instructions / per_clock + thread.mispredicted * branch + misses / overlap
    return threads * served(thread.instructions / per_clock / clock, (clocks - thread.instructions / per_clock) / clock, 1)


# Callgrind's counts (README.md) and `cargo bench --bench sweep` with RAYON_NUM_THREADS=1 and 2.
THREADS = (
    Thread("AP, 63 topics", 322.4, 1.92, 2.58, 0.22, {1: 43.5, 2: 77.8}),
    Thread("1 million", 463.8, 1.41, 3.04, 0.85, {1: 35.7, 2: 66.2}),
)


# --- printing ----------------------------------------------------------------------------------------------------


def million(rate: float) -> str:
    value = rate / 1e6
    return f"{value:,.0f}" if value >= 20 else f"{value:.1f}"


def spread(device: Device, corpus: Corpus, stats: dict) -> dict[str, tuple[float, float]]:
    """Million tokens per second of z when each assumption is halved and doubled."""
    result = {}
    for name in RANGED:
        base = getattr(Assumptions(), name)
        ends = [predict(device, corpus, stats, replace(Assumptions(), **{name: base * f})) for f in (0.5, 2)]
        result[name] = tuple(corpus.tokens / end.z_seconds for end in ends)
    return result


def find(results: list[dict], kernel: str, family: str, shape: str) -> dict:
    return next(r for r in results if (r["kernel"], r["family"], r["shape"]) == (kernel, family, shape))


def print_predictions(results: list[dict], names: list[str]) -> None:
    print("Estimated million tokens per second in z (in brackets when each assumption alone is halved or doubled):\n")
    print("| device | kernel | " + " | ".join(c.name for c in CORPORA) + " | whole iteration, AP | 100 million |")
    print("|---" * (4 + len(CORPORA)) + "|")
    for device in DEVICES:
        for name in names:
            cells, whole = [], {}
            for corpus in CORPORA:
                stats = find(results, name, device.family, corpus.shape)
                made = predict(device, corpus, stats, Assumptions())
                ends = [rate for pair in spread(device, corpus, stats).values() for rate in pair]
                z = corpus.tokens / made.z_seconds
                cells.append(f"{million(z)} ({million(min(ends))}-{million(max(ends))})")
                whole[corpus.name] = million(corpus.tokens / made.iteration_seconds)
            row = [device.name, KERNELS[name].name, *cells, whole["AP"], whole["100 million"]]
            print("| " + " | ".join(row) + " |")
    cpu = [str(CPU_CORES[c.name]) if CPU_CORES[c.name] else "" for c in CORPORA]
    print("| 8 CPU cores | | " + " | ".join(cpu) + " | | |")


def print_limits(results: list[dict], names: list[str]) -> None:
    print("\nWhat bounds it, in million tokens per second:\n")
    print("| device | kernel | corpus | issue | latency | bandwidth | bandwidth, nothing cached | latency per token, µs |")
    print("|---" * 8 + "|")
    for device in DEVICES:
        for name in names:
            for corpus in (CORPORA[0], CORPORA[2]):
                made = predict(device, corpus, find(results, name, device.family, corpus.shape), Assumptions())
                bounds = (made.by_issue, made.by_latency, made.by_bandwidth, made.by_bandwidth_uncached)
                cells = [device.name, KERNELS[name].name, corpus.name, *map(million, bounds), f"{1e6 * made.latency:.2f}"]
                print("| " + " | ".join(cells) + " |")


def print_spread(results: list[dict], names: list[str]) -> None:
    device = DEVICES[0]
    print(f"\nOne assumption halved - doubled, million tokens per second in z, {device.name}:\n")
    print("| kernel | corpus | " + " | ".join(RANGED) + " |")
    print("|---" * (2 + len(RANGED)) + "|")
    for name in names:
        for corpus in (CORPORA[0], CORPORA[2]):
            ends = spread(device, corpus, find(results, name, device.family, corpus.shape))
            cells = [f"{million(low)}-{million(high)}" for low, high in ends.values()]
            print("| " + " | ".join([KERNELS[name].name, corpus.name, *cells]) + " |")


def print_cpu() -> None:
    print("\nThe same model for CPU threads, million tokens per second in z:\n")
    print("| corpus | threads | instructions per token | mispredicted branches | estimate | measured | estimate / measured |")
    print("|---" * 7 + "|")
    for thread in THREADS:
        for threads, measured in thread.measured.items():
            rate = cpu_rate(thread, threads) / 1e6
            cells = [thread.name, str(threads), f"{thread.instructions:.0f}", f"{thread.mispredicted:.2f}"]
            print("| " + " | ".join([*cells, f"{rate:.1f}", f"{measured:.1f}", f"{rate / measured:.2f}"]) + " |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("stats", type=Path)
    parser.add_argument("--kernels", default=",".join(USED))
    options = parser.parse_args()
    results, names = json.loads(options.stats.read_text()), options.kernels.split(",")
    print_predictions(results, names)
    print_limits(results, names)
    print_spread(results, names)
    print_cpu()


if __name__ == "__main__":
    main()
