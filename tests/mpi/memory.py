"""A rank has its share of the tokens in memory, and no more."""

from pathlib import Path

from launch import PROGRAM, alone, killed, newest, on_ranks, rank_processes, started, wait_until

# Few words and topics, so that there is little but tokens.
WORDS, WORDS_PER_DOC, COUNT = 200, 20, 10
DOCS = {"few": 1_000, "many": 20_000}
SHARE = 0.6


def write_corpus(path, docs):
    entries = (f"{d + 1} {1 + (7 * d + 11 * at) % WORDS} {COUNT}\n" for d in range(docs) for at in range(WORDS_PER_DOC))
    Path(path).write_text(f"{docs}\n{WORDS}\n{docs * WORDS_PER_DOC}\n" + "".join(entries))


def memory_of(process):
    """Bytes that a process has for itself, and those of files that it has mapped."""
    lines = [line.split() for line in Path(f"/proc/{process}/status").read_text().splitlines()]
    return tuple(next(1024 * int(line[1]) for line in lines if line[0] == name) for name in ["RssAnon:", "RssFile:"])


def while_training(corpus, number, mapped):
    """The most that each process has at once in iterations and checkpoints, by rank: for itself, and with files that it has mapped, whose
    pages the system takes back when others need them."""
    out = f"{corpus.split()[0]}-on-{number}"
    asked = "--init-topics 5 --max-topics 20 --iterations 100000 --checkpoint-every 4"
    command = f"train {corpus} {asked} --device cpu --threads 1 --quiet --out {out}"
    job = started([PROGRAM, *command.split()] if number == 1 else on_ranks(number, command))
    # Reading may hold the corpus once.
    wait_until(lambda: newest(out) >= 4, job)
    processes = {0: job.pid} if number == 1 else rank_processes(job.pid)
    assert len(processes) == number, f"{len(processes)} of {number} ranks were found"
    most = [0] * number

    def look():
        for rank, process in processes.items():
            own, files = memory_of(process)
            most[rank] = max(most[rank], own + (files if mapped else 0))
        return newest(out) >= 12

    wait_until(look, job)
    killed(job)
    return most


def per_token(suffix, number, mapped):
    """What tokens add to each process, in bytes a token."""
    few, many = (while_training(f"{name}{suffix}", number, mapped) for name in DOCS)
    tokens = (DOCS["many"] - DOCS["few"]) * WORDS_PER_DOC * COUNT
    return [(most - least) / tokens for least, most in zip(few, many)]


def a_rank_has_its_share_of_memory():
    """What tokens add to the memory of a rank of two is at most 0.6 of what they add to that of a process, of counts that are read and of a
    corpus that is prepared, and so mapped: its pages are counted then."""
    for name, number in DOCS.items():
        write_corpus(f"{name}.txt", number)
        alone(f"prepare {name}.txt --vocab none --out {name}.corpus")
    found = {}
    for suffix, mapped in [(".txt --vocab none", False), (".corpus", True)]:
        one, two = (per_token(suffix, number, mapped) for number in [1, 2])
        found[suffix] = (one[0], two)
        print(f"{suffix}: {one[0]:.1f} bytes a token of a process, {two[0]:.1f} and {two[1]:.1f} of two ranks")
    for suffix, (one, two) in found.items():
        assert max(two) <= SHARE * one, (suffix, one, two)


SCENARIOS = [a_rank_has_its_share_of_memory]
