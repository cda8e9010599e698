"""What a kernel costs per token on AMD GPUs, without owning one.

    stats.py [--kernels team8,…] [--shapes ap,100m] [--json FILE] [--blocks]

Mesa's RADV compiles the shader on a null device for each family of GPU_STATS_FAMILIES and prints the final code with
its blocks and the clocks that it expects each instruction to take. A block counts as often as it runs for one token of
the shape (kernels.py). Needs naga (cargo install naga-cli), gcc, and Debian's mesa-vulkan-drivers and libvulkan-dev.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from functools import cache
from pathlib import Path

from kernels import KERNELS, SHAPES, USED, Kernel, Loop, Shape

HERE = Path(__file__).resolve().parent
FAMILIES = os.environ.get("GPU_STATS_FAMILIES", "renoir navi21 rembrandt gfx1103_r1 gfx1100").split()
K_STARS = (256, 1000, 4000)
MARK = 0x5EED0000
# Most waves that a SIMD holds, by the generation (Mesa's ac_gpu_info.c, max_wave64_per_simd; twice as many of 32 lanes
# do not fit: the hardware's slots are per wave).
MOST_WAVES = {"renoir": 10, "raven": 10, "navi10": 20, "navi14": 20}
BINDING = re.compile(r"@group\((\d+)\)\s*@binding\((\d+)\)\s*var<(\w+)")


# --- compiling ---------------------------------------------------------------------------------------------------


@cache
def wgsl(kernel: Kernel, k_star: int) -> str:
    """The shader as the program would compile it."""
    arguments = [part.format(k=k_star) for part in kernel.source]
    program = os.environ.get("GPU_STATS_SHADER_SOURCE")
    command = [program] if program else ["cargo", "run", "-q", "--release", "--example", "shader_source", "--"]
    return subprocess.run([*command, *arguments], cwd=HERE, check=True, capture_output=True, text=True).stdout


def marked(source: str, kernel: Kernel) -> str:
    """The shader with a store of its own in every rare branch, by which the branch is found in the code."""
    for number, rare in enumerate(kernel.rare):
        start = source.index(rare.start)
        at = source.index(rare.after, start) + len(rare.after)
        source = f"{source[:at]}\n    atomicStore(&gpu_stats_mark[0], {MARK + number}u);{source[at:]}"
    return source + "\n@group(0) @binding(31) var<storage, read_write> gpu_stats_mark: array<atomic<u32>>;\n"


class Compiler:
    def __init__(self, work: Path):
        self.work = work
        self.program = work / "radv_stats"
        self.done: dict[tuple[str, str], tuple[dict[str, int], str]] = {}
        subprocess.run(["gcc", "-O1", "-o", self.program, HERE / "radv_stats.c", "-lvulkan"], check=True)

    def compile(self, source: str, family: str) -> tuple[dict[str, int], str]:
        """The compiler's statistics, and its last program: those before it are the driver's own."""
        if (source, family) not in self.done:
            self.done[source, family] = self.compile_anew(source, family)
        return self.done[source, family]

    def compile_anew(self, source: str, family: str) -> tuple[dict[str, int], str]:
        text, code = self.work / "shader.wgsl", self.work / "shader.spv"
        text.write_text(source)
        # As wgpu's Vulkan backend asks for, where buffers are robust.
        policies = ["--index-bounds-check-policy", "Restrict", "--buffer-bounds-check-policy", "Unchecked"]
        naga = ["naga", text, code, "--entry-point", "sample_z", "--shader-stage", "compute", *policies]
        subprocess.run(naga, check=True, stdout=subprocess.DEVNULL)
        kinds = {"uniform": "u", "storage": "s"}
        layout = ",".join(f"{g}:{b}:{kinds[kind]}" for g, b, kind in BINDING.findall(source))
        icd = next(Path("/usr/share/vulkan/icd.d").glob("radeon_icd.*.json"))
        setting = {"VK_ICD_FILENAMES": str(icd), "RADV_FORCE_FAMILY": family, "ACO_DEBUG": "perfinfo"}
        setting |= {"XDG_RUNTIME_DIR": str(self.work), "MESA_SHADER_CACHE_DISABLE": "true"}
        run = subprocess.run(
            [self.program, code, "sample_z", layout], env=os.environ | setting, capture_output=True, text=True
        )
        if run.returncode != 0:
            raise SystemExit(f"{family}: {run.stderr[-500:]}")
        statistics = dict(re.findall(r"^(\S.*?)\s{2,}(\d+)$", run.stdout, re.M))
        return {name: int(value) for name, value in statistics.items()}, run.stderr.rpartition("After RA:")[2]


# --- the program's blocks ----------------------------------------------------------------------------------------


class Program:
    """Blocks with their instructions, as (clocks, text), and the edges that the hardware can take."""

    def __init__(self, listing: str):
        self.blocks: list[list[tuple[int, str]]] = []
        self.preds: list[list[int]] = []
        for line in listing.splitlines():
            if re.fullmatch(r"BB\d+", line):
                self.blocks.append([])
                self.preds.append([])
            elif found := re.search(r"/ linear preds: (.*?)/ kind:", line):
                self.preds[-1] = [int(number) for number in re.findall(r"BB(\d+)", found[1])]
            elif found := re.match(r"\t\(\s*(\d+) clk\)\s+(.*)", line):
                self.blocks[-1].append((int(found[1]), found[2]))
        self.waves = int(re.search(r"num_waves: (\d+)", listing)[1])
        self.wave_lanes = 64 if re.search(r"exec = s_\w+_b64|_saveexec_b64", listing) else 32
        self.succs: list[list[int]] = [[] for _ in self.blocks]
        for block, preds in enumerate(self.preds):
            for pred in preds:
                self.succs[pred].append(block)
        self.live = self.reached(0, self.succs)
        self.dominators = dominators(0, self.preds, self.live)
        backward = {block: self.succs[block] or [-1] for block in self.live}
        self.postdominators = dominators(-1, backward, [-1, *reversed(self.live)])
        self.loops = self.find_loops()

    @staticmethod
    def reached(start: int, edges: list[list[int]]) -> list[int]:
        seen, todo = {start}, [start]
        while todo:
            for block in edges[todo.pop()]:
                if block not in seen:
                    seen.add(block)
                    todo.append(block)
        return sorted(seen)

    def find_loops(self) -> list[tuple[int, set[int], set[int]]]:
        """Head, members and latches of each loop, outer ones first, in the order of the code."""
        loops: dict[int, tuple[set[int], set[int]]] = {}
        for latch in self.live:
            for head in self.succs[latch]:
                if head in self.dominators[latch]:
                    members, latches = loops.setdefault(head, ({head}, set()))
                    latches.add(latch)
                    todo = [latch]
                    while todo:
                        block = todo.pop()
                        if block not in members:
                            members.add(block)
                            todo.extend(p for p in self.preds[block] if p in self.dominators)
        return [(head, *loops[head]) for head in sorted(loops)]

    def tree(self, within: set[int] | None = None) -> list[tuple[tuple[int, set[int], set[int]], list]]:
        inside = [loop for loop in self.loops if within is None or loop[1] < within]
        outer = [loop for loop in inside if not any(loop[1] < other[1] for other in inside)]
        return [(loop, self.tree(loop[1])) for loop in outer]


def dominators(start: int, preds, live) -> dict[int, set[int]]:
    """The blocks that lie on every way to a block."""
    bit = {block: 1 << place for place, block in enumerate(live)}
    every = (1 << len(bit)) - 1
    result = {block: every for block in live} | {start: bit[start]}
    changed = True
    while changed:
        changed = False
        for block in live:
            if block == start:
                continue
            new = every
            for pred in preds[block]:
                new &= result.get(pred, every)
            new |= bit[block]
            if new != result[block]:
                result[block], changed = new, True
    return {block: {other for other in live if result[block] & bit[other]} for block in live}


class Mismatch(Exception):
    pass


def weights(program: Program, kernel: Kernel, shape: Shape) -> tuple[dict[int, float], set[int]]:
    """How often each block runs: in the token's loop for a token, outside of it for a document."""
    weight = {block: 1.0 for block in program.live}

    def apply(found: list, wanted: tuple[Loop, ...], path: str) -> None:
        if len(found) != len(wanted):
            heads = [f"BB{loop[0]}" for loop, _ in found]
            raise Mismatch(f"{path}: {len(found)} loops at {heads}, not {[loop.name for loop in wanted]}")
        for ((head, members, latches), inner), loop in zip(found, wanted):
            exits = [b for b in members if any(s not in members for s in program.succs[b])]
            for block in members:
                if loop.per_token:
                    weight[block] = loop.repeats(shape)
                    continue
                # What lies before the last way out runs once more than the loop goes back.
                again = any(block in program.dominators[e] for e in exits)
                weight[block] *= loop.repeats(shape) + again
            apply(inner, loop.inner, f"{path}/{loop.name}")

    tree = program.tree()
    apply(tree, kernel.loops, kernel.name)
    token = next(loop[1] for (loop, _), wanted in zip(tree, kernel.loops) if wanted.per_token)
    for number, rare in enumerate(kernel.rare):
        # Literals are written in hexadecimal; the stores of a branch are in it and nowhere else.
        marks = [b for b in program.live if any(f"0x{MARK + number:x}" in text for _, text in program.blocks[b])]
        if not marks:
            print(f"  {kernel.name}: no mark of {rare.name!r} in the code", file=sys.stderr)
        for mark in marks:
            # The first block that always leads to the mark, and all that is reached through it alone.
            entry = min(
                (b for b in program.dominators[mark] if b in program.live and mark in program.postdominators[b]),
                key=lambda b: len(program.dominators[b]),
            )
            region = {b for b in program.live if entry in program.dominators[b]}
            for block in region:
                weight[block] *= rare.share(shape)
    return weight, token


