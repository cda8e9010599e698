"""Runs the program of another platform beside that of this one: the same commands must leave the same bytes.

scenarios.py windows|arm REFERENCE OTHER [PRESS]   (PRESS presses Ctrl-C and Ctrl-Break for the other one)

The variable SCENARIOS names some of them, separated by spaces; all are run unless it is set.
"""

import gzip
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import same

PLATFORM, REFERENCE, OTHER = sys.argv[1:4]
PRESS = sys.argv[4:]
FIXTURES = Path(__file__).resolve().parent.parent / "fixtures" / "formats"
TEXT = [
    "The ship sails the sea, and the captain looks at the wind.",
    "Money in the bank: a loan, interest, and more money.",
    "Größe und Straße — naïve café; 船 走る",
    "The judge hears the jury, and the court the witness.",
]
KEEP_ALL = "--stopwords none --min-count 1 --min-doc-length 1"
SHORT = "--device cpu --threads 2 --quiet --trace-every 2"
QUICK = f"{SHORT} --iterations 6"

# Seconds that no command takes.
LONGEST = 900

# The server of wine sends SIGKILL to a process of Unix that is still there half a second after the last thread of its program
# has ended (process_sigkill in server/process.c), as on a busy machine; its exit code is lost then.
KILLED_BY_WINE = [-9, 137] if PLATFORM == "windows" else []

passed = []


class World:
    """A folder for each program, with the same corpora beside both."""

    def __init__(self, root):
        self.root = Path(root)
        self.folders = {REFERENCE: self.root / "reference", OTHER: self.root / PLATFORM}
        for folder in self.folders.values():
            folder.mkdir()

    def run(self, program, command, code=0, stdin=None, folder=None, **variables):
        """Standard output and error of a command, in the folder of `program` unless one is given."""
        words = command.split() if isinstance(command, str) else command
        environment = {**os.environ, **variables}
        folder = folder or self.folders[program]
        done = subprocess.run(
            [program, *words], cwd=folder, input=stdin, capture_output=True, env=environment, timeout=LONGEST
        )
        said = done.stderr.decode(errors="replace")
        if program == OTHER and done.returncode in KILLED_BY_WINE:
            # What it has written and said is compared all the same.
            print(f"  wine's server was faster than {words[0]} to end its process, so its exit code is not known", flush=True)
            return done.stdout, said
        assert done.returncode == code, f"{program} {words}: exit code {done.returncode}, not {code}\n{said}"
        return done.stdout, said

    def same(self, name, *commands, stdin=None):
        """Both programs do the same, say the same and leave the same."""
        said = [[self.run(program, command, stdin=stdin)[0] for command in commands] for program in self.folders]
        said = [[same.output(out) for out in of_program] for of_program in said]
        assert said[0] == said[1], f"{name}: standard output differs:\n{said[0]}\n{said[1]}"
        self.compare(name)

    def compare(self, name):
        found, files = same.differences(*self.folders.values())
        assert not found, f"{name}: {found}"
        assert files > 0, f"{name}: nothing was written"
        passed.append(f"{name}: {files} files")
        print(f"  same: {name}, {files} files", flush=True)
        self.clear()

    def clear(self):
        for folder in self.folders.values():
            shutil.rmtree(folder)
            folder.mkdir()


def uci(docs, words, entries):
    rows = "".join(f"{d} {v} {count}\n" for d, v, count in entries)
    return f"{docs}\n{words}\n{len(entries)}\n{rows}"


def corpora(folder):
    """The same texts and counts in every format."""
    shutil.copytree(FIXTURES, folder)
    (folder / "lines.txt").write_text("\n".join(TEXT * 5) + "\n", encoding="utf-8")
    (folder / "crlf.txt").write_bytes("\r\n".join(TEXT * 5).encode("utf-16"))
    (folder / "lines.txt.gz").write_bytes(gzip.compress((folder / "lines.txt").read_bytes()))
    rows = [(f"Nr {d}", d % 3, text.replace(",", ";")) for d, text in enumerate(TEXT * 5)]
    (folder / "table.csv").write_text("id,year,text\n" + "".join(f"{i},{y},{t}\n" for i, y, t in rows), encoding="utf-8")
    (folder / "table.tsv").write_text("id\tyear\ttext\n" + "".join(f"{i}\t{y}\t{t}\n" for i, y, t in rows), encoding="utf-8")
    lines = "".join(f'{{"id": "{i}", "year": {y}, "text": "{t}"}}\n' for i, y, t in rows)
    (folder / "table.jsonl").write_text(lines, encoding="utf-8")
    (folder / "mallet.txt").write_text("".join(f"n{d} label {text}\n" for d, text in enumerate(TEXT * 5)), encoding="utf-8")
    for name in ["b.txt", "a.txt", "sub/c.txt", "sub/deep/Größe.txt", "sub/.hidden", "z走.txt"]:
        path = folder / "letters" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(TEXT[len(name) % 4] * 3, encoding="utf-8")
    giant = [(1, 1, 3), *((2, v, 4000) for v in range(1, 51)), (3, 50, 2)]
    (folder / "giant").write_text(uci(3, 50, giant))
    (folder / "one-word").write_text(uci(30, 1, [(d, 1, d) for d in range(1, 31)]))
    (folder / "empty-document").write_text("3\n4\n5\n1 1 2\n1 3 1\n3 2 1\n3 3 3\n3 4 1\n")


