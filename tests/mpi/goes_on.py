"""A run goes on to the same bytes, whoever has ended it, and ends with all its ranks whatever one of them does."""

import json
import os
import random
import re
import signal
import subprocess
import time
from pathlib import Path

import same
from corpora import write_themes
from launch import (
    ALL,
    QUICK,
    SAMPLE,
    alone,
    compare,
    ended,
    ended_with_one,
    errors_in,
    folder,
    gone_at,
    iterations_done,
    kill,
    killed,
    newest,
    on_ranks,
    rank_processes,
    ranks,
    refused,
    run,
    started,
    telling,
    together,
    wait_until,
    wait_until_said,
)


def kill_one(job, generator, rank=None):
    """Kills a rank of a job, or any of them; when, or none if all were gone already."""
    processes = rank_processes(job.pid)
    victims = [process for at, process in sorted(processes.items()) if rank in (None, at)]
    return time.monotonic() if victims and kill(generator.choice(victims)) else None


def worked(process):
    """Hundredths of a second for which a process has worked; none when it is gone."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return int(fields[11]) + int(fields[12])


def are_at_work(job, number, hundredths):
    """Whether so many ranks are there and have worked for so long: a launcher that is still starting them may hang when one ends."""
    processes = rank_processes(job.pid)
    return len(processes) == number and all(worked(process) >= hundredths for process in processes.values())


# What runs that are killed on their way are asked for in turn: what a checkpoint keeps beside z, and what is made of it at the end.
ASKED = [
    "--holdout 0.05",
    "--alpha learn --beta learn:10,1000 --gamma learn",
    "--gamma 300",
    "--phi dirichlet --max-topics 60",
]
# All of them that go together.
ALL_ASKED = "--holdout 0.05 --alpha learn --beta learn:10,1000 --gamma learn"


def killed_and_resumed():
    """Ranks are killed at random moments of the iterations, the first one and others, and the run goes on with other numbers of them."""
    generator, waits = random.Random(3), []
    for at, asked in enumerate(ASKED if ALL else [ALL_ASKED]):
        waits += killed_on_the_way(f"asked-{at}", asked, 4, generator)
    print(f"{len(waits)} kills, at most {max(waits):.1f} s to the end of all")


def killed_on_the_way(name, asked, kills, generator):
    """Kills a run that is asked for so many times; the seconds from each kill to the end of all ranks."""
    course = f"train {SAMPLE} --device cpu --threads 1 --quiet --samples 3 --checkpoint-every 5 {asked}"
    # More iterations than any attempt comes to.
    endless = f"{course} --iterations 1000000 --thin 10"
    out, waits = folder(name), []
    for attempt in range(kills):
        # A checkpoint newer than the one that it goes on from, and a moment.
        before, number = newest(out), generator.choice([2, 3, 4])
        job = started(on_ranks(number, f"{endless} --out {out} --resume"))
        wait_until(lambda before=before: newest(out) > before, job)
        time.sleep(generator.random() * 0.2)
        dead = kill_one(job, generator, 0 if attempt == 0 else None)
        assert dead, f"no rank was found\n{killed(job)}"
        said, took = ended_with_one(job, dead)
        waits.append(took)
        assert job.returncode != 0 and newest(out) > before, f"exit code {job.returncode}\n{said}"
        assert re.search(r"rank \d+.* on node |KILLED BY SIGNAL: 9", said), f"nobody says which rank was killed\n{said}"
    # The last part, by a process without others: its samples are yet to come.
    command = f"{course} --iterations {newest(out) + 40} --thin 10"
    alone(f"{command} --out {out} --resume")
    alone(f"{command} --out {folder(f'{name}-one')}")
    compare(f"{name}-one", name, checkpoints=False)
    return waits


def killed_in_chains():
    """The same of runs of several chains, which end by themselves: a kill may come after that."""
    generator = random.Random(5)
    write_themes("themes.txt")
    settled = "themes.txt --vocab none --until settled --init-topics 4 --trace-every 1 --iterations 400"
    for name, asked in [("chains", f"{SAMPLE} --samples 3 --iterations 60"), ("settled", settled)]:
        command = f"train {asked} --chains 2 --checkpoint-every 5 --device cpu --threads 1 --quiet"
        alone(f"{command} --out {folder(f'{name}-one')}")
        out, hits = folder(name), 0
        for _ in range(4 if ALL else 2):
            before = kept_in_chains(out)
            job = started(on_ranks(generator.choice([2, 3, 4]), f"{command} --out {out} --resume"))
            wait_until(lambda before=before: kept_in_chains(out) != before, job, or_ended=True)
            time.sleep(generator.random() * 0.2)
            kill_one(job, generator)
            ended(job)
            hits += job.returncode != 0
        ranks(generator.choice([2, 3, 4]), f"{command} --out {out} --resume")
        compare(f"{name}-one", name, checkpoints=False)
        print(f"{name}: {hits} kills came in time")


def kept_in_chains(out):
    """The checkpoints of all chains of a run."""
    return sorted(Path(out).rglob("iteration-*.checkpoint"))


def killed_before_and_after_iterations():
    """Moments from the start of the program to its last file, wherever they come to lie; those before the first iteration and those of
    results are tried until each has been met."""
    # Many topics, so that results take some time.
    command = "train sample --device cpu --threads 1 --quiet --iterations 12 --checkpoint-every 5"
    alone(f"{command} --out {folder('one')}")
    generator, hits = random.Random(4), []
    moments = {
        # They are there, and have yet to find each other or to begin.
        "before": lambda job, out: wait_until(lambda: are_at_work(job, 2, 2), job, or_ended=True),
        "anywhere": lambda job, out: wait_until(lambda: are_at_work(job, 2, 2 + generator.randrange(50)), job, or_ended=True),
        # The last checkpoint is there, and results are being written.
        "results": lambda job, out: wait_until(lambda: newest(out) == 12, job, or_ended=True),
    }
    for attempt in range(60):
        name = list(moments)[attempt % len(moments)]
        if attempt >= (10 if ALL else 3) and (name == "anywhere" or any(hit.startswith(name) for hit in hits)):
            continue
        out = folder(f"again-{attempt}")
        job = started(on_ranks(2, f"{command} --out {out} --resume"))
        moments[name](job, out)
        hit = kill_one(job, generator)
        said, seconds = ended_with_one(job, hit) if hit else (ended(job), 0)
        hits += [f"{name}, after {iterations_done(out)} iterations, {seconds:.1f} s"] if hit and job.returncode else []
        ranks(3, f"{command} --out {out} --resume")
        compare("one", f"again-{attempt}", checkpoints=False)
    print(f"kills that came in time: {'; '.join(hits)}")
    assert all(any(hit.startswith(name) for hit in hits) for name in ["before", "results"]), "no kill came before, or none in results"


def asked_to_stop(number, send, more=""):
    """A long run on ranks that is asked to stop on its way; what it says, and its exit code."""
    command = f"train {SAMPLE} --device cpu --threads 1 --iterations 1000000 --checkpoint-every 3 --out run {more}"
    job = started(on_ranks(number, command))
    wait_until(lambda: iterations_done("run") >= 5, job)
    send(job)
    said = ended(job)
    return said, job.returncode


def interrupted():
    """Whoever is asked to stop, it is the first rank that stops all, with a checkpoint and results."""

    def ask(job):
        for _, process in sorted(rank_processes(job.pid).items()):
            kill(process, signal.SIGTERM)

    # Time for results, on however busy a machine.
    said, code = asked_to_stop(3, ask, "--grace 1h")
    assert "interrupted after iteration" in said, said
    assert "if the launcher leaves no time for it, the last checkpoint is kept; go on with: " in said, said
    assert code == 130, code
    assert Path("run/report.html").exists()


def interrupted_at_the_launcher():
    """The launcher may leave little time: whatever it leaves, the run goes on to the same bytes."""
    for name, asked in [("ctrl-c", signal.SIGINT), ("term", signal.SIGTERM)]:
        Path(name).mkdir()
        os.chdir(name)
        said, code = asked_to_stop(2, lambda job: job.send_signal(asked))
        assert code != 0, said
        # A second one of the same number of iterations, from where the first one came to.
        further = newest("run") + 8
        command = f"train {SAMPLE} --device cpu --threads 1 --iterations {further} --checkpoint-every 3"
        ranks(3, f"{command} --out run --resume --quiet")
        os.chdir("..")
        alone(f"{command} --out {folder(f'{name}-one')} --quiet")
        compare(f"{name}-one", name, checkpoints=False)


def fails(fault, rank=1):
    """A run that goes on from a checkpoint until a rank fails, while the others wait for it; what is said, and the exit code. The
    checkpoint stays as it was, and the run goes on from it to the same bytes."""
    command = f"train {SAMPLE} --device cpu --threads 1 --quiet --trace-every 2 --checkpoint-every 1000"
    alone(f"{command} --iterations 12 --out {folder('one')}")
    out = folder("again")
    ranks(2, f"{command} --iterations 4 --out {out}")
    before = state_kept(out, 4)
    further = f"{command} --iterations 12 --out {out} --resume"
    commands = [f"{further} --inject-fault {fault}:8" if at == rank else further for at in range(2)]
    said, code = failed(rank, commands)
    assert newest(out) == 4 and state_kept(out, 4) == before, "the checkpoint is not what it was"
    alone(further)
    compare("one", "again", checkpoints=False)
    return said, code


def state_kept(out, iteration):
    """The state in a checkpoint, without the settings of the run, which says anew how far it is to go."""
    kept = same.content(Path(out, f"checkpoint/iteration-{iteration}.checkpoint"))
    return {name: part for name, part in kept.items() if name != "info"}


def failed(rank, commands):
    """Has ranks, one of which fails, do these commands; what is said, and the exit code."""
    told = {"first" if rank == 0 else "last": telling("failing")}
    job = started(together(*commands, **told))
    wait_until(lambda: Path("failing").exists() and Path("failing").read_text().endswith("\n"), job, or_ended=True)
    said, took = ended_with_one(job, gone_at(int(Path("failing").read_text())))
    print(f"{took:.1f} s from the end of rank {rank} to that of all")
    return said, job.returncode


def a_rank_that_panics():
    said, code = fails("panic")
    assert code == 1, said
    refused(said, "rank 1 of 2 on ")


def a_first_rank_that_panics():
    said, code = fails("panic", rank=0)
    assert code == 1, said
    refused(said, "rank 0 of 2 on ")


def without_memory(rank):
    said, code = fails("memory", rank)
    assert code != 0 and re.search("memory allocation of .* failed", said), said
    assert re.search(f"this was rank {rank} of 2 on .*; all end with it", said), said


def a_rank_without_memory():
    """What cannot be caught names the rank too, and ends all."""
    without_memory(1)


def a_first_rank_without_memory():
    without_memory(0)


def a_rank_that_fails_at_new_documents():
    """Whoever fails while topics or scores of new documents are made, all end with one sentence, and nothing is written."""
    alone(f"train {SAMPLE} {QUICK} --holdout 0.05 --out run")
    sampling = "--device cpu --threads 1 --burn-in 5 --samples 3"
    for name, command in [
        ("topics", f"infer run sample {sampling} --out topics"),
        ("scores", f"evaluate run {sampling} --particles 2 --out scores"),
    ]:
        for rank in range(2):
            commands = [f"{command} --inject-fault panic:4" if at == rank else command for at in range(2)]
            said, code = failed(rank, commands)
            assert code == 1, said
            refused(said, f"rank {rank} of 2 on ")
            assert not Path(name).exists(), f"there are {name}"


def a_rank_that_is_killed_at_new_documents():
    alone(f"train {SAMPLE} {QUICK} --out run")
    command = "infer run sample --device cpu --threads 1 --burn-in 1000000 --quiet --out topics"
    for rank in range(2):
        job = started(on_ranks(2, command))
        # Somewhere in its endless work.
        wait_until(lambda job=job: are_at_work(job, 2, 50), job)
        dead = kill_one(job, random.Random(6), rank)
        said, took = ended_with_one(job, dead)
        assert job.returncode != 0 and not Path("topics").exists(), said
        print(f"{took:.1f} s from the end of rank {rank} to that of all")


def temporary_files(place):
    """Words that start a program whose temporary files are there; MPI's own stay where they are."""
    return ["env", f"TMPDIR={place.resolve()}"]