# --- what is counted ---------------------------------------------------------------------------------------------


def kind_of(text: str) -> str:
    """The unit that executes an instruction."""
    name = re.sub(r"^.*? = ", "", text) if " = " in text else text
    name = re.sub(r"^\((?:precise|nuw|nsz|[a-z0-9 ,]+)\)", "", name).split()[0]
    if name.startswith("s_buffer_load"):
        return "scalar load" if "storage:buffer" in text else "constant load"
    if name.startswith("s_load"):
        return "constant load"
    if name.startswith(("s_wait",)):
        return "wait" if "depctr" not in name else "other"
    if name == "s_barrier":
        return "barrier"
    if name.startswith(("s_nop", "s_clause", "s_inst_prefetch", "s_sendmsg", "s_delay")):
        return "other"
    if name.startswith(("s_cbranch", "s_branch", "s_endpgm")):
        return "branch"
    if name.startswith("s_"):
        return "salu"
    if name.startswith("v_"):
        return "valu"
    if name.startswith("ds_"):
        return "lds"
    if name.startswith(("buffer_load", "global_load", "flat_load", "scratch_load")):
        return "load"
    if name.startswith(("buffer_store", "global_store", "scratch_store")):
        return "store"
    if "atomic" in name:
        return "atomic"
    return "other"


