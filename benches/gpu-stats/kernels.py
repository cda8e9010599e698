"""How often the parts of a kernel run for one token: all that the tool knows about a shader.

A kernel is a set of rare branches, which get a mark in the WGSL, and a tree of loops in the order of the source, which
are found again in the compiled code in the same order. Loops that the compiler unrolls (Philox's rounds) are left out.
`repeats` is how often a loop goes back to its head: the trips of a `for`, one less than the passes of a `loop` that
breaks at its end. All are counts for a wave, so where lanes differ they are those of the slowest lane.
"""

from dataclasses import dataclass, field
from math import ceil, exp, inf, log2
from typing import Callable


@dataclass(frozen=True)
class Shape:
    """A token to be priced."""

    name: str
    entries: float  # of the word's column
    active: float  # of these, entries of topics that have tokens
    topics: float  # of the document
    doc_tokens: float
    alias: float = 0.02  # how often the alias table is drawn from


SHAPES = {
    "ap": Shape("AP", entries=15, active=5, topics=12, doc_tokens=178),
    "100m": Shape("100 million", entries=97, active=90, topics=11, doc_tokens=230),
}


@dataclass(frozen=True)
class Loop:
    name: str
    repeats: Callable[[Shape], float]
    inner: tuple["Loop", ...] = ()


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
    # 64-byte lines of the tables that a token touches: the word, its column of 12-byte entries, the counted entry twice.
    table_lines: Callable[[Shape], float] = lambda shape: 3 + ceil(12 * shape.entries / 64)
    tail: float = 0.5  # the share of the longest document that runs when the device is nearly empty
    m_lines: Callable[[Shape], float] = lambda shape: 0.0  # 64-byte lines of m in storage that a token touches


def some(share: float, chances: float) -> float:
    """The chance that at least one of some independent lanes takes a branch."""
    return 1 - (1 - share) ** chances


def slowest(mean: float, lanes: int) -> float:
    """The largest of `lanes` exponential numbers: the trips that a wave makes when each lane has its own."""
    return mean * sum(1 / n for n in range(1, lanes + 1))


NEVER = lambda shape: 0.0  # noqa: E731


def workgroup(lanes: int) -> Kernel:
    share = lambda s: ceil(s.entries / lanes)
    used = lambda s: ceil(s.entries / share(s))
    document = lambda s: ceil(s.doc_tokens / lanes)
    token = Loop(
        "token",
        lambda s: 1,
        (
            Loop("column", share),
            Loop("prefix sum", lambda s: ceil(log2(used(s)))),
            Loop("choice", lambda s: (share(s) - 1) / 2),
        ),
    )
    return Kernel(
        name=f"workgroup, {lanes} lanes",
        source=("workgroup", "100", "{k}", str(lanes)),
        lanes=lanes,
        docs_per_wave=lambda wave: min(1.0, wave / lanes),
        cold_waits=lambda s: 1 + share(s),  # the word, and the column's part in every trip
        loops=(Loop("count", document), token, Loop("record", document)),
        rare=(
            Rare("bits", "fn sample_z(", "if (drawn % LANES == 0u) {", lambda s: 1 / lanes),
            Rare("stuck", "fn sample_token(", "if (all(total == vec2<u32>(0u, 0u))) {", NEVER),
            Rare("alias", "fn sample_token(", "} else if (lane == 0u) {", lambda s: s.alias),
            Rare("kept", "fn sample_token(", "if (e == NO_ENTRY) {", NEVER),
            Rare("listed", "fn record(", "let at = atomicAdd(&results[RESULT_LIST_LENGTH], 1u);", lambda s: 0.02),
        ),
    )


def invocation(lanes: int = 64) -> Kernel:
    # Lanes have words and documents of their own: a loop lasts as long as its longest lane. A lane walks its
    # document's topics when its column is longer than `bound`.
    bound = lambda s: s.topics * (3 + log2(s.entries + 1))
    walks = lambda s: min(slowest(s.entries, lanes), bound(s))
    halvings = lambda s: 1 + log2(bound(s))
    looked_up = lambda s: some(exp(-bound(s) / s.entries), lanes) * s.topics / walks(s)
    walk = lambda name, repeats: Loop(name, repeats, (Loop("look-up", halvings),))
    token = Loop(
        "token",
        lambda s: 1,
        (
            Loop("list, removed", lambda s: s.topics),
            walk("walk", walks),
            Loop("list, stuck", NEVER),
            walk("choice", walks),
            Loop("list, inserted", lambda s: s.topics),
        ),
    )
    return Kernel(
        name="invocation",
        source=("invocation", "100", "{k}", str(lanes)),
        lanes=lanes,
        docs_per_wave=lambda wave: wave,
        cold_waits=lambda s: inf,  # with as many words and rows of m as lanes, some lane always waits
        loops=(
            Loop("count", lambda s: s.doc_tokens, (Loop("list, first", lambda s: s.topics),)),
            token,
            Loop("record", lambda s: s.doc_tokens),
        ),
        rare=(
            Rare("stuck", "fn sample_token(", "if (all(total == vec2<u32>(0u, 0u))) {", NEVER),
            Rare("look-up", "fn step(", "let k = listed(slot, j);", looked_up),
            Rare("alias", "fn sample_token(", "        } else {", lambda s: some(s.alias, lanes)),
            Rare("listed", "fn record(", "let at = atomicAdd(&results[RESULT_LIST_LENGTH], 1u);", lambda s: 0.02),
        ),
        m_lines=lambda s: min(s.entries, 63) + 3,  # one for every entry of the column, up to the row's; the list; two changes
    )


KERNELS = {"workgroup64": workgroup(64), "workgroup32": workgroup(32), "invocation": invocation()}
