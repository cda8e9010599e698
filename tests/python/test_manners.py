"""Callbacks, errors, forks, threads and the bar."""

import os
import re
import shutil
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from conftest import LIMIT, SLOW, python

import hdp_gpu
from hdp_gpu import HDP
from hdp_gpu._watcher import Watcher


def test_a_stopped_run_ends_as_if_it_had_not_stopped(X):
    rows = []

    def stop_at_twenty(row):
        rows.append(row)
        return row["iteration"] == 20

    model = HDP(40, callback=stop_at_twenty, device="cpu").fit(X)
    assert model.n_iter_ == 20 and model.interrupted_
    assert [row["iteration"] for row in rows] == [10, 20]
    assert rows[-1]["log_likelihood"] == model.trace_.log_likelihood.iloc[-1]
    model.set_params(callback=None).continue_fit()
    whole = HDP(40, device="cpu").fit(X)
    assert not model.interrupted_ and np.array_equal(model.z_, whole.z_) and model.trace_.equals(whole.trace_)


def test_a_run_of_chains_is_interrupted_until_all_have_ended(X, tmp_path):
    def stop(row):
        return (row["chain"], row["iteration"]) == where

    for where in [(1, 10), (1, 20), (2, 10)]:
        model = HDP(20, chains=3, callback=stop, device="cpu").fit(X)
        model.save(tmp_path / f"run-{where[0]}-{where[1]}")
        loaded = HDP.load(tmp_path / f"run-{where[0]}-{where[1]}", device="cpu")
        assert model.interrupted_ and loaded.interrupted_, where
        assert not loaded.continue_fit().interrupted_ and len(loaded.trace_) == 9


def test_what_a_callback_raises_comes_through_and_the_state_is_kept(X):
    def fail(row):
        raise LookupError("enough")

    model = HDP(40, callback=fail, device="cpu")
    with pytest.raises(LookupError, match="enough"):
        model.fit(X)
    assert model.n_iter_ == 10


def test_what_a_callback_raises_is_not_lost_when_the_run_fails_too(X, tmp_path):
    def fail(row):
        shutil.rmtree(tmp_path / "run")
        (tmp_path / "run").write_text("in the way")
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough") as raised:
        HDP(40, callback=fail, device="cpu", out=tmp_path / "run").fit(X)
    assert isinstance(raised.value.__context__, OSError), raised.value.__context__


def test_a_callback_may_belong_to_what_cannot_be_copied(X):
    class Recorder:
        def __init__(self):
            self.lock, self.rows = threading.Lock(), []

        def hear(self, row):
            with self.lock:
                self.rows.append(row)

    recorder = Recorder()
    model = HDP(20, callback=recorder.hear, device="cpu").fit(X)
    assert len(recorder.rows) == 2
    assert model._stored.record["command"] == ["HDP(device='cpu', n_iter=20).fit(X)"]


@pytest.mark.parametrize(
    "params, named",
    [
        ({"alpha": -1}, "alpha"),
        ({"beta": "much"}, "beta"),
        ({"n_iter": 0}, "n_iter"),
        ({"n_iter": 2.5}, "n_iter"),
        ({"psi": "sticky"}, "psi"),
        ({"init": "random:0"}, "init"),
        ({"samples": 20, "thin": 20, "n_iter": 10}, "n_iter"),
        ({"device": "no such device"}, "device"),
        ({"random_state": -1}, "random_state"),
        ({"checkpoint_every": "soon"}, "checkpoint_every"),
        ({"progress": "maybe"}, "progress"),
        ({"max_topics": 3, "init": "random:50"}, "init"),
        ({"alpha": [0.1, 0.2]}, "alpha"),
        ({"n_iter": []}, "n_iter"),
        ({"beta": np.array([0.1])}, "beta"),
        ({"chains": (2,)}, "chains"),
        ({"checkpoint_every": [5]}, "checkpoint_every"),
    ],
)
def test_errors_name_the_parameter(params, named, X):
    with pytest.raises((ValueError, TypeError), match=f"`{named}`"):
        HDP(**params).fit(X)


@pytest.mark.parametrize("name", ["infer_burn_in", "infer_samples", "infer_thin"])
def test_errors_of_inference_name_the_parameter(name, X, new):
    model = HDP(5, device="cpu").fit(X)
    for value in [-1, 2.5, "5", None, True, 2**32, *([] if name == "infer_burn_in" else [0])]:
        with pytest.raises(ValueError, match=f"`{name}`"):
            model.set_params(**{name: value}).transform(new)
    with pytest.raises(ValueError, match=r"`infer_samples`.*lower `infer_samples`, `infer_thin` or `infer_burn_in`"):
        model.set_params(infer_burn_in=2**32 - 1, infer_samples=2, infer_thin=2).transform(new)


