"""What cannot be is refused, on all ranks, with one sentence and exit code 2."""

import os
import shutil
import subprocess
from pathlib import Path

from launch import LAUNCH, PROGRAM, QUICK, SAMPLE, alone, errors_in, ranks, refused, run, together


def what_cannot_be():
    refused(ranks(3, f"train {SAMPLE} {QUICK} --sampler direct --out run", code=2), "direct assignment")
    refused(ranks(2, f"train nothing.txt {QUICK} --out run", code=2), "nothing.txt")
    refused(ranks(2, f"train nothing.corpus {QUICK} --out run", code=2), "nothing.corpus")
    refused(ranks(2, f"train sample {QUICK} --init run:nothing --out run", code=2), "nothing")
    Path("taken").mkdir()
    Path("taken/file").write_text("")
    refused(ranks(2, f"train {SAMPLE} {QUICK} --out taken", code=2), "taken")
    refused(ranks(2, f"train {SAMPLE} {QUICK} --out taken/file/run", code=2), "taken/file")
    refused(ranks(2, f"train {SAMPLE} --device no-such-gpu --out run", code=2), "no-such-gpu")
    # One rank speaks for all, unless the launcher takes seconds to end the others.
    assert "'--seeds'" in errors_in(ranks(3, "train sample --seeds 2 --out run", code=2))[0]
    assert not Path("run").exists(), "a folder was made for nothing"


def a_damaged_corpus():
    alone("prepare sample --out sample.corpus")
    whole = bytearray(Path("sample.corpus").read_bytes())
    whole[len(whole) // 2] ^= 1
    Path("sample.corpus").write_bytes(whole)
    refused(ranks(2, f"train sample.corpus {QUICK} --out run", code=2), "sample.corpus: the prepared corpus is damaged")


def other_settings_on_a_rank():
    command = f"train {SAMPLE} {QUICK} --out run"
    refused(run(together(command, f"{command} --seed 7"), code=2), "rank 1 of 2 on .*--seed 7")
    # Devices and threads are each rank's own.
    run(together(command, command.replace("--threads 1", "--threads 2")))


def before_mpi(name, source):
    """Words that start a program with this function between it and MPI."""
    Path(f"{name}.c").write_text(f"#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <string.h>\n{source}")
    subprocess.run(["cc", "-shared", "-fPIC", "-w", "-o", f"{name}.so", f"{name}.c", "-ldl"], check=True)
    return ["env", f"LD_PRELOAD={Path(f'{name}.so').resolve()}"]


def another_version():
    """Rank 1 hears from rank 0 that it is of another version."""
    version = alone("--version").split()[1]
    other = version[:-1] + ("1" if version.endswith("9") else "9")
    source = """
        static char *heard;
        static int length, waited_for;
        int MPI_Iallgatherv(const void *from, int count, void *type, void *to, const int *counts, const int *places, void *kind, void *all,
                            void *request) {
            int (*gather)() = dlsym(RTLD_NEXT, "MPI_Iallgatherv");
            int code = gather(from, count, type, to, counts, places, kind, all, request);
            heard = to, length = counts[0], waited_for = *(int *)request;
            return code;
        }
        int MPI_Test(void *request, int *is_done, void *status) {
            int (*test)() = dlsym(RTLD_NEXT, "MPI_Test"), is_heard = heard && *(int *)request == waited_for;
            int code = test(request, is_done, status);
            if (is_heard && *is_done) {
                char *said = memmem(heard, length, "VERSION", strlen("VERSION"));
                if (said) memcpy(said, "OTHER", strlen("OTHER"));
                heard = 0;
            }
            return code;
        }
    """.replace("VERSION", version).replace("OTHER", other)
    command = f"train {SAMPLE} {QUICK} --out run"
    words = together(command, command, last=before_mpi("version", source))
    refused(run(words, code=2), f"rank 1 of 2 on .*: it is version {version} .*, and rank 0 version {other} ")


def another_build():
    """The same version, from a file that is not quite the same."""
    other = Path("bin", Path(PROGRAM).name)
    other.parent.mkdir()
    shutil.copy(PROGRAM, other)
    with other.open("ab") as file:
        file.write(b"another")
    command = f"train {SAMPLE} {QUICK} --out run"
    said = run(together(command, command, program=str(other.resolve())), code=2)
    refused(said, "rank 1 of 2 on .*: it is another build of version .* than rank 0; start all ranks with the same program")


def an_mpi_without_threads():
    """One that says that only the first thread may use it."""
    source = """
        int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
            int (*init)() = dlsym(RTLD_NEXT, "MPI_Init_thread");
            int code = init(argc, argv, required, provided);
            *provided = 0;
            return code;
        }
    """
    command = f"train {SAMPLE} {QUICK} --out run"
    said = run([*LAUNCH, "-n", "2", *before_mpi("threads", source), PROGRAM, *command.split()], code=2)
    lines = errors_in(said)
    assert lines and set(lines) == {lines[0]} and "use an MPI that was built with threads" in lines[0], said


def without_a_launcher():
    step = {"SLURM_STEP_ID": "0", "SLURM_PROCID": "1"}
    for name in ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"]:
        said = alone(f"train {SAMPLE} {QUICK} --out run", code=2, **{**step, name: "3"})
        refused(said, rf"3 processes were started together \({name}\)")
    # A batch script of Slurm is one process, and so is what mpirun starts there by itself.
    script = {"SLURM_NTASKS": "3", "SLURM_PROCID": "0"}
    alone(f"train {SAMPLE} {QUICK} --out run", **script)
    alone(f"train {SAMPLE} {QUICK} --out other", **{**script, **step}, OMPI_COMM_WORLD_SIZE="1")
    # What leaves nothing to divide is done by each.
    for command in ["topics run", "report run", "prepare sample --out sample.corpus", "devices", "doctor"]:
        alone(command, **step, SLURM_STEP_NUM_TASKS="3")


def seen_by_the_first_rank_alone():
    """No other rank reads the corpus or the run: it may have none, or another one, and nothing is written there."""
    alone("prepare sample --out sample.corpus")
    alone(f"train {SAMPLE} --out first {QUICK} --seed 5")
    for name in ["none", "other"]:
        Path(name).mkdir()
    Path("other/sample.corpus").write_text("something else")
    for command in [f"train sample.corpus --init-topics 40 {QUICK}", f"train sample.corpus {QUICK} --init run:first"]:
        alone(f"{command} --force --out one")
        run(together(*[f"{command} --force --out run"] * 3, folders=[".", "none", "other"]))
        for file in ["trace.csv", "state.gz", "model.safetensors"]:
            assert Path("one", file).read_bytes() == Path("run", file).read_bytes(), f"{file} after {command}"
    assert os.listdir("none") == [] and os.listdir("other") == ["sample.corpus"]


SCENARIOS = [
    what_cannot_be, a_damaged_corpus, other_settings_on_a_rank, another_version, another_build, an_mpi_without_threads,
    without_a_launcher, seen_by_the_first_rank_alone,
]  # fmt: skip