LGKM = ("lds", "scalar load", "constant load")


def count(program: Program, weight: dict[int, float], members: set[int]) -> dict[str, float]:
    total: Counter[str] = Counter()
    outstanding: set[str] = set()
    for block in sorted(members):
        times, waited = weight[block], None
        for clocks, text in program.blocks[block]:
            if "0x5eed" in text or "gpu_stats" in text:
                continue
            kind = kind_of(text)
            total["instructions"] += times
            total["clocks"] += times * clocks
            total[kind] += times
            if kind == "valu" and re.search(r"v_(mul_lo|mul_hi|mad_u64|rcp|cvt_f32_u32)", text):
                total["valu slow"] += times
            if kind == "wait":
                waited = waits_on(text, outstanding)
                if waited:
                    total[f"wait {waited}"] += times
                    # The clocks are with the wait for some generations, with what follows it for others.
                    total["stalled clocks"] += times * (clocks - 1)
            elif waited and kind != "other":
                total["stalled clocks"] += times * max(0, clocks - 2)
                waited = None
            if kind in (*LGKM, "load", "store", "atomic"):
                outstanding.add(kind)
                if kind == "atomic" and " = " in text:
                    outstanding.add("load")
    return dict(total)


def waits_on(text: str, outstanding: set[str]) -> str | None:
    """The slowest kind that a wait is for, and those that are no longer outstanding."""
    found = None
    if "vmcnt" in text and "load" in outstanding:
        found = "load"
    if "vscnt" in text and outstanding & {"store", "atomic"}:
        found = found or "store"
    if "lgkmcnt" in text and outstanding & set(LGKM):
        found = found or next(kind for kind in ("scalar load", "lds", "constant load") if kind in outstanding)
    for counter, kinds in (("vmcnt(0)", {"load"}), ("lgkmcnt(0)", set(LGKM)), ("vscnt(0)", {"store", "atomic"})):
        if counter in text or ("vscnt" in counter and "vscnt" in text):
            outstanding -= kinds
    return found


def most_waves(family: str) -> int:
    return MOST_WAVES.get(family, 16)