def samplers(world):
    train = f"train sample --out run {QUICK}"
    long = f"train sample --out run {SHORT} --iterations 25 --samples 3"
    world.same("sample", long, "topics run", "evaluate run")
    world.same("sample, exact Φ", f"{train} --phi dirichlet --init-topics 20")
    world.same("sample, direct assignment", f"{train} --sampler direct --init-topics 20")
    world.same("sample, the paper's settings", f"{train} --preset paper --init-topics 20")
    for corpus in ["giant", "one-word", "empty-document"]:
        for sampler in ["--init-topics 20", "--phi dirichlet --max-topics 30 --init one", "--sampler direct"]:
            world.same(f"{corpus} {sampler}", f"train ../corpora/{corpus} --vocab none --out run {QUICK} {sampler}")
    stuck = "--max-topics 2 --init one --beta 1e-6"
    world.same("tokens that are stuck", f"train ../corpora/empty-document --vocab none --out run {QUICK} {stuck}")


def formats(world):
    counts = {
        "gensim.uci": "", "gensim.ldac": "", "gensim.mm": "", "scipy.mtx": "", "transposed.mtx": "--transpose", "csr.npz": "",
        "csc.npz": "", "coo.npz": "", "transposed.npz": "--transpose", "gensim.svmlight": "", "sklearn_one.svmlight": "",
    }
    text = {
        "lines.txt": "", "crlf.txt": "--encoding utf-16", "lines.txt.gz": "", "mallet.txt": "--format mallet", "letters": "",
        "table.csv": "--text-column text --id-column id", "table.tsv": "--text-column text", "table.jsonl": "--text-column text",
    }
    for corpus, flags in {**counts, **{name: f"{flags} {KEEP_ALL}" for name, flags in text.items()}}.items():
        world.same(f"format of {corpus}", f"train ../corpora/{corpus} --out run {QUICK} {flags}")


def commands(world):
    prepare = f"prepare ../corpora/letters --out letters.corpus {KEEP_ALL}"
    train = f"train letters.corpus --out run {QUICK} --holdout 0.3"
    infer = "infer run ../corpora/letters --out new --device cpu"
    world.same("prepare, train, infer, evaluate, report", prepare, train, infer, "evaluate run", "report run")
    lines = world.root / "corpora" / "lines.txt"
    world.same("standard input", f"train - --format text --out run {QUICK} {KEEP_ALL}", stdin=lines.read_bytes())
    world.same("state as a corpus", f"train sample --out run {QUICK}", f"train run/state.gz --out again {QUICK}")
    world.same("three chains", f"train sample --out run {QUICK} --chains 3")
    world.same("synth, force", *2 * ["synth --out made --docs 20 --force"], f"train made/docword.synth.txt --out run {QUICK}")
    world.same("replaced run", *2 * [f"train sample --out run {QUICK} --force"])


def resumed(world):
    """A run begun by one program and ended by the other is the one that was never handed over."""
    start = f"train sample --out run {SHORT} --iterations 8 --samples 2"
    end = f"train sample --out run {SHORT} --iterations 17 --samples 2 --resume"
    for name, first, second in [("here, ended there", REFERENCE, OTHER), ("there, ended here", OTHER, REFERENCE)]:
        for command in [start, end]:
            world.run(REFERENCE, command)
        world.run(first, start, folder=world.folders[OTHER])
        world.run(second, end, folder=world.folders[OTHER])
        world.compare(f"begun {name}")


def leave_what_was_drawn(world):
    """Removes what tells of stops on the way: the record, the page made of it, and the last two checkpoints."""
    for folder in world.folders.values():
        (folder / "run/run.json").unlink()
        (folder / "run/report.html").unlink()
        shutil.rmtree(folder / "run/checkpoint")