@pytest.mark.parametrize("params", [{"words": 0}, {"window": -1}, {"particles": -1}, {"particles": 1.5}])
def test_errors_of_evaluation_name_the_parameter(params, X, new):
    with pytest.raises(ValueError, match=f"`{next(iter(params))}`"):
        HDP(5, device="cpu").fit(X).evaluate(new, **params)


@pytest.mark.parametrize(
    "preparation",
    [{"min_count": [1, 2]}, {"stem": ["english"]}, {"keep_case": 1}, {"keep_case": "yes"}, {"keep_case": "True"}, {"keep_case": [True]}],
)
def test_a_preparation_has_one_value_of_its_type_for_a_setting(preparation):
    with pytest.raises(TypeError, match=f"`{next(iter(preparation))}`"):
        HDP.from_texts(["ash birch cedar"], preparation=preparation)


def test_some_settings_of_a_preparation_may_be_lists(tmp_path):
    (tmp_path / "one").write_text("Ash\n")
    (tmp_path / "other").write_text("Fir\n")
    texts = ["Ash Birch Cedar Fir"] * 10
    settings = {"min_doc_length": 0, "keep_case": np.bool_(True), "stem": None}
    model = HDP.from_texts(texts, preparation=settings | {"extra_stopwords": [tmp_path / "one", str(tmp_path / "other")]}, n_iter=5)
    assert list(model.vocabulary_) == ["Birch", "Cedar"]
    model = HDP.from_texts(texts, preparation=settings | {"extra_stopwords": tmp_path / "one", "keep_case": False}, n_iter=5)
    assert list(model.vocabulary_) == ["birch", "cedar", "fir"]


def test_errors_are_python_s_own(X, tmp_path):
    with pytest.raises(ValueError, match="use CountVectorizer, not TfidfVectorizer"):
        HDP().fit(X * 0.5)
    with pytest.raises(TypeError, match="colour"):
        HDP(colour="red")
    with pytest.raises(TypeError, match="no setting `min_words`"):
        HDP.from_texts(["ash"], preparation={"min_words": 3})
    with pytest.raises(FileNotFoundError):
        HDP.from_file(tmp_path / "nothing.txt")
    with pytest.raises((ValueError, FileNotFoundError)):
        HDP.load(tmp_path)
    with pytest.raises(ValueError, match="given twice"):
        HDP().fit(X, feature_names=["ash"] * X.shape[1])
    with pytest.raises(TypeError, match="number 1 is no text but None"):
        HDP.from_texts(["ash", None])
    with pytest.raises(FileExistsError):
        HDP(5).fit(X).save(tmp_path.parent)
    assert issubclass(hdp_gpu.DeviceError, RuntimeError)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_forked_child_is_refused_and_does_not_hang(tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(SLOW) + textwrap.dedent("""
            import os, pickle
            from hdp_gpu import _core
            X = X[:40, :50]
            model = HDP(5, n_jobs=2, device="cpu").fit(X)
            read = pickle.loads(pickle.dumps(model))
            read.z_
            child = os.fork()
            if child == 0:
                texts = ["ash birch cedar"] * 10
                entries = {
                    "fit": lambda: HDP(5).fit(X), "fit_transform": lambda: HDP(5).fit_transform(X),
                    "transform": lambda: model.transform(X), "score": lambda: model.score(X),
                    "infer_texts": lambda: model.infer_texts(texts), "evaluate": lambda: model.evaluate(),
                    "continue_fit": lambda: model.continue_fit(1), "from_texts": lambda: HDP.from_texts(texts),
                    "from_tokens": lambda: HDP.from_tokens([["ash"]]), "from_file": lambda: HDP.from_file("sample"),
                    "load": lambda: HDP.load("run"), "save": lambda: model.save("run"), "report": lambda: model.report("page"),
                    "to_pyldavis": lambda: model.to_pyldavis(), "to_arviz": lambda: model.to_arviz(),
                    "pickle": lambda: pickle.dumps(model), "command": lambda: sys.exit(_core.main(["hdp-gpu", "devices"])),
                }
                attributes = "topic_ids_ components_ theta_ psi_ topics_ doc_topics_ verdict_".split()
                entries |= {name: lambda name=name: getattr(model, name) for name in attributes}
                for name, entry in entries.items():
                    try:
                        entry()
                        print(name, "was let in", flush=True)
                    except RuntimeError as error:
                        if "forked" not in str(error):
                            print(name, error, flush=True)
                # What needs no threads is there.
                print(len(entries), len(read.z_), model.n_iter_, len(model.trace_), flush=True)
                os._exit(0)
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """)],
        capture_output=True, text=True, timeout=LIMIT, cwd=tmp_path,
    )
    assert re.fullmatch(r"24 \d+ 5 2\n0\n", done.stdout), done.stdout + done.stderr


