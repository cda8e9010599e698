"""Runs the program under MPI beside a run of one process: the same bytes, and one sentence when it cannot be.

scenarios.py PROGRAM openmpi|mpich [--all]

The variable SCENARIOS names some of them, separated by spaces; all are run unless it is set. Each has a time limit, so that ranks
that wait for each other for ever are a failure.
"""

import os
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
from launch import MPI

ROOMS = [alike, goes_on, gpus, cannot, memory, *([hosts] if MPI == "openmpi" else [])]
SCENARIOS = [scenario for room in ROOMS for scenario in room.SCENARIOS]


def main():
    named = os.environ.get("SCENARIOS", "").split()
    # Under MPICH there are no hosts, whose names are good all the same.
    unknown = set(named) - {scenario.__name__ for scenario in [*SCENARIOS, *hosts.SCENARIOS]}
    if unknown:
        sys.exit(f"there are no scenarios {', '.join(sorted(unknown))}")
    failed = 0
    chosen = [scenario for scenario in SCENARIOS if not named or scenario.__name__ in named]
    for scenario in chosen:
        start = time.monotonic()
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
        print(f"{result:6} {scenario.__name__} ({time.monotonic() - start:.1f} s)", flush=True)
    print(f"{len(chosen) - failed} passed, {failed} failed")
    sys.exit(failed > 0)


main()