def a_disk_that_refuses():
    """The first rank has no room any more, for temporary files or in the folder of the run: the last good checkpoint stays, and the run
    goes on from there."""
    command = f"train {SAMPLE} --device cpu --threads 1 --trace-every 2"
    alone(f"{command} --iterations 6 --out {folder('tokens')} --quiet")
    tokens = json.loads(Path("tokens/run/run.json").read_text())["corpus"]["tokens"]
    # Topics have 2 bytes; a checkpoint has more than them, and a bit less is too little for it.
    whole = min(path.stat().st_size for path in Path("tokens/run/checkpoint").glob("*.checkpoint"))
    assert whole > 2 * tokens + 1000, f"{whole} bytes for {tokens} tokens"
    Path("temporary").mkdir()
    for name, size, refusing in [("of-topics", 2 * tokens - 1, "/temporary: "), ("of-the-run", 2 * tokens, "of-the-run/run/")]:
        out, further = folder(name), f"{command} --checkpoint-every 3 --disk-patience 1s"
        endless = f"{further} --iterations 1000000 --out {out} --grace 1h"
        job = started(together(endless, endless, first=temporary_files(Path("temporary"))))
        wait_until(lambda out=out: iterations_done(out) >= 12, job)
        first = rank_processes(job.pid)[0]
        subprocess.run(["prlimit", f"--pid={first}", f"--fsize={size}:unlimited"], check=True)
        kill(first, signal.SIGTERM)
        said, kept = ended(job), newest(out)
        assert job.returncode == 1 and len(errors_in(said)) == 1, f"exit code {job.returncode}\n{said}"
        assert re.search(f"error: rank 0 of 2 on .*{refusing}.*cannot be written", said), said
        assert f"the checkpoint of iteration {kept} is kept" in said, said
        command_further = f"{further} --iterations {kept + 8} --quiet"
        ranks(3, f"{command_further} --out {out} --resume")
        alone(f"{command_further} --out {folder(f'{name}-one')}")
        compare(f"{name}-one", name, checkpoints=False)


