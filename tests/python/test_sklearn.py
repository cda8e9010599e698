"""The estimator is one of scikit-learn's."""

import os
import pickle
import re
import subprocess
import sys
import textwrap
import warnings
from pathlib import Path
from types import SimpleNamespace

import joblib
import numpy as np
import pandas as pd
import polars
import pytest
import scipy.sparse as sp
from conftest import WORDS
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

import hdp_gpu
from hdp_gpu import HDP, _core, _settings


class Rounding(HDP):
    """Takes the fractions of scikit-learn's checks as counts."""

    def __init__(self, n_iter=5, *, infer_burn_in=5, infer_samples=5, infer_thin=1, random_state=1, device="cpu"):
        super().__init__(
            n_iter,
            infer_burn_in=infer_burn_in,
            infer_samples=infer_samples,
            infer_thin=infer_thin,
            random_state=random_state,
            device=device,
        )

    def _counts(self, X, *, reset):
        from sklearn.utils.validation import validate_data

        checked = validate_data(self, X, accept_sparse="csr", ensure_non_negative=True, reset=reset)
        counts = sp.csr_array(checked, dtype=float)
        counts.data = np.rint(counts.data)
        return hdp_gpu._inputs.whole(counts)


# Checks that fail, and why they may.
EXCEPTIONS = {}


def test_scikit_learn_s_checks():
    results = check_estimator(Rounding(), expected_failed_checks=EXCEPTIONS, on_fail=None)
    failed = {result["check_name"]: result["exception"] for result in results if result["status"] == "failed"}
    assert not failed, failed
    unexpected = {result["check_name"] for result in results if result["status"] == "xfail"} ^ set(EXCEPTIONS)
    assert not unexpected, f"pass by now: {unexpected}"
    skipped = {result["check_name"] for result in results if result["status"] == "skipped"}
    assert skipped <= {"check_array_api_input"}, "these are made by the test below"
    print(f"{len(results)} checks, {len(EXCEPTIONS)} of them expected to fail")


def test_scikit_learn_s_checks_of_other_arrays():
    """SciPy is told that there are such arrays when it is first imported."""
    code = """
        from sklearn.utils.estimator_checks import estimator_checks_generator
        from test_sklearn import Rounding
        checks = [pair for pair in estimator_checks_generator(Rounding()) if "array_api" in str(pair[1])]
        for estimator, check in checks:
            check(estimator)
        print(len(checks))
    """
    here = Path(__file__).parent
    run = [sys.executable, "-c", f"import sys\nsys.path.append({str(here)!r})\n" + textwrap.dedent(code)]
    done = subprocess.run(run, env=os.environ | {"SCIPY_ARRAY_API": "1"}, capture_output=True, text=True)
    assert done.returncode == 0 and int(done.stdout) > 0, done.stdout + done.stderr


def test_defaults_are_those_of_the_program(program):
    """Of the library's table, of the signature, of the documentation, and of the help of the program."""
    defaults, paper = dict(_core.defaults("default")), dict(_core.defaults("paper"))
    signature = HDP().get_params()
    documented = re.sub(r"\s+", " ", HDP.__doc__)
    flags = re.split(r"\n\s+(?=--[a-z-]+ <)", program("train", "--help"))
    for name, default in defaults.items():
        if signature[name] is not None:
            assert _settings.text(name, signature[name]) == default, name
            continue
        said = f"By default {default}; paper: {paper[name]}." if default != paper[name] else f"By default {default}"
        about = documented[documented.index(f" {name} : ") :]
        assert said in about[: about.index(" : ", len(name) + 4)], name
        flag = "--" + name.replace("_", "-")
        about = next(about for about in flags if about.startswith(f"{flag} <"))
        assert f"[default: {default}" in re.sub(r"\s+", " ", about), name


def test_a_pipeline_from_texts_to_classes():
    texts = ["ash birch cedar fir ash oak"] * 30 + ["bread cheese olives salt bread wine"] * 30
    pipeline = make_pipeline(CountVectorizer(), HDP(30, device="cpu"), LogisticRegression())
    pipeline.fit(texts, [0] * 30 + [1] * 30)
    assert list(pipeline.predict(["cedar birch oak", "olives wine salt"])) == [0, 1]


def test_a_grid_search_in_two_processes(X):
    X = X[:20]
    search = GridSearchCV(HDP(5, device="cpu"), {"beta": [0.01, 0.5]}, n_jobs=2, cv=2)
    search.fit(X)
    alone = GridSearchCV(HDP(5, device="cpu"), {"beta": [0.01, 0.5]}, cv=2).fit(X)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert np.array_equal(search.cv_results_["mean_test_score"], alone.cv_results_["mean_test_score"])


