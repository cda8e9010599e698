"""Runs the program under MPI beside a run of one process: the same bytes, and one sentence when it cannot be.

scenarios.py PROGRAM openmpi|mpich [--all]

The variable SCENARIOS names some of them, separated by spaces; all are run unless it is set. Each has a time limit, so that ranks
that wait for each other for ever are a failure.
"""

import os
import resource
import sys
import tempfile
import time
import traceback

import alike
import cannot
import goes_on
import gpus
import hosts
import memory
import stands_still
from launch import MPI

ROOMS = [alike, goes_on, stands_still, gpus, cannot, memory, *([hosts] if MPI == "openmpi" else [])]
SCENARIOS = [scenario for room in ROOMS for scenario in room.SCENARIOS]


def processor_seconds():
    """What the commands of scenarios have taken of processors so far, which does not depend on how busy the machine is."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main():
    named = os.environ.get("SCENARIOS", "").split()
    # Under MPICH there are no hosts, whose names are good all the same.
    unknown = set(named) - {scenario.__name__ for scenario in [*SCENARIOS, *hosts.SCENARIOS]}
    if unknown:
        sys.exit(f"there are no scenarios {', '.join(sorted(unknown))}")
    failed = 0
    chosen = [scenario for scenario in SCENARIOS if not named or scenario.__name__ in named]
    for scenario in chosen:
        start, used = time.monotonic(), processor_seconds()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                skipped = scenario()
                result = "ok"
                if skipped:
                    print(skipped)
            except Exception as problem:
                result, failed = "FAILED", failed + 1
                traceback.print_exc() if not isinstance(problem, AssertionError) else print(problem)
            os.chdir("/")
        took = f"{time.monotonic() - start:.1f} s, {processor_seconds() - used:.1f} s of processors"
        print(f"{result:6} {scenario.__name__} ({took})", flush=True)
    print(f"{len(chosen) - failed} passed, {failed} failed, {processor_seconds():.0f} s of processors")
    sys.exit(failed > 0)


main()