def a_disk_that_refuses_for_a_moment():
    """While there is no room for the topics of all, iterations go on; later all ranks give theirs again, and nothing is left of before."""
    command = f"train {SAMPLE} --device cpu --threads 1 --trace-every 20 --finish 0 --iterations 600"
    alone(f"{command} --quiet --out {folder('one')}")
    out, place = folder("again"), Path("temporary")
    place.mkdir()
    command = f"{command} --checkpoint-every 5 --disk-patience 1h --out {out}"
    job = started(together(command, command, command, first=temporary_files(place)))
    wait_until(lambda: newest(out) >= 5, job)
    place.rename("elsewhere")
    said = wait_until_said("warning: .*temporary: cannot be written", job)
    Path("elsewhere").rename(place)
    said += ended(job)
    assert job.returncode == 0, said
    compare("one", "again", checkpoints=False)


def a_deadlock_is_seen():
    """The time limit of these tests does turn red: a rank that never comes back has the others wait for ever, however short their patience
    is, as it still is there; and all are ended."""
    command = f"train {SAMPLE} {QUICK} --out run --rank-patience 3s"
    job = started(together(command, f"{command} --inject-fault hang:3"))
    wait_until(lambda: iterations_done("run") == 2, job)
    processes = rank_processes(job.pid)
    try:
        ended(job, 5)
    except AssertionError as problem:
        assert "not done after 5 s" in str(problem)
    else:
        raise AssertionError("ranks that wait for each other have ended")
    assert len(processes) == 2 and iterations_done("run") == 2, f"{processes}, {iterations_done('run')} iterations"


SCENARIOS = [
    a_deadlock_is_seen, killed_and_resumed, killed_before_and_after_iterations, interrupted, interrupted_at_the_launcher,
    a_rank_that_panics, a_first_rank_that_panics, a_rank_without_memory, a_first_rank_without_memory, a_rank_that_fails_at_new_documents,
    a_rank_that_is_killed_at_new_documents, a_disk_that_refuses, a_disk_that_refuses_for_a_moment, *([killed_in_chains] if ALL else []),
]  # fmt: skip
