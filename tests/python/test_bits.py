"""The package trains as the program does, bit for bit, and each goes on with the other's runs."""

import csv
import gzip
import json
import pickle
import shutil

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import WORDS
from safetensors.numpy import load_file
from sklearn.base import clone

from hdp_gpu import HDP

# Parameters, and the flags that say the same.
SETTINGS = {
    "learned": ({"init": "random:500"}, ["--init", "random:500"]),
    "fixed": (
        {"alpha": 0.2, "beta": 0.05, "gamma": 2, "psi": "sticks", "max_topics": 60, "init": "one"},
        ["--alpha", 0.2, "--beta", 0.05, "--gamma", 2, "--psi", "sticks", "--max-topics", 60, "--init", "one"],
    ),
    "paper": ({"preset": "paper", "max_topics": 50}, ["--preset", "paper", "--max-topics", 50]),
    "samples": ({"samples": 4, "thin": 3, "init": "documents:20"}, ["--samples", 4, "--thin", 3, "--init", "documents:20"]),
    "chains": ({"chains": 3, "init": "random:20"}, ["--chains", 3, "--init", "random:20"]),
    "exact": ({"phi": "dirichlet", "max_topics": 40}, ["--phi", "dirichlet", "--max-topics", 40]),
    "small": ({"preset": "small", "finish": 4}, ["--preset", "small", "--finish", 4]),
    "annealed": (
        {"anneal": "5:20", "discount": 0.1, "psi": "sticks"},
        ["--anneal", "5:20", "--discount", 0.1, "--psi", "sticks"],
    ),
    "lda": ({"psi": "uniform", "max_topics": 12}, ["--psi", "uniform", "--max-topics", 12]),
    "settled": (
        {"until": "settled", "chains": 2, "trace_every": 1},
        ["--until", "settled", "--chains", 2, "--trace-every", 1],
    ),
    "direct": ({"sampler": "direct", "random_state": 9}, ["--sampler", "direct", "--seed", 9]),
}


def z_of(run):
    with gzip.open(run / "state.gz", "rt") as lines:
        return np.array([int(line.split()[-1]) for line in lines if not line.startswith("#")])


def same_run(ours, theirs):
    """The files of two runs that say what was found; run.json and timing.csv tell of times."""
    names = {path.relative_to(theirs) for path in theirs.rglob("*") if path.is_file()}
    names = {name for name in names if name.name not in ("run.json", "timing.csv", "report.html", "lock")}
    names = {name for name in names if "checkpoint" not in name.parts}
    assert len(names) > 10
    for name in sorted(names):
        assert (ours / name).read_bytes() == (theirs / name).read_bytes(), name


def same_trace(ours, theirs):
    """The numbers of trace.csv, to the last bit."""
    header, *rows = csv.reader((theirs / "trace.csv").read_text().splitlines())
    assert list(ours.columns) == header
    assert np.array_equal(ours.to_numpy(float), np.array([[float(number) for number in row] for row in rows]))


def same_matrices(model, theirs):
    """Matrices that Python gets without a file, against those in files."""
    phi = sp.load_npz(theirs / "phi.npz")[model.topic_ids_]
    with np.load(theirs / "phi.npz") as more:
        expected = np.where(phi.toarray() > 0, phi.toarray(), more["floor"][model.topic_ids_][:, None])
    assert np.array_equal(model.components_, expected)
    theta = sp.load_npz(theirs / "theta.npz")
    with np.load(theirs / "theta.npz") as more:
        columns = np.searchsorted(more["topics"], model.topic_ids_)
        assert np.array_equal(more["topics"][columns], model.topic_ids_)
        rest = more["alpha_psi"][columns] / (more["prior"] + more["tokens"][:, None])
    theta = theta[:, columns]
    expected = np.where(theta.toarray() > 0, theta.toarray(), rest)
    assert np.allclose(model.theta_, expected, rtol=1e-12, atol=0)
    model.set_params(sparse_output=True)
    assert (model.theta_ != theta).nnz == 0