def test_other_threads_run_meanwhile(capsys):
    """A thread that is woken every millisecond wakes many times in an iteration. A run that held the lock would let it in when it tells of a
    row or looks for Ctrl-C, every 50 ms; so the run goes on until an iteration has had more, which on a busy machine may be a later one."""
    enough, per_second, ended, wakings, gaps = 10, 4 / 0.05, threading.Event(), [0], []
    begin = time.monotonic()
    seen, at = 0, begin

    def wake():
        last = time.monotonic()
        while not ended.wait(0.001):
            wakings[0] += 1
            gaps.append(time.monotonic() - last)
            last += gaps[-1]

    def after_iteration(row):
        nonlocal seen, at
        now = time.monotonic()
        stop = row["iteration"] > 1 and wakings[0] - seen >= max(enough, per_second * (now - at)) or now - begin > LIMIT / 2
        seen, at = wakings[0], now
        return stop

    big = np.random.default_rng(1).integers(0, 4, size=(3000, 400))
    watcher = threading.Thread(target=wake)
    watcher.start()
    HDP(1_000_000, device="cpu", n_jobs=1, trace_every=1, callback=after_iteration).fit(big)
    ended.set()
    watcher.join()
    assert time.monotonic() - begin < LIMIT / 2
    with capsys.disabled():
        print(f"\n{1000 * max(gaps):.0f} ms: the longest rest of a thread that is woken every millisecond")


@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="the system does not tell the threads of a process")
def test_work_after_training_keeps_to_the_threads_asked_for(tmp_path):
    """Those of a pool that nobody has asked for would stay, and are many here; memory has one or two that stay."""
    many = 9
    code = f"""
        import os
        def threads():
            return len(os.listdir("/proc/self/task"))
        import sklearn.utils, pandas, joblib
        before = threads()
        X = X[:40, :50]
        model = HDP(10, n_jobs=1, samples=2, thin=1, device="cpu").fit(X)
        model.transform(X), model.topics_, model.theta_, model.components_, model.doc_topics_, model.verdict_
        model.report("page.html"), model.save("run"), model.to_pyldavis()
        HDP.load("run", n_jobs=1).z_
        until = time.monotonic() + {LIMIT / 10}
        while threads() > before + 2 and time.monotonic() < until:
            time.sleep(0.1)
        print(threads() - before)
    """
    with python(code, cwd=tmp_path, env=os.environ | {"RAYON_NUM_THREADS": str(many)}) as process:
        assert int(process.communicate()[0]) <= 2


def test_fits_in_threads_do_not_mix(X):
    found = {}

    def fit(seed):
        found[seed] = HDP(20, random_state=seed, device="cpu").fit(X).z_

    threads = [threading.Thread(target=fit, args=(seed,)) for seed in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for seed in (1, 2):
        assert np.array_equal(found[seed], HDP(20, random_state=seed, device="cpu").fit(X).z_)


def test_a_bar_is_shown_when_it_is_asked_for(X, capsys):
    HDP(20, progress=True).fit(X)
    assert "20" in capsys.readouterr().err
    HDP(20).fit(X)
    assert capsys.readouterr().err == ""


def test_a_bar_counts_the_iterations_of_all_chains(X, monkeypatch):
    bars = []

    class Seen(Watcher):
        def __exit__(self, *args):
            bars.append((self.bar.initial, self.bar.n, self.bar.total))
            super().__exit__(*args)

    monkeypatch.setattr(hdp_gpu._training, "Watcher", Seen)
    model = HDP(20, chains=2, progress=True, device="cpu").fit(X)
    assert bars == [(0, 40, 40)]
    model.continue_fit(10)
    assert bars[1:] == [(40, 60, 60)]
    HDP(50, until="settled", trace_every=1, progress=True, device="cpu").fit(X)
    assert bars[2] == (0, 200, 200), "four chains, which have not settled so soon"
    HDP(np.int64(20), chains=np.int64(3), progress=True, device="cpu").fit(X)
    assert bars[3] == (0, 60, 60)


def test_what_is_none_has_its_default(X):
    model = HDP(None, device="cpu", callback=lambda row: True).fit(X)
    assert model._stored.record["settings"]["iterations"] == HDP().n_iter


def test_the_command_is_carried_along(tmp_path):
    for command in ([sys.executable, "-m", "hdp_gpu"], [os.path.join(os.path.dirname(sys.executable), "hdp-gpu")]):
        done = subprocess.run([*command, "--version"], capture_output=True, text=True)
        assert done.stdout == f"hdp-gpu {hdp_gpu.__version__}\n" and done.returncode == 0
        assert subprocess.run([*command, "train"], capture_output=True).returncode == 2
    run = [sys.executable, "-m", "hdp_gpu", "train", "sample", "--out", str(tmp_path / "run"), "--iterations", "5", "--quiet"]
    assert subprocess.run(run).returncode == 0
    assert '"hdp-gpu",\n    "train",\n    "sample"' in (tmp_path / "run" / "run.json").read_text()
