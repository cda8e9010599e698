"""Ranks on software GPUs, by themselves and beside ranks on the CPU."""

import os

import json
import signal
from pathlib import Path

from launch import (
    QUICK,
    SAMPLE,
    alone,
    compare,
    ended,
    folder,
    kill,
    newest,
    rank_processes,
    ranks,
    refused,
    run,
    started,
    together,
    wait_until_said,
)


def on_software_gpus(scenario):
    def run_there():
        if os.environ.get("HDP_GPU_SKIP_GPU_TESTS") == "1" or "llvmpipe" not in alone("devices"):
            return f"SKIPPED: {scenario.__name__}: no llvmpipe"
        return scenario()

    run_there.__name__ = scenario.__name__
    return run_there


@on_software_gpus
def on_gpus():
    quick = QUICK.replace("--device cpu ", "")
    alone(f"train {SAMPLE} {QUICK} --out {folder('one')}")
    ranks(2, f"train {SAMPLE} {quick} --device llvmpipe --out {folder('gpus')}")
    compare("one", "gpus")
    command = f"train {SAMPLE} {quick} --out {folder('mixed')}"
    run(together(*(f"{command} --device {device}" for device in ["llvmpipe", "cpu", "hybrid:llvmpipe"])))
    compare("one", "mixed")


@on_software_gpus
def a_gpu_that_fails():
    """A rank does not go on by itself, and the checkpoint is left."""
    command = f"train {SAMPLE} --quiet --threads 1 --iterations 12 --checkpoint-every 2"
    alone(f"{command} --device cpu --out {folder('one')}")
    out = folder("again")
    lost = f"{command} --out {out} --device llvmpipe --inject-fault lost:7"
    refused(run(together(f"{command} --out {out} --device cpu", lost), code=1), "rank 1 of 2 on ")
    assert newest(out) > 0, "no checkpoint is left"
    ranks(3, f"{command} --device cpu --out {out} --resume")
    compare("one", "again", checkpoints=False)


def a_gpu_that_fails_its_trial():
    """A GPU that `auto` tries on one rank fails or hangs: that rank goes on without it, and run.json says so."""
    command = f"train {SAMPLE} --threads 1 --checkpoint-every 1 --trace-every 1000000 --grace 1h"
    for fault in ["wait", "hang"]:
        out = folder(fault)
        endless = f"{command} --iterations 1000000 --out {out}"
        job = started(together(f"{endless} --device cpu", f"{endless} --device auto --inject-stand-in auto:{fault}:0"))
        said = wait_until_said("warning: rank 1 of 2 on [^\n]*\n", job)
        kill(rank_processes(job.pid)[0], signal.SIGTERM)
        said += ended(job)
        assert job.returncode == 130, said
        first, last = json.loads(Path(out, "run.json").read_text())["ranks"]
        assert "device_error" not in first and first["device"].startswith("cpu"), first
        assert last["device_error"]["error"].startswith("rank 1 of 2 on ") and last["device"].startswith("cpu"), last
        further = f"{command} --device cpu --quiet --iterations {newest(out) + 8}"
        ranks(3, f"{further} --out {out} --resume")
        alone(f"{further} --out {folder(f'{fault}-one')}")
        compare(f"{fault}-one", fault, checkpoints=False)


@on_software_gpus
def as_measured():
    """What `auto` measures, kernels and teams are each rank's own."""
    quick = QUICK.replace("--device cpu ", "")
    alone(f"train {SAMPLE} {QUICK} --out {folder('one')}")
    choices = ["auto", "llvmpipe --kernel invocation", "llvmpipe --kernel workgroup --team 8"]
    for name, of_rank in [("auto", choices[:1] * 2), ("several", choices)]:
        out = folder(name)
        run(together(*(f"train {SAMPLE} {quick} --out {out} --device {choice}" for choice in of_rank)))
        compare("one", name)


SCENARIOS = [on_gpus, a_gpu_that_fails, a_gpu_that_fails_its_trial, as_measured]