# Direct assignment has no choice of devices.
@pytest.mark.parametrize("case", [case for case in SETTINGS if case != "direct"])
def test_the_same_bits(case, device, X, corpus, program, tmp_path):
    params, flags = SETTINGS[case]
    theirs = program.train(corpus, tmp_path / "theirs", "--iterations", 45, "--device", device, *flags)
    model = HDP(45, device=device, n_jobs=2, **params).fit(X, feature_names=WORDS)
    assert np.array_equal(model.z_, z_of(theirs))
    for chain, of_chain in model.trace_.groupby("chain"):
        same_trace(of_chain.drop(columns="chain"), theirs if chain == 1 else theirs / "chains" / str(chain))
    assert len(set(model.trace_.chain)) == params.get("chains", 1)
    model.save(tmp_path / "ours")
    same_run(tmp_path / "ours", theirs)
    tensors = load_file(theirs / "model.safetensors")
    assert np.array_equal(model.psi_, tensors["psi"][model.topic_ids_])
    same_matrices(model, theirs)


def test_the_same_bits_of_direct_assignment(X, corpus, program, tmp_path):
    test_the_same_bits("direct", "cpu", X, corpus, program, tmp_path)


def test_one_seed_gives_one_run_with_any_number_of_threads(X):
    runs = [HDP(30, n_jobs=n_jobs, device="cpu").fit(X).z_ for n_jobs in (1, 2, None)]
    assert np.array_equal(runs[0], runs[1]) and np.array_equal(runs[0], runs[2])
    assert not np.array_equal(runs[0], HDP(30, random_state=2, device="cpu").fit(X).z_)


@pytest.mark.parametrize("case", ["learned", "samples", "chains"])
def test_the_program_goes_on_with_our_run(case, X, corpus, program, tmp_path):
    params, flags = SETTINGS[case]
    HDP(25, device="cpu", **params).fit(X, feature_names=WORDS).save(tmp_path / "ours")
    program.train(corpus, tmp_path / "ours", "--iterations", 50, "--device", "cpu", "--resume", *flags)
    theirs = program.train(corpus, tmp_path / "theirs", "--iterations", 50, "--device", "cpu", *flags)
    same_run(tmp_path / "ours", theirs)


@pytest.mark.parametrize("case", ["learned", "samples", "chains"])
def test_we_go_on_with_the_program_s_run(case, X, corpus, program, tmp_path):
    params, flags = SETTINGS[case]
    half = program.train(corpus, tmp_path / "half", "--iterations", 25, "--device", "cpu", *flags)
    model = HDP.load(half, device="cpu")
    before = sorted(path.name for path in half.iterdir())
    model.continue_fit(25).save(tmp_path / "ours")
    assert sorted(path.name for path in half.iterdir()) == before
    theirs = program.train(corpus, tmp_path / "theirs", "--iterations", 50, "--device", "cpu", *flags)
    same_run(tmp_path / "ours", theirs)
    assert model.get_params()["random_state"] == 1 and model.n_iter_ == 50


def test_a_folder_of_our_own_is_a_run_of_the_program_s(X, corpus, program, tmp_path):
    HDP(20, out=tmp_path / "ours", checkpoint_every=5, device="cpu").fit(X, feature_names=WORDS)
    theirs = program.train(corpus, tmp_path / "theirs", "--iterations", 20, "--device", "cpu")
    same_run(tmp_path / "ours", theirs)
    with pytest.raises(FileExistsError, match="exists and is left as it is"):
        HDP(20, out=tmp_path / "ours").fit(X)


def test_topics_of_new_documents_are_the_program_s(X, new, corpus, program, tmp_path):
    run = program.train(corpus, tmp_path / "run", "--iterations", 40, "--device", "cpu")
    sp.save_npz(tmp_path / "new.npz", sp.csr_matrix(new))
    program("infer", run, tmp_path / "new.npz", "--vocab", tmp_path / "words.txt", "--out", tmp_path / "inferred", "--quiet")
    with np.load(tmp_path / "inferred" / "theta.npz") as theirs:
        cells = sp.csr_array((theirs["data"], theirs["indices"], theirs["indptr"]), shape=tuple(theirs["shape"]))
        topics = theirs["topics"]
    model = HDP.load(run, sparse_output=True)
    assert np.array_equal(topics, model.topic_ids_)
    assert (model.transform(new) != cells).nnz == 0
    dense = HDP.load(run).transform(new)
    assert np.allclose(dense.sum(axis=1), 1, atol=1e-12)


