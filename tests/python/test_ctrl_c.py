"""Ctrl-C: a run ends after its iteration, nothing of it is lost, and what Ctrl-C raises goes on."""

import signal
import subprocess
import time

import numpy as np
import pytest
from conftest import python

import hdp_gpu
from hdp_gpu import HDP
from hdp_gpu._stored import Stored
from hdp_gpu._watcher import Watcher


@pytest.mark.parametrize("out", [False, True])
def test_ctrl_c_stops_and_keeps_the_state(out, tmp_path, capsys):
    """The run ends within two iterations of the moment when Python hears of it, however long these take on a busy machine."""
    run = tmp_path / "run"
    code = f"""
        from pathlib import Path
        rows, heard = [], []
        def pressed(*_):
            heard.append(rows[-1])
            raise KeyboardInterrupt
        signal.signal(signal.SIGINT, pressed)
        def begun(row):
            rows.append(row["iteration"])
            print("row", row["iteration"], flush=True)
        model = HDP(1_000_000, trace_every=1, callback=begun, device="cpu", out={str(run) if out else None!r})
        try:
            model.fit(X)
        except KeyboardInterrupt:
            done = model.n_iter_
            print("stopped", model.interrupted_, 0 <= done - heard[0] <= 2, flush=True)
        if model.out:
            kept = Path(model.out, "checkpoint", f"iteration-{{done}}.checkpoint").exists()
            loaded = HDP.load(model.out, device="cpu")
            print("kept", kept, loaded.n_iter_ == done and np.array_equal(loaded.z_, model.z_))
        model.set_params(callback=None).continue_fit(5)
        print("went on", model.n_iter_ - done, np.isclose(model.components_.sum(), len(model.topic_ids_)))
    """
    with python(code) as process:
        assert process.stdout.readline() == "row 1\n"
        pressed = time.monotonic()
        process.send_signal(signal.SIGINT)
        lines = iter(line for line in process.stdout if not line.startswith("row"))
        assert next(lines, "") == "stopped True True\n"
        took = time.monotonic() - pressed
        assert list(lines) == [*(["kept True True\n"] if out else []), "went on 5 True\n"]
        assert process.wait() == 0
    with capsys.disabled():
        print(f"\n{took:.2f} s from Ctrl-C to KeyboardInterrupt")


def test_what_ctrl_c_raises_goes_on():
    with python("HDP(1_000_000, trace_every=1, callback=begun, device='cpu').fit(X)", stderr=subprocess.PIPE) as process:
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
    assert process.returncode != 0 and errors.rstrip().endswith("KeyboardInterrupt"), errors


@pytest.fixture
def hears_ctrl_c():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("out", [False, True])
def test_ctrl_c_after_the_last_iteration_loses_nothing(out, X, tmp_path, monkeypatch, hears_ctrl_c):
    """It is pressed as soon as training has ended, before anything of it is kept."""
    read = Stored.read.__func__

    def pressed(*args, **kwargs):
        signal.raise_signal(signal.SIGINT)
        return read(*args, **kwargs)

    model = HDP(20, device="cpu", out=tmp_path / "run" if out else None)
    with monkeypatch.context() as patch:
        patch.setattr(Stored, "read", classmethod(pressed))
        with pytest.raises(KeyboardInterrupt):
            model.fit(X)
        assert model.n_iter_ == 20 and not model.interrupted_ and len(model.trace_) == 3
        with pytest.raises(KeyboardInterrupt):
            model.continue_fit(10)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert model.n_iter_ == 30 and len(model.trace_) == 4
    assert np.array_equal(model.z_, HDP(30, device="cpu").fit(X).z_)


def test_ctrl_c_in_a_run_inside_another_ends_both(X, hears_ctrl_c):
    inner = HDP(1_000_000, trace_every=1, device="cpu", callback=lambda row: row["iteration"] == 3 and signal.raise_signal(signal.SIGINT))
    outer = HDP(1_000_000, trace_every=1, device="cpu", callback=lambda row: inner.fit(X) is None)
    with pytest.raises(KeyboardInterrupt):
        outer.fit(X)
    assert inner.n_iter_ == 3 and outer.n_iter_ == 1 and inner.interrupted_ and outer.interrupted_


def test_a_handler_of_ctrl_c_that_raises_nothing_stops_nothing(X, hears_ctrl_c):
    heard = []
    signal.signal(signal.SIGINT, lambda *_: heard.append(1))
    model = HDP(20, device="cpu", callback=lambda row: signal.raise_signal(signal.SIGINT)).fit(X)
    assert heard == [1, 1] and model.n_iter_ == 20


def test_reading_a_file_ends_when_ctrl_c_is_pressed(tmp_path, monkeypatch, hears_ctrl_c):
    """It is pressed when the bar is first told how much is read, which is long before all is."""
    shares = []

    class Pressed(Watcher):
        def share(self, share):
            super().share(share)
            shares.append(share)
            signal.raise_signal(signal.SIGINT)

    (tmp_path / "texts.txt").write_text("ash birch cedar fir oak pine yew\n" * 2_000_000)
    monkeypatch.setattr(hdp_gpu._training, "Watcher", Pressed)
    with pytest.raises(KeyboardInterrupt):
        HDP.from_file(tmp_path / "texts.txt", n_iter=1, device="cpu")
    assert len(shares) == 1 and shares[0] < 1


def test_a_finish_ends_when_ctrl_c_is_pressed():
    """One that takes years is begun when something of the state is first asked for, and what needs none is there all the time."""
    code = """
        model = HDP(1, finish=100_000_000, device="cpu").fit(X)
        try:
            print("begun", flush=True)
            model.z_
        except KeyboardInterrupt:
            print("stopped", model.n_iter_, model.interrupted_, flush=True)
    """
    with python(code) as process:
        assert process.stdout.readline() == "begun\n"
        process.send_signal(signal.SIGINT)
        assert process.stdout.read() == "stopped 1 False\n"
        assert process.wait() == 0
