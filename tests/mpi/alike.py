"""Works in one process and on ranks: the same bytes, whatever is asked for."""

import csv
import gzip
import json
import random
import re
from pathlib import Path

import same
from corpora import write_themes, write_uci
from launch import ALL, QUICK, SAMPLE, alone, compare, folder, ranks

# How many ranks do what one process does; a job of one rank is the same whatever it is asked for.
NUMBERS = (1, 2, 3, 4) if ALL else (2, 3, 4)
# The same of what touches ranks in little that is not among the others too.
FEW = NUMBERS if ALL else (3,)


def trained_alike(command, numbers=NUMBERS, seen=None, how=QUICK, checkpoints=True, **more):
    """Trains in one process, and on so many ranks."""
    alone(f"train {command} {how} --out {folder('one')}", **more)
    if seen:
        seen(Path("one/run"))
    for number in numbers:
        ranks(number, f"train {command} {how} --out {folder(f'of-{number}')}", **more)
        compare("one", f"of-{number}", checkpoints)


def column(folder, name):
    """A column of trace.csv."""
    rows = [line.split(",") for line in (folder / "trace.csv").read_text().splitlines()]
    return [row[rows[0].index(name)] for row in rows[1:]]


def as_by_default():
    trained_alike("sample")


def of_the_paper():
    trained_alike("sample --preset paper", FEW)


def with_stuck_tokens():
    def stuck(folder):
        assert any(int(tokens) > 0 for tokens in column(folder, "stuck_tokens")), "no token was stuck"

    # Words that occur once, and so lose their columns.
    docs = [[(1 + d % 5, 4), (6 + d, 1)] for d in range(300)]
    write_uci("rare.txt", docs, 306)
    trained_alike("rare.txt --vocab none --init-topics 5 --beta 0.0001", seen=stuck)


def with_few_documents():
    write_uci("two.txt", [[(1, 3), (2, 2)], [(2, 1), (3, 4)]], 3)
    trained_alike("two.txt --vocab none --init-topics 3")


def with_empty_and_giant_documents():
    generator = random.Random(1)
    small = [[(generator.randint(1, 40), generator.randint(1, 3)) for _ in range(d % 4)] for d in range(60)]
    small = [sorted(dict(doc).items()) for doc in small]
    giant = [(v, 300) for v in range(1, 41)]
    write_uci("giant.txt", [[], [], *small[:20], giant, [], *small[20:], []], 40)
    trained_alike("giant.txt --vocab none --init-topics 10")


def from_random_topics():
    trained_alike("sample --init random:30")


def from_one_after_the_other():
    trained_alike("sample --init sequential")


def from_another_run():
    alone(f"train {SAMPLE} --out first {QUICK} --seed 5")
    trained_alike("sample --init run:first")


def with_learned_concentrations():
    trained_alike(f"{SAMPLE} --alpha learn --beta learn:10,1000 --gamma learn")


def with_more_topics_on_the_way():
    def grown(folder):
        topics = [int(topics) for topics in column(folder, "max_topics")]
        assert topics[-1] > topics[0], "K* is as it was"

    trained_alike(f"{SAMPLE} --gamma 300", seen=grown)


def with_dense_phi():
    trained_alike("sample --phi dirichlet --max-topics 40 --init-topics 20")


def with_a_uniform_psi():
    """LDA."""
    trained_alike("sample --psi uniform --max-topics 30 --init-topics 30", FEW)


def with_a_discount():
    trained_alike(f"{SAMPLE} --discount 0.3", FEW)


def annealed():
    trained_alike(f"{SAMPLE} --anneal 5:4", FEW)


def finished():
    def swept(folder):
        assert json.loads((folder / "run.json").read_text())["finished"]["sweeps"] == 3, "there was no finish"

    trained_alike(f"{SAMPLE} --finish 3", FEW, seen=swept)


def with_finished_samples():
    trained_alike(f"{SAMPLE} --finish 2 --samples 2 --thin 2", FEW)


def with_samples():
    trained_alike(f"{SAMPLE} --samples 3 --thin 2")


def with_documents_held_out():
    trained_alike(f"{SAMPLE} --holdout 0.02")


def with_chains():
    trained_alike(f"{SAMPLE} --chains 2")


def with_all_of_these():
    trained_alike(f"{SAMPLE} --holdout 0.02 --chains 2 --samples 2 --thin 2 --finish 2")


def of_small_corpora():
    trained_alike(f"{SAMPLE} --preset small", FEW)


def with_dense_phi_and_a_learned_beta():
    trained_alike("sample --phi dirichlet --beta learn --max-topics 40 --init-topics 20", FEW)


def with_checkpoints_by_the_clock():
    """The first rank's, which decides when one is due."""
    how = "--device cpu --threads 1 --quiet --iterations 60 --trace-every 20 --checkpoint-every 1s"
    trained_alike(SAMPLE, FEW, how=how, checkpoints=False)


