"""Starts the program, by itself and on ranks, always with a limit of time; and says what is different about two runs."""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import same

PROGRAM, MPI = sys.argv[1:3]
ALL = "--all" in sys.argv
# Mesa complains when it is not set.
os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.gettempdir())
LAUNCH = {
    "openmpi": "mpirun --allow-run-as-root --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 --mca btl self,vader,tcp",
    "mpich": "mpiexec.mpich",
}[MPI].split()
# Where a launcher tells a process which rank it is.
RANK = {"openmpi": "OMPI_COMM_WORLD_RANK", "mpich": "PMI_RANK"}[MPI]

# Seconds that no command takes, on however busy a machine (ranks of MPICH that wait take a processor each), and that none takes to be
# gone once it was killed.
LONGEST = 600
KILLED = 20
# Seconds from the end of a rank to that of all, where there is a processor for each; the most where there is not.
END_OF_ALL = 10
END_OF_ALL_BUSY = 60
# A corpus with few topics: what is done topic by topic, results above all, takes a fifth of the time.
SAMPLE = "sample --init-topics 40"
QUICK = "--device cpu --threads 1 --quiet --iterations 6 --trace-every 2"


def started(words, given=os.devnull, **variables):
    """A command in a group of processes of its own, with a file as its input."""
    environment = {**os.environ, **variables}
    with open(given, "rb") as given:
        return subprocess.Popen(
            words, stdin=given, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment, start_new_session=True
        )


def ended(job, longest=LONGEST):
    """What a command prints until it ends; all its processes go when it takes too long."""
    try:
        return job.communicate(timeout=longest)[0].decode(errors="replace")
    except subprocess.TimeoutExpired:
        said = killed(job)
        raise AssertionError(f"{job.args}: not done after {longest} s\n{said}") from None


def killed(job):
    """Ends a command with all its ranks, which may have groups of their own; what it has printed."""
    victims = rank_processes(job.pid)
    try:
        os.killpg(job.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    for process in victims.values():
        kill(process)
    try:
        return job.communicate(timeout=KILLED)[0].decode(errors="replace")
    except subprocess.TimeoutExpired as still:
        # Some process of another group holds the pipe.
        return (still.stdout or b"").decode(errors="replace")


def kill(process, by=signal.SIGKILL):
    """Sends a signal; whether there was still somebody to send it to."""
    try:
        os.kill(process, by)
    except ProcessLookupError:
        return False
    return True


def ended_with_one(job, dead):
    """The same of a job of which one rank has died at this time of the monotonic clock: all others end soon."""
    said = ended(job, LONGEST)
    took = time.monotonic() - dead
    # As many seconds more as processes wait for each processor.
    longest = min(END_OF_ALL * max(1, os.getloadavg()[0] / os.cpu_count()), END_OF_ALL_BUSY)
    assert took <= longest, f"{took:.1f} s from the end of a rank to that of all, and not {longest:.1f}\n{said}"
    return said, took


def gone_at(process):
    """Waits until a process has died, and returns when it was seen to."""
    end = time.monotonic() + LONGEST
    while time.monotonic() < end:
        try:
            state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            state = "X"
        if state in "XZ":
            return time.monotonic()
        time.sleep(0.005)
    raise AssertionError(f"process {process} is still there after {LONGEST} s")


def run(words, code=0, longest=LONGEST, **variables):
    """What a command prints, which ends with this exit code."""
    job = started(words, **variables)
    said = ended(job, longest)
    assert job.returncode == code, f"{words}: exit code {job.returncode}, not {code}\n{said}"
    return said


def alone(command, **more):
    return run([PROGRAM, *command.split()], **more)


def on_ranks(number, command):
    return [*LAUNCH, "-n", str(number), PROGRAM, *command.split()]


def ranks(number, command, **more):
    return run(on_ranks(number, command), **more)


def telling(file):
    """Words that start a program which first writes to a file which process it is."""
    return ["sh", "-c", f'echo $$ > {Path(file).resolve()}; exec "$@"', "sh"]


def together(*commands, folders=None, first=(), last=(), program=PROGRAM):
    """Ranks with a command each, and maybe a folder each; the words `first` start the first one's program, and `last` the last one's, which
    may be another program."""
    words = [*LAUNCH]
    for at, command in enumerate(commands):
        home = ["-wdir", str(Path(folders[at]).resolve())] if folders else []
        is_last = at + 1 == len(commands)
        before = [*(first if at == 0 else ()), *(last if is_last else ())]
        words += [*([":"] if at else []), "-n", "1", *home, *before, program if is_last else PROGRAM, *command.split()]
    return words


def wait_until(holds, job, or_ended=False):
    """Waits for what a running command does, or until it has ended."""
    end = time.monotonic() + LONGEST
    while not holds() and not (or_ended and job.poll() is not None):
        assert job.poll() is None, f"{job.args} has ended:\n{killed(job)}"
        if time.monotonic() > end:
            raise AssertionError(f"{job.args}: not there after {LONGEST} s\n{killed(job)}")
        time.sleep(0.01)


def wait_until_said(sentence, job):
    """Waits until a running command prints this; what it has printed so far."""
    said, pipe = b"", job.stdout.fileno()
    os.set_blocking(pipe, False)

    def holds():
        nonlocal said
        try:
            said += os.read(pipe, 1 << 16)
        except BlockingIOError:
            pass
        return re.search(sentence.encode(), said)

    wait_until(holds, job)
    os.set_blocking(pipe, True)
    return said.decode(errors="replace")


def folder(name):
    """A folder for a run, whose own name is in its report."""
    Path(name).mkdir(exist_ok=True)
    return f"{name}/run"


def compare(one, several, checkpoints=True):
    found, files = same.differences(one, several, checkpoints)
    assert not found, f"{several}: {', '.join(found)}"
    assert files >= (20 if checkpoints else 18), f"{several}: {files} files only"


def errors_in(said):
    # Mesa has errors of its own to tell.
    return [line for line in said.splitlines() if line.startswith("error: ") and "XDG_RUNTIME_DIR" not in line]


def refused(said, sentence):
    """One sentence, whoever says it."""
    lines = errors_in(said)
    assert len(lines) == 1 and re.search(sentence, lines[0]), said


def iterations_done(out):
    """The rows of a run's timing.csv."""
    path = Path(out) / "timing.csv"
    return max(len(path.read_text().splitlines()) - 1, 0) if path.exists() else 0


def newest(out):
    """The iteration of a run's newest checkpoint; -1 without any."""
    names = Path(out).glob("checkpoint/iteration-*.checkpoint")
    return max((int(path.stem.removeprefix("iteration-")) for path in names), default=-1)


def rank_processes(launcher):
    """The processes of the program below a launcher, by rank."""
    found, parents = {}, {launcher}
    for _ in range(4):
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                text = stat.read_text()
                variables = (stat.parent / "environ").read_bytes().split(b"\0")
            except OSError:
                continue
            process, parent = int(stat.parent.name), int(text.rpartition(")")[2].split()[1])
            if parent not in parents:
                continue
            parents.add(process)
            rank = [value.partition(b"=")[2] for value in variables if value.startswith(f"{RANK}=".encode())]
            if rank and text.partition("(")[2].rpartition(")")[0] == Path(PROGRAM).name[:15]:
                found[int(rank[0])] = process
    return found