def test_threads_are_as_many_as_joblib_has_them():
    assert [HDP(n_jobs=n_jobs)._threads() for n_jobs in (None, 1, 3, -1)] == [1, 1, 3, joblib.cpu_count()]
    with joblib.parallel_config(n_jobs=2):
        assert HDP()._threads() == 2 and HDP(n_jobs=1)._threads() == 1


def test_clones_and_copies(X, new, tmp_path):
    model = HDP(20, beta=0.1, random_state=3, device="cpu")
    assert clone(model).get_params() == model.get_params()
    model.fit(X, feature_names=WORDS, doc_ids=range(80), metadata={"year": range(80)})
    topics = model.transform(new)
    with pytest.raises(NotFittedError):
        clone(model).transform(new)
    joblib.dump(model, tmp_path / "model.joblib")
    once = pickle.loads(pickle.dumps(model))
    for copy in (once, pickle.loads(pickle.dumps(once)), joblib.load(tmp_path / "model.joblib")):
        assert np.array_equal(copy.transform(new), topics)
        assert copy.trace_.equals(model.trace_) and copy.doc_topics_.equals(model.doc_topics_)
        assert np.array_equal(copy.components_, model.components_)
        assert np.array_equal(copy.continue_fit(5).z_, HDP(25, beta=0.1, random_state=3, device="cpu").fit(X).z_)


@pytest.mark.parametrize("frame", [pd.DataFrame, polars.DataFrame])
def test_data_frames_in_and_out(frame, X, new):
    columns = {word: X.toarray()[:, v] for v, word in enumerate(WORDS)}
    model = HDP(20, device="cpu").set_output(transform=frame.__module__.split(".")[0]).fit(frame(columns))
    assert list(model.feature_names_in_) == WORDS and list(model.vocabulary_) == WORDS
    out = model.transform(frame({word: new.toarray()[:, v] for v, word in enumerate(WORDS)}))
    assert isinstance(out, frame) and list(out.columns) == list(model.get_feature_names_out())
    assert list(out.columns)[0] == "hdp0"


@pytest.mark.parametrize("kind", [np.int8, np.uint16, np.int32, np.int64, np.float32, np.float64, bool])
def test_counts_of_any_type_are_the_same(kind, X):
    X = X.minimum(1)
    expected = HDP(10, device="cpu").fit(X.toarray()).z_
    assert np.array_equal(HDP(10, device="cpu").fit(sp.csr_array(X, dtype=kind)).z_, expected)
    assert np.array_equal(HDP(10, device="cpu").fit(sp.coo_matrix(X.astype(kind))).z_, expected)


def test_what_a_trained_estimator_knows(X, new):
    model = HDP(60, device="cpu", init="documents:10").fit(X, feature_names=WORDS)
    topics = len(model.topic_ids_)
    assert model.components_.shape == (topics, len(WORDS))
    assert np.allclose(model.components_.sum(axis=1), 1) and np.allclose(model.theta_.sum(axis=1), 1)
    assert model.theta_.shape == (80, topics) and len(model.z_) == X.sum() and len(model.psi_) == topics
    assert model.topics_.tokens.sum() == X.sum() and model.topics_.tokens.is_monotonic_decreasing
    counts = np.bincount(model.z_, minlength=model.topic_ids_.max() + 1)[model.topic_ids_]
    assert np.array_equal(model.topics_.set_index("topic").tokens.loc[model.topic_ids_], counts)
    assert model.trace_.iteration.tolist() == [*range(0, 61, 10)] and not model.verdict_["settled"]
    assert model.seed_ == 1 and model.n_iter_ == 60 and not model.interrupted_ and "cpu" in model.device_
    score = model.score(new)
    unigram = np.asarray(X.sum(axis=0)) / X.sum()
    assert score > (new @ np.log(unigram)).sum() / new.sum() + 0.3
    measured = model.evaluate(new, particles=2)
    assert measured["completion"]["per_word"] == score and len(measured["topics"]) == topics
    sparse = HDP(60, device="cpu", init="documents:10", sparse_output=True).fit(X, feature_names=WORDS)
    assert sp.issparse(sparse.theta_) and abs(sparse.theta_.toarray() - model.theta_).max() < 0.1
    assert isinstance(HDP(5, random_state=None).fit(X).seed_, int)


def stopped_between_samples(X, **params):
    """A run whose samples are of the iterations 16, 28 and 40, stopped after 27; with these priors topics come and go."""

    def stop(row):
        return row["iteration"] == 27

    priors = {"alpha": 5.0, "gamma": 20.0, "beta": 0.05, "init": "one", "finish": 0}
    return HDP(40, samples=3, thin=12, trace_every=1, callback=stop, device="cpu", **priors, **params).fit(X)