def write_named_texts(path):
    """Documents as JSON, with names and columns of metadata; some have no words."""
    generator, words = random.Random(7), "ash birch cedar fir oak pine sail mast wind wave harbour keel".split()
    with Path(path).open("w") as lines:
        for d in range(50):
            text = " ".join(generator.choices(words[6 * (d % 2) :][:6], k=d % 9))
            print(json.dumps({"id": f"doc {d}", "text": text, "year": 1900 + d, "place": f"“{d % 3}”"}), file=lines)


def from_texts_with_names():
    write_named_texts("named.jsonl")
    trained_alike("named.jsonl --id-column id --min-count 1 --min-doc-length 1 --init-topics 5")


def from_standard_input():
    write_named_texts("named.jsonl")
    trained_alike("- --format jsonl --min-count 1 --min-doc-length 1 --init-topics 5", FEW, given=Path("named.jsonl"))


def until_settled():
    write_themes("themes.txt")
    command = "train themes.txt --vocab none --until settled --chains 2 --init-topics 4 --trace-every 1 --iterations 80"
    alone(f"{command} --device cpu --threads 1 --quiet --out {folder('one')}")
    for number in NUMBERS:
        ranks(number, f"{command} --device cpu --threads 1 --quiet --out {folder(f'of-{number}')}")
        compare("one", f"of-{number}")


def from_a_prepared_corpus():
    alone("prepare sample --out sample.corpus")
    trained_alike("sample.corpus --init-topics 40")


def new_documents_and_scores():
    alone(f"train {SAMPLE} {QUICK} --holdout 0.05 --out run")
    infer = "infer run sample --device cpu --threads 1 --burn-in 5 --samples 3 --state --quiet"
    evaluate = "evaluate run --device cpu --threads 1 --burn-in 5 --samples 3 --particles 2"
    alone(f"{infer} --out one")
    alone(f"{evaluate} --out one/evaluation.json")
    for number in NUMBERS:
        ranks(number, f"{infer} --out of-{number}")
        ranks(number, f"{evaluate} --out of-{number}/evaluation.json")
        found, files = same.differences("one", f"of-{number}")
        assert not found and files == 5, f"{found}, {files} files"


def devices_of_all_ranks():
    said = ranks(3, "devices")
    assert [f"rank {rank} on " in said for rank in range(4)] == [True, True, True, False], said


def what_talking_costs():
    """timing.csv, run.json and what is printed tell of ranks; a process by itself has nothing to tell."""
    command = f"train {SAMPLE} --device cpu --threads 1 --iterations 6 --trace-every 2"
    alone(f"{command} --quiet --out one")
    said = ranks(2, f"{command} --out run")
    line = r"iteration 6/6: (?:\d+\.\d M|\d+ k|\d+) tokens/s of 2 ranks on 1 host, \d+ % in communication, "
    assert re.search(line, said), said
    record = json.loads(Path("run/run.json").read_text())
    assert len(record["ranks"]) == 2 and all(rank["host"] and rank["device"] for rank in record["ranks"]), record["ranks"]
    costs = {name: list(csv.DictReader(Path(name, "timing.csv").open())) for name in ["one", "run"]}
    assert all(float(row["comm_seconds"]) == int(row["comm_bytes"]) == 0 for row in costs["one"]), costs["one"]
    # Every nonzero of n is one of Φ, whose counts have 4 bytes each.
    with gzip.open("run/state.gz", "rt") as lines:
        nonzeros = {tuple(line.split()[-3:-2] + line.split()[-1:]) for line in lines if not line.startswith("#")}
    last = costs["run"][-1]
    assert int(last["comm_bytes"]) >= 4 * len(nonzeros), f"{last}, {len(nonzeros)} nonzeros"
    assert all(float(row["comm_seconds"]) > 0 for row in costs["run"]), costs["run"]


def a_difference_is_seen():
    """The comparison does turn red: another seed is another run."""
    for seed in [1, 2]:
        alone(f"train {SAMPLE} {QUICK} --seed {seed} --out {folder(str(seed))}")
    found, files = same.differences("1", "2")
    assert len(found) > 15, f"{len(found)} of {files} files differ"


SCENARIOS = [
    a_difference_is_seen, as_by_default, of_the_paper, with_stuck_tokens, with_few_documents,
    with_empty_and_giant_documents, from_random_topics, from_one_after_the_other, from_another_run, with_learned_concentrations,
    with_more_topics_on_the_way, with_dense_phi, with_a_uniform_psi, with_a_discount, annealed, finished, with_finished_samples,
    with_samples, with_documents_held_out, with_chains, with_all_of_these, of_small_corpora, with_dense_phi_and_a_learned_beta,
    with_checkpoints_by_the_clock, until_settled, from_a_prepared_corpus, from_texts_with_names, from_standard_input,
    new_documents_and_scores, devices_of_all_ranks, what_talking_costs,
]  # fmt: skip