def test_scores_are_the_program_s(X, new, corpus, program, tmp_path):
    run = program.train(corpus, tmp_path / "run", "--iterations", 40, "--device", "cpu")
    sp.save_npz(tmp_path / "new.npz", sp.csr_matrix(new))
    flags = ["--heldout", tmp_path / "new.npz", "--vocab", tmp_path / "words.txt", "--words", 7, "--particles", 3]
    program("evaluate", run, *flags, "--device", "cpu")
    theirs = json.loads((run / "evaluation.json").read_text())
    model = HDP.load(run, device="cpu")
    ours = model.evaluate(new, words=7, particles=3)
    assert set(ours) <= set(theirs) and len(ours["topics"]) == len(model.topic_ids_)
    assert ours == {name: theirs[name] for name in ours}
    assert model.score(new) == theirs["completion"]["per_word"]


def test_a_run_s_parameters_train_it_once_more(X, program, corpus, tmp_path):
    for name, params in {"small": {"preset": "small"}, "priors": {"alpha": "learn:2,3", "anneal": "5:10", "max_topics": 60}}.items():
        HDP(30, device="cpu", finish=2, **params).fit(X, feature_names=WORDS).save(tmp_path / name)
        loaded = HDP.load(tmp_path / name, device="cpu")
        again = clone(loaded).fit(X, feature_names=WORDS)
        assert np.array_equal(again.z_, loaded.z_) and again.trace_.equals(loaded.trace_)
        assert np.array_equal(again.components_, loaded.components_)


def test_changed_parameters_are_heeded_when_a_run_goes_on(X, corpus, program, tmp_path):
    model = HDP(25, device="cpu").fit(X, feature_names=WORDS)
    model.set_params(n_iter=50, samples=4, thin=3, finish=2, chains=2).continue_fit().save(tmp_path / "ours")
    program.train(corpus, tmp_path / "theirs", "--iterations", 25, "--device", "cpu")
    flags = ["--samples", 4, "--thin", 3, "--finish", 2, "--chains", 2]
    program.train(corpus, tmp_path / "theirs", "--iterations", 50, "--device", "cpu", "--resume", *flags)
    same_run(tmp_path / "ours", tmp_path / "theirs")
    assert model.continue_fit(20).n_iter_ == 70, "what was changed once is no change from then on"
    assert HDP.load(tmp_path / "ours", samples=2).continue_fit(10)._stored.record["settings"]["samples"] == 2


@pytest.mark.parametrize("change", [{"alpha": 0.3}, {"random_state": 7}, {"trace_every": 3}, {"max_topics": 150}, {"chains": 1}])
def test_a_run_does_not_go_on_as_another(change, X):
    model = HDP(10, chains=2, device="cpu").fit(X)
    z = model.z_
    with pytest.raises(ValueError, match=f"`{next(iter(change))}`"):
        pickle.loads(pickle.dumps(model)).set_params(**change).continue_fit(5)
    with pytest.raises(ValueError, match="`chains`: it was 2 in the run"):
        model.set_params(chains=None).continue_fit(5)
    assert np.array_equal(model.z_, z) and model.set_params(chains=2).continue_fit(5).n_iter_ == 15


def test_a_run_goes_on_where_it_is(X, tmp_path):
    model = HDP(5, device="cpu", out=tmp_path / "run").fit(X)
    with pytest.raises(ValueError, match="`out`"):
        model.set_params(out=tmp_path / "other").continue_fit(5)
    assert model.set_params(out=str(tmp_path / "run")).continue_fit(5).n_iter_ == 10


def test_texts_are_prepared_as_the_program_prepares_them(program, tmp_path):
    texts = ["The ash and the birch grow, and the ash falls", "Bread with cheese; cheese and olives"] * 30
    (tmp_path / "texts.txt").write_text("\n".join(texts) + "\n")
    flags = ["--stem", "english", "--min-doc-length", 2, "--iterations", 20]
    program("train", tmp_path / "texts.txt", "--out", tmp_path / "theirs", "--quiet", *flags)
    preparation = {"stem": "english", "min_doc_length": 2}
    model = HDP.from_texts(texts, preparation=preparation, n_iter=20)
    assert np.array_equal(model.z_, z_of(tmp_path / "theirs"))
    from_file = HDP.from_file(tmp_path / "texts.txt", preparation=preparation, n_iter=20)
    from_file.save(tmp_path / "ours")
    same_run(tmp_path / "ours", tmp_path / "theirs")
    shutil.rmtree(tmp_path / "ours")