def test_topics_that_came_after_the_last_sample_have_columns(X, new):
    model = stopped_between_samples(X)
    topics, sampled = set(model.topic_ids_), set(model.doc_topics_.topic)
    assert set(model.z_) - sampled and sampled - set(model.z_), "topics came and went, so that this is a test"
    assert topics == set(model.z_) | sampled
    for rows in (model.transform(new), model.theta_, model.components_):
        assert np.allclose(rows.sum(axis=1), 1, rtol=0, atol=1e-12)
    dense, sparse = model.transform(new), model.set_params(sparse_output=True).transform(new)
    assert sparse.shape == dense.shape and np.array_equal(dense[sparse.nonzero()], sparse.data)
    assert np.array_equal(np.unique(sparse.nonzero()[1]), np.flatnonzero((sparse.toarray() > 0).any(axis=0)))
    assert list(model.get_feature_names_out())[-1] == f"hdp{len(topics) - 1}" and len(model.topics_) == len(topics)


def test_rows_of_a_mean_over_samples_add_up_to_1(X, new):
    model = HDP(40, samples=5, thin=3, alpha=5.0, gamma=20.0, device="cpu").fit(X)
    for rows in (model.transform(new), model.theta_, model.components_):
        assert np.allclose(rows.sum(axis=1), 1, rtol=0, atol=1e-12)


def test_a_run_is_read_when_something_of_it_is_first_asked_for(X, new, tmp_path, monkeypatch):
    """Its last state is finished then, which takes some time."""
    opened = []

    def counted(*args):
        opened.append(args)
        return _core.Run.open(*args)

    counting = SimpleNamespace(Run=SimpleNamespace(open=counted), Corpus=_core.Corpus)
    monkeypatch.setattr(hdp_gpu._stored, "_core", counting)
    model = pickle.loads(pickle.dumps(HDP(30, finish=3, device="cpu").fit(X)))
    assert len(model.trace_) == 4 and model.n_iter_ == 30 and model.seed_ == 1 and not model.interrupted_
    assert opened == []
    model.transform(new)
    model.save(tmp_path / "run")
    assert len(opened) == 1 and len(model.topics_) == len(model.components_) == len(model.topic_ids_)
    loaded = HDP.load(tmp_path / "run")
    assert len(opened) == 1
    assert np.array_equal(loaded.z_, model.z_) and len(opened) == 2
    assert loaded._stored.record["finished"]["active_topics"] == len(loaded.topic_ids_)


def test_documents_to_score_may_come_one_after_the_other():
    texts = ["ash birch cedar fir", "bread cheese olives salt"] * 10
    model = HDP.from_texts(texts, preparation={"min_doc_length": 0}, n_iter=5)
    assert model.score(text for text in texts) == model.score(texts)
    assert model.evaluate((text for text in texts), particles=0)["completion"] == model.evaluate(texts, particles=0)["completion"]
    assert model.score(iter([[1] * 8])) == model.score([[1] * 8])


def test_texts_of_any_column():
    import pyarrow

    texts = ["ash birch cedar fir", "bread cheese olives salt"] * 10
    kinds = [texts, pd.Series(texts), polars.Series(texts), pyarrow.array(texts), np.array(texts), (text for text in texts)]
    preparation = {"min_doc_length": 0}
    runs = [HDP.from_texts(kind, preparation=preparation, n_iter=5).z_ for kind in kinds]
    assert all(np.array_equal(run, runs[0]) for run in runs)
    tokens = HDP.from_tokens([text.split() for text in texts], preparation=preparation, n_iter=5)
    assert np.array_equal(tokens.z_, runs[0])
    assert tokens.infer_texts(["birch ash", "unheard"]).shape == (2, len(tokens.topic_ids_))
    assert np.array_equal(tokens.infer_tokens([["birch", "ash"], ["unheard"]]), tokens.infer_texts(["birch ash", "unheard"]))


def test_words_that_the_model_does_not_know_are_told_of():
    model = HDP.from_texts(["ash birch cedar fir", "bread cheese olives salt"] * 10, preparation={"min_doc_length": 0}, n_iter=5)
    for infer, documents in [(model.infer_texts, ["unheard", "of"]), (model.infer_tokens, [["unheard"], ["of"]])]:
        with pytest.warns(UserWarning, match="knows none of these words"):
            assert infer(documents).shape[0] == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.infer_texts(["unheard", "ash"]), model.infer_texts([""]), model.transform([[0] * 8])


def test_what_was_made_is_kept(X):
    model = HDP(10, device="cpu").fit(X)
    assert model.components_ is model.components_ and model.theta_ is model.theta_
    dense = model.theta_
    assert sp.issparse(model.set_params(sparse_output=True).theta_) and model.set_params(sparse_output=False).theta_ is dense
    topics, trace = model.topics_, model.trace_
    topics["share"] = trace["iteration"] = 0
    assert model.topics_.share.sum() > 0 and model.trace_.iteration.max() == 10
    components = model.components_
    assert model.continue_fit(5).components_ is not components