def killed(world):
    """Killed in the middle, a run goes on from its last checkpoint, and meanwhile its folder is its own."""
    train = f"train sample --out run {SHORT} --checkpoint-every 20"
    folder = world.folders[OTHER]
    process = subprocess.Popen(
        [OTHER, *train.split(), "--iterations", "100000"], cwd=folder, stderr=subprocess.DEVNULL, start_new_session=True
    )
    wait_for(lambda: len(list((folder / "run/checkpoint").glob("iteration-*0.checkpoint"))) > 1, "checkpoints")
    said = world.run(OTHER, f"train sample --out run {QUICK} --force", code=2)[1]
    assert "another process is training in run" in said, said
    os.killpg(process.pid, 9)
    process.wait()
    last = max(int(path.stem.split("-")[1]) for path in (folder / "run/checkpoint").glob("*.checkpoint"))
    world.run(OTHER, f"{train} --iterations {last + 20} --resume")
    world.run(REFERENCE, f"{train} --iterations {last + 20}")
    leave_what_was_drawn(world)
    world.compare(f"killed and resumed from iteration {last}")


def names(world):
    """Paths that are long, have spaces or are in any script; a folder that is none."""
    odd = "Größe und 走る/ран 1"
    corpus = "../corpora/letters"
    for out in [odd, "/".join(["a-folder-with-a-long-name-" + "x" * 60] * 5)]:
        command = ["train", corpus, "--out", out, *QUICK.split(), *KEEP_ALL.split()]
        again = ["train", corpus, "--out", out, *SHORT.split(), *KEEP_ALL.split(), "--resume", "--iterations", "9"]
        world.same(f"a path of {len(out)} characters", command, again, ["topics", out], ["report", out])
    said = world.run(OTHER, ["train", corpus, "--out", f"{odd}/none", "--device", "nowhere"], code=2)[1]
    assert said.startswith("error: --device: "), said


def plain_output(world):
    """Without a terminal nothing but text is written, whatever the variables for colours say."""
    for variables in [{"NO_COLOR": "1"}, {"CLICOLOR_FORCE": "1"}, {"TERM": "dumb"}]:
        out, said = world.run(OTHER, "train sample --out run --force --device cpu --iterations 12", **variables)
        assert b"\x1b" not in out and "\x1b" not in said and b"\r" not in out and "\r" not in said, (out, said)
        assert "12 iterations in " in out.decode() + said, (out, said)
        page, said = world.run(OTHER, "doctor", **variables)
        assert page.startswith(b"program      hdp-gpu ") and said == "", (page, said)
    for name in ["trace.csv", "timing.csv", "topics.csv", "topic-keys.txt", "vocab.txt", "run.json", "report.html"]:
        assert b"\r" not in (world.folders[OTHER] / "run" / name).read_bytes(), name
    print(page.decode(), flush=True)
    passed.append("plain output")
    world.clear()


def keys(world):
    """Ctrl-C and Ctrl-Break end a run after a whole iteration, and the program here goes on with what they leave."""
    if not PRESS:
        return
    train, folder = f"train sample --out run {SHORT}", world.folders[OTHER]
    for key in ["c", "break"]:
        command = f"{' '.join(PRESS)} {key} run/trace.csv 400 {os.environ['HDP_GPU_EXE']} {train} --iterations 100000 --grace 1h"
        # A console needs a terminal.
        done = subprocess.run(
            ["script", "-qec", command, "/dev/null"], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=LONGEST
        )
        said = done.stdout.decode(errors="replace")
        assert done.returncode == 130, f"Ctrl-{key}: exit code {done.returncode}\n{said}"
        assert '"status": "interrupted"' in (folder / "run/run.json").read_text(), said
        last = int((folder / "run/trace.csv").read_text().splitlines()[-1].split(",")[0])
        world.run(REFERENCE, f"{train} --iterations {last + 5} --resume", folder=folder)
        world.run(REFERENCE, f"{train} --iterations {last + 5}")
        leave_what_was_drawn(world)
        world.compare(f"Ctrl-{key} after iteration {last}")


def wait_for(done, what):
    start = time.time()
    while not done():
        assert time.time() - start < 300, f"waited in vain for {what}"
        time.sleep(0.05)


def main():
    scenarios = [samplers, formats, commands, resumed, killed, names, plain_output, keys]
    if os.environ.get("SCENARIOS"):
        scenarios = [scenario for scenario in scenarios if scenario.__name__ in os.environ["SCENARIOS"].split()]
    with tempfile.TemporaryDirectory() as root:
        world = World(root)
        corpora(world.root / "corpora")
        for scenario in scenarios:
            start = time.time()
            scenario(world)
            print(f"{time.time() - start:6.0f} s  {PLATFORM}: {scenario.__name__}", flush=True)
    print(f"{PLATFORM}: {len(passed)} passed, 0 failed")


main()
