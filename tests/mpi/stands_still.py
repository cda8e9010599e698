"""A rank that stands still, or that the others cannot reach, ends the job; a job that is suspended as a whole goes on."""

import re
import signal
import time

from launch import (
    QUICK,
    SAMPLE,
    alone,
    compare,
    ended,
    ended_with_one,
    errors_in,
    folder,
    iterations_done,
    kill,
    newest,
    on_ranks,
    rank_processes,
    started,
    wait_until,
)

# Seconds within which ranks end without one, as short as a busy machine lets it be, and what they are told for that.
PATIENCE = 4
PATIENT = f"--rank-patience {PATIENCE}s"
ENDLESS = f"train {SAMPLE} --device cpu --threads 1 --quiet --iterations 1000000 --checkpoint-every 5 {PATIENT}"


def assert_missed(said, number, *lost):
    """Nothing else is said than that one of these ranks of so many, on these hosts, is gone. In a minute's patience ranks lose theirs seconds
    after each other, and one speaks for all; in this short one several may."""
    names = "|".join(f"rank {rank} of {number} on {host}" for rank, host in lost)
    sentence = rf"error: ({names}): nothing was heard of it for \d s, as when a process is stopped"
    lines = errors_in(said)
    assert lines and all(re.match(sentence, line) for line in lines), said


def goes_on_from_its_checkpoint(name):
    """The run in a folder goes on to the bytes of one that nothing has happened to."""
    kept = newest(f"{name}/run")
    assert kept > 0, "no checkpoint is left"
    further = f"train {SAMPLE} --device cpu --threads 1 --quiet --checkpoint-every 5 --iterations {kept + 8}"
    alone(f"{further} --out {name}/run --resume")
    alone(f"{further} --out {folder(f'{name}-one')}")
    compare(f"{name}-one", name, checkpoints=False)


def a_rank_that_stands_still():
    for rank in [0, 2]:
        name = f"without-{rank}"
        out = folder(name)
        job = started(on_ranks(3, f"{ENDLESS} --out {out}"))
        wait_until(lambda out=out: newest(out) > 0, job)
        stopped = time.monotonic()
        kill(rank_processes(job.pid)[rank], signal.SIGSTOP)
        said, took = ended_with_one(job, stopped)
        assert job.returncode == 1, f"exit code {job.returncode}\n{said}"
        assert_missed(said, 3, (rank, ".*"))
        print(f"{took:.1f} s from when rank {rank} was stopped to the end of all")
        goes_on_from_its_checkpoint(name)


def a_job_that_sleeps():
    """Everybody is stopped for longer than ranks wait for each other, the launcher too, and goes on one after the other."""
    command = f"train {SAMPLE} {QUICK.replace('--iterations 6', '--iterations 100')} {PATIENT}"
    alone(f"{command} --out {folder('one')}")
    out = folder("of-3")
    job = started(on_ranks(3, f"{command} --out {out}"))
    wait_until(lambda: iterations_done(out) >= 2, job)
    everybody = [job.pid, *rank_processes(job.pid).values()]
    assert len(everybody) == 4 and all(kill(process, signal.SIGSTOP) for process in everybody), everybody
    before = iterations_done(out)
    time.sleep(PATIENCE + 2)
    assert iterations_done(out) == before < 100, f"{before} iterations, and {iterations_done(out)} after the sleep"
    for process in everybody:
        kill(process, signal.SIGCONT)
    said = ended(job)
    assert job.returncode == 0, said
    compare("one", "of-3")


SCENARIOS = [a_rank_that_stands_still, a_job_that_sleeps]