def measure(compiler: Compiler, name: str, family: str, shape: str, show_blocks: bool) -> dict:
    kernel = KERNELS[name]
    plain = {k: compiler.compile(wgsl(kernel, k), family) for k in K_STARS}
    statistics, _ = plain[1000]
    program = Program(compiler.compile(marked(wgsl(kernel, 1000), kernel), family)[1])
    weight, token = weights(program, kernel, SHAPES[shape])
    if show_blocks:
        for block in sorted(token):
            if program.blocks[block]:
                clocks = sum(clk for clk, _ in program.blocks[block])
                print(f"BB{block}: {weight[block]:.3f} × {len(program.blocks[block])} ({clocks} clk)")
    return {
        "kernel": name,
        "family": family,
        "shape": shape,
        "wave lanes": program.wave_lanes,
        "documents per wave": kernel.docs_per_wave(program.wave_lanes),
        "token": count(program, weight, token),
        "document": count(program, weight, set(program.live) - token),
        "cold waits": min(KERNELS[name].cold_waits(SHAPES[shape]), 1e9),
        "VGPRs": statistics["VGPRs"],
        "SGPRs": statistics["SGPRs"],
        "spills": statistics["Spilled SGPRs"] + statistics["Spilled VGPRs"] + statistics["Scratch size"],
        "LDS bytes": {k: plain[k][0]["LDS size"] for k in K_STARS},
        "waves": {k: Program(plain[k][1]).waves for k in K_STARS},
        "most waves": most_waves(family),
    }


# --- tables ------------------------------------------------------------------------------------------------------

COLUMNS = (
    ("instructions", lambda t: t["instructions"]),
    ("VALU", lambda t: t.get("valu", 0)),
    ("SALU", lambda t: t.get("salu", 0) + t.get("branch", 0)),
    ("global loads", lambda t: t.get("load", 0) + t.get("scalar load", 0)),
    ("stores, atomics", lambda t: t.get("store", 0) + t.get("atomic", 0)),
    ("LDS", lambda t: t.get("lds", 0)),
    ("waits: loads", lambda t: t.get("wait load", 0) + t.get("wait scalar load", 0)),
    ("waits: stores", lambda t: t.get("wait store", 0)),
    ("waits: LDS", lambda t: t.get("wait lds", 0)),
    ("barriers", lambda t: t.get("barrier", 0)),
    ("latency, clocks", lambda t: t["clocks"]),
    ("of it stalled", lambda t: t.get("stalled clocks", 0)),
)


def number(value: float) -> str:
    return f"{value:,.0f}" if value >= 20 else f"{value:.1f}".removesuffix(".0")


def print_tables(results: list[dict]) -> None:
    print("Per token and wave:\n")
    print("| token | kernel | GPU | lanes | documents | " + " | ".join(name for name, _ in COLUMNS) + " |")
    print("|---" * (5 + len(COLUMNS)) + "|")
    for r in results:
        cells = [SHAPES[r["shape"]].name, KERNELS[r["kernel"]].name, r["family"].upper(), str(r["wave lanes"])]
        cells += [number(r["documents per wave"])] + [number(value(r["token"])) for _, value in COLUMNS]
        print("| " + " | ".join(cells) + " |")
    print("\nHeld at once:\n")
    waves = " | ".join(f"waves per SIMD, K* = {k}" for k in K_STARS)
    print(f"| kernel | GPU | VGPRs | spills | LDS bytes, K* = {', '.join(map(str, K_STARS))} | {waves} | at most |")
    print("|---" * (6 + len(K_STARS)) + "|")
    seen = set()
    for r in results:
        if (r["kernel"], r["family"]) in seen:
            continue
        seen.add((r["kernel"], r["family"]))
        lds = ", ".join(f"{r['LDS bytes'][k]:,}" for k in K_STARS)
        held = " | ".join(str(r["waves"][k]) for k in K_STARS)
        print(
            f"| {KERNELS[r['kernel']].name} | {r['family'].upper()} | {r['VGPRs']} | {r['spills']} | {lds} | {held} "
            f"| {r['most waves']} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kernels", default=",".join(USED))
    parser.add_argument("--shapes", default=",".join(SHAPES))
    parser.add_argument("--json", type=Path)
    parser.add_argument("--blocks", action="store_true", help="print how often each block runs")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        compiler = Compiler(Path(work))
        results = [
            measure(compiler, kernel, family, shape, options.blocks)
            for shape in options.shapes.split(",")
            for kernel in options.kernels.split(",")
            for family in FAMILIES
        ]
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))
    print_tables(results)


if __name__ == "__main__":
    try:
        main()
    except Mismatch as problem:
        raise SystemExit(f"the loops are not those of kernels.py: {problem}")
