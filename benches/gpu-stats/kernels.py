"""How often the parts of a kernel run for one token: all that the tool knows about a shader.

A kernel is a set of rare branches, which get a mark in the WGSL, and a tree of loops in the order of the source, which
are found again in the compiled code in the same order. Loops that the compiler unrolls (Philox's rounds) are left out.
`repeats` is how often a loop goes back to its head: the trips of a `for`, one less than the passes of a `loop` that
breaks at its end. All are counts for a wave, so where lanes differ they are those of the slowest lane.
"""

from dataclasses import dataclass, field
from math import ceil, log2
from typing import Callable


@dataclass(frozen=True)
class Shape:
    """A token to be priced. Columns are short, and walked, or long, and the document's topics are looked up in them."""

    name: str
    topics: float  # of the document
    doc_tokens: float
    short: float  # active entries of a short column
    long: float  # of a long one
    held: float  # the document's topics that a long one has
    by_topics: float  # the share of tokens with long columns
    table_topics: float  # topics that have tokens
    alias: float = 0.02  # how often the alias table is drawn from
    new: float = 0.01  # how often a topic is drawn that the document does not have


# AP with 63 topics; 10 million synthetic tokens with 301, as are those of 100 million.
SHAPES = {
    "ap": Shape("AP", 12, 178, short=5, long=27, held=3, by_topics=0.02, table_topics=63),
    "100m": Shape("100 million", 11, 230, short=4, long=283, held=11, by_topics=0.3, table_topics=302),
}


@dataclass(frozen=True)
class Loop:
    name: str
    repeats: Callable[[Shape], float]
    inner: tuple["Loop", ...] = ()
    per_token: bool = False  # it goes over tokens: `repeats` is how often it runs for one, whatever is around it


@dataclass(frozen=True)
class Rare:
    """A branch: the mark goes behind the first place where `after` ends in the WGSL, looked for from `start` on."""

    name: str
    start: str
    after: str
    share: Callable[[Shape], float]


@dataclass(frozen=True)
class Kernel:
    name: str
    source: tuple[str, ...]  # arguments of examples/shader_source.rs; {k} is K*
    lanes: int  # of a workgroup
    docs_per_wave: Callable[[int], float]  # by the lanes of a wave
    cold_waits: Callable[[Shape], float]  # waits per token for loads that no near cache can have
    loops: tuple[Loop, ...]
    rare: tuple[Rare, ...] = field(default=())
    tail: float = 0.1  # the share of the longest document that runs when the device is nearly empty: the longest come first


def some(share: float, chances: float) -> float:
    """The chance that at least one of some independent lanes takes a branch."""
    return 1 - (1 - share) ** chances


def slowest(mean: float, lanes: int) -> float:
    """The largest of `lanes` exponential numbers: the trips that a wave makes when each lane has its own."""
    return mean * sum(1 / n for n in range(1, lanes + 1))


def lines(bytes_: float) -> float:
    """64-byte lines that neighbouring bytes touch, wherever they start."""
    return 1 + (bytes_ - 4) / 64


def table_lines(s: Shape) -> float:
    """Lines of the tables that a token touches: the word, the counted entry twice, and weights with topics or sets of topics."""
    walked = lines(4 * s.short) + lines(2 * s.short)
    weights = lines(4 * s.long)
    looked_up = lines(4 * ceil(s.table_topics / 16)) + weights * (1 - (1 - 1 / weights) ** s.held)
    return lines(24) + 2 + (1 - s.by_topics) * walked + s.by_topics * looked_up


NEVER = lambda shape: 0.0  # noqa: E731


def team(lanes: int, width: int = 64, exchange: str = "memory") -> Kernel:
    """A team of lanes per document, width / lanes documents in a wave, each with a token and a word of its own."""
    docs = max(1, width // lanes)
    # A wave walks as long as the longest of its documents' columns, or of their lists of topics.
    looked_up = lambda s: some(s.by_topics, docs)
    walked = lambda s: ceil(min(slowest(s.short, docs), 2 * s.topics) / lanes)
    trips = lambda s: (1 - looked_up(s)) * walked(s) + looked_up(s) * max(walked(s), ceil(s.topics / lanes))
    scan = lambda s: lanes / 4 if lanes <= 16 else log2(lanes)
    draws = lambda s: some(s.alias, docs)
    new = lambda s: some(s.new, docs)
    listing = Loop("listing", lambda s: 8)
    choice = Loop("choice", lambda s: max(0, trips(s) - 1) / 2)
    scans = (Loop("scan", scan),) if exchange == "memory" else ()
    token = Loop("token", lambda s: 1, (Loop("walk", trips), *scans, choice), per_token=True)
    # Where a token draws from its alias table the inner loop ends, and begins anew.
    stretches = lambda s: draws(s) + 1 / (2 * lanes)
    stretch = Loop("stretch", stretches, (token, listing), per_token=True)
    batch = Loop("batch", lambda s: 1 / (2 * lanes), (stretch,), per_token=True)
    # Which a subgroup sees without a branch.
    flagged = (Rare("flagged", "fn any_lane(", "if (any) {", draws),) if exchange == "memory" else ()
    return Kernel(
        name=f"team of {lanes}" + ("" if exchange == "memory" else f", {exchange}"),
        source=(str(lanes), str(width), exchange),
        lanes=max(lanes, width),
        docs_per_wave=lambda wave: wave / lanes,
        cold_waits=lambda s: 1 + trips(s),
        loops=(
            Loop("clear", lambda s: 8),
            Loop("count", lambda s: ceil(s.doc_tokens / lanes), (Loop("again", lambda s: 0.1, (listing,)),)),
            batch,
            Loop("record", lambda s: ceil(s.topics / lanes)),
        ),
        rare=(
            Rare("by topics", "fn part_of(", "if (walk.by_topics) {", looked_up),
            Rare("by column", "fn part_of(", "let entry = word.start + j;", lambda s: some(1 - s.by_topics, docs)),
            Rare("draws", "fn sample_z(", "if (stops) {", lambda s: draws(s) / stretches(s)),
            Rare("stuck", "fn draw_or_stick(", "if (all(word.mass == vec2<u32>(0u, 0u))) {", NEVER),
            Rare("missing", "fn draw_token(", "if (misses) {", lambda s: new(s) / draws(s)),
            Rare("lists", "fn draw_token(", "return false;\n    }", lambda s: new(s) / draws(s)),
            *flagged,
        ),
    )


KERNELS = {f"team{lanes}": team(lanes) for lanes in (4, 8, 16, 32, 64)}
USED = tuple(KERNELS)
# By subgroups, which no real GPU uses: counted when they are named.
KERNELS |= {f"team{lanes}s": team(lanes, exchange="subgroup") for lanes in (4, 8, 16, 32, 64)}
