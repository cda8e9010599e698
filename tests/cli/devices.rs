//! Devices: which one is taken and why, what a run on a GPU leaves, what happens when it fails, the self-test.

use assert_cmd::Command;
use hdp_gpu::device::choice::GPU_SUPPORT;
use predicates::str::{contains, is_empty, starts_with};
use serde_json::Value;

use super::{Folder, csv_rows, gunzip, hdp_gpu, read};

/// The program on a machine that seems to have no GPU.
fn without_gpu() -> Command {
    let mut command = hdp_gpu();
    command.env("VK_DRIVER_FILES", "/dev/null").env("VK_ICD_FILENAMES", "/dev/null");
    command.env("WGPU_BACKEND", "vulkan");
    command
}

/// A word of the name and the number of a GPU that `devices` lists, a software one if there is any; none when
/// tests that need one are to be left out.
pub(super) fn gpu() -> Option<(String, String)> {
    if !GPU_SUPPORT || std::env::var_os("HDP_GPU_SKIP_GPU_TESTS").is_some_and(|value| value == "1") {
        eprintln!("ignored: HDP_GPU_SKIP_GPU_TESTS is set, or the program is built without the feature gpu");
        return None;
    }
    let output = hdp_gpu().arg("devices").assert().success().get_output().stdout.clone();
    let listed = String::from_utf8(output).expect("UTF-8");
    let gpus: Vec<&str> = listed.lines().filter(|line| line.contains(", driver ")).collect();
    let line = gpus.iter().find(|line| line.contains(": software, ")).or(gpus.first());
    let line = line.expect("no GPU: install a Vulkan driver or set HDP_GPU_SKIP_GPU_TESTS=1");
    let mut words = line.split_whitespace().map(str::to_owned);
    let number = words.next().expect("a number");
    Some((words.next().expect("a name"), number))
}

/// `train sample` on a device, with more flags.
fn train_on(device: &str, run: &Folder, flags: &str) -> Command {
    let mut command = hdp_gpu();
    command.args(["train", "sample", "--force", "--quiet", "--init-topics", "20", "--trace-every", "1"]);
    command.arg("--device").arg(device).args(flags.split_whitespace()).arg("--out").arg(run.0.path());
    command
}

fn trained_on(device: &str, flags: &str) -> Folder {
    let run = Folder::new();
    train_on(device, &run, flags).assert().success().stdout(is_empty());
    run
}

fn run_json(run: &Folder) -> Value {
    serde_json::from_str(&read(run.path("run.json"))).expect("JSON")
}

/// The columns of timing.csv after the device, whose name may have commas: `gpu_share`, `team`, `comm_seconds`, `comm_bytes`.
const AFTER_DEVICE: usize = 4;

/// The device column of timing.csv.
fn devices_used(run: &Folder) -> Vec<String> {
    // A name may have commas in it; the share and the team size come after it.
    csv_rows(run.path("timing.csv"))[1..]
        .iter()
        .map(|row| row[10..row.len() - AFTER_DEVICE].join(","))
        .collect()
}

fn assert_same(a: &Folder, b: &Folder) {
    assert!(read(a.path("trace.csv")) == read(b.path("trace.csv")), "the traces differ");
    assert!(gunzip(a.path("state.gz")) == gunzip(b.path("state.gz")), "the states differ");
}

#[test]
fn the_cpu_is_device_0_and_auto_says_why() {
    let run = hdp_gpu().arg("devices").assert().success();
    run.stdout(starts_with("0  cpu (")).stdout(contains("\nauto takes "));
    let why = if GPU_SUPPORT { "no GPU found" } else { "this build has no GPU support" };
    without_gpu().arg("devices").assert().success().stdout(contains(format!("threads): {why}\n")));
    let folder = Folder::new();
    let mut train = without_gpu();
    train.args(["train", "sample", "--iterations", "1", "--threads", "2", "--out"]).arg(folder.path("run"));
    train.assert().success().stderr(contains(format!("; training on cpu (2 threads): {why}\n")));
}

#[test]
fn a_gpu_that_is_not_there() {
    let folder = Folder::new();
    let out = folder.path("run");
    for device in ["gpu", "1", "radeon", "hybrid", "hybrid:radeon"] {
        let mut train = without_gpu();
        train.args(["train", "sample", "--device", device, "--out"]).arg(&out);
        let refused = train.assert().code(2).stdout(is_empty()).stderr(starts_with("error: --device: "));
        if GPU_SUPPORT {
            refused.stderr(contains("Linux")).stderr(contains("Windows")).stderr(contains("macOS"));
        } else {
            refused.stderr(contains("this build has no GPU support"));
        }
        without_gpu().args(["selftest", "--device", device]).assert().code(2).stdout(is_empty());
        assert!(!out.exists());
    }
    without_gpu().arg("selftest").assert().code(2).stderr(starts_with("error: --device: "));
    hdp_gpu().args(["selftest", "--device", "cpu"]).assert().code(2).stderr(contains("compared with"));
}

#[test]
fn both_kernels_give_the_result_of_the_cpu() {
    let Some((name, number)) = gpu() else { return };
    let cpu = trained_on("cpu", "--iterations 10");
    for (device, kernel) in [(&name, "workgroup"), (&number, "invocation")] {
        let run = trained_on(device, &format!("--iterations 10 --kernel {kernel} --on-device-error fail"));
        assert_same(&cpu, &run);
        let info = run_json(&run);
        let used = info["device"].as_str().expect("a name");
        assert!(used.contains(&name), "{used}");
        assert!(info["driver"].is_string() && info["device_error"].is_null());
        assert_eq!((&info["kernel"], &info["settings"]["kernel"]), (&kernel.into(), &kernel.into()));
        assert_eq!(info["settings"]["device"], **device);
        assert_eq!(info["settings"]["on_device_error"], "fail");
        assert_eq!(devices_used(&run), vec![format!("\"{used}\""); 10], "a name with a comma is quoted");
    }
}

#[test]
fn a_gpu_and_the_cpu_together_give_the_result_of_the_cpu() {
    let Some((name, _)) = gpu() else { return };
    let cpu = trained_on("cpu", "--iterations 5");
    for (division, share) in [("0", "0.0000"), ("1", "1.0000")] {
        let flags = format!("--iterations 5 --inject-division {division} --on-device-error fail");
        let run = trained_on(&format!("hybrid:{name}"), &flags);
        assert_same(&cpu, &run);
        let info = run_json(&run);
        assert_eq!(info["settings"]["device"], format!("hybrid:{name}"));
        let used = info["device"].as_str().expect("a name");
        assert!(used.contains(&name) && used.contains(" with cpu ("), "{used}");
        for row in &csv_rows(run.path("timing.csv"))[1..] {
            assert_eq!(row[row.len() - AFTER_DEVICE], share, "{row:?}");
        }
    }
}

#[test]
fn an_exact_phi_gives_the_same_trace_on_both_devices() {
    let Some((name, _)) = gpu() else { return };
    let flags = "--iterations 10 --phi dirichlet --on-device-error fail";
    let (cpu, gpu) = (trained_on("cpu", flags), trained_on(&name, flags));
    assert_same(&cpu, &gpu);
    assert!(run_json(&gpu)["device"].as_str().is_some_and(|device| device.contains(&name)));
}

#[test]
fn a_gpu_that_fails_is_left_for_the_cpu() {
    let Some((name, _)) = gpu() else { return };
    let cpu = trained_on("cpu", "--iterations 8");
    for fault in ["lost", "count"] {
        let run = Folder::new();
        let flags = format!("--iterations 8 --inject-fault {fault}:4");
        let told = train_on(&name, &run, &flags).assert().success();
        let told = String::from_utf8_lossy(&told.get_output().stderr).into_owned();
        let warnings: Vec<&str> = told.lines().filter(|line| line.starts_with("warning: ")).collect();
        let [warning] = warnings[..] else { panic!("not one warning: {told}") };
        assert!(warning.contains(&name) && warning.contains("from iteration 4 on, cpu ("), "{warning}");
        assert_same(&cpu, &run);
        let info = run_json(&run);
        assert!(
            info["device"].as_str().is_some_and(|device| device.starts_with("cpu"))
                && info["driver"].is_null()
        );
        assert_eq!(info["device_error"]["iteration"], 4);
        assert!(info["device_error"]["error"].as_str().is_some_and(|error| error.contains(&name)));
        let on_cpu: Vec<bool> = devices_used(&run).iter().map(|device| device.starts_with("cpu")).collect();
        assert_eq!(on_cpu, [false, false, false, true, true, true, true, true]);

        let failed = train_on(&name, &Folder::new(), &format!("{flags} --on-device-error fail")).assert();
        failed.code(1).stderr(contains(&name));
    }
}

/// A GPU that hangs in the middle of a run is left to its thread: the run ends, and so does the process.
#[test]
fn a_gpu_that_hangs_does_not_hold_up_the_run() {
    let cpu = trained_on("cpu", "--iterations 8");
    let flags = "--iterations 8 --inject-division 0.37 --inject-stand-in hybrid:hang:4";
    let run = Folder::new();
    let told = train_on("cpu", &run, flags).assert().success();
    told.stderr(contains("warning: ")).stderr(contains("stand-in: did not answer within "));
    assert_same(&cpu, &run);
    assert!(run_json(&run)["device"].as_str().is_some_and(|device| device.starts_with("cpu")));
    let failed = train_on("cpu", &Folder::new(), &format!("{flags} --on-device-error fail")).assert();
    failed.code(1).stderr(contains("error: stand-in: did not answer within "));
}

/// A trial that fails is reason enough to end a run that is to end when its device fails.
#[test]
fn a_trial_that_fails_ends_a_run_that_wants_no_reserve() {
    let cpu = trained_on("cpu", "--iterations 200");
    let flags = "--iterations 200 --inject-stand-in auto:wait:0";
    let run = Folder::new();
    train_on("cpu", &run, flags).assert().success().stderr(contains("stand-in: is gone"));
    assert_same(&cpu, &run);
    assert!(run_json(&run)["device_error"]["error"].as_str().is_some_and(|error| error.contains("is gone")));
    let failed = train_on("cpu", &Folder::new(), &format!("{flags} --on-device-error fail")).assert();
    failed.code(1).stderr(contains("error: stand-in: is gone"));
}

#[test]
fn the_selftest_passes_and_writes_what_can_be_sent() {
    let Some((name, number)) = gpu() else { return };
    let folder = Folder::new();
    let json = folder.path("selftest.json");
    let selftest = |flags: &str| {
        let mut selftest = hdp_gpu();
        selftest.args(["selftest", "--iterations", "1", "--no-speed", "--device", &number]);
        selftest.args(flags.split_whitespace()).arg("--json").arg(&json);
        selftest.assert()
    };
    let passed = selftest("--team 8").success().stderr(is_empty());
    let passed = passed.stdout(contains("\nsample, K* = 1000       same      same\n"));
    passed.stdout(contains(format!("passed: {name}"))).stdout(contains("in all 8 comparisons\n"));
    let report: Value = serde_json::from_str(&read(&json)).expect("JSON");
    assert_eq!((&report["passed"], &report["speeds"]), (&true.into(), &serde_json::json!([])));
    assert!(report["gpu"]["name"].as_str().is_some_and(|told| told.contains(&name)));
    let hybrid = serde_json::json!({"case": "sample, K* = 1000", "way": "hybrid", "team": 8, "same": true});
    assert_eq!(report["comparisons"][1], hybrid);

    let exists = selftest("--team 8").code(2).stdout(is_empty());
    exists.stderr(starts_with("error: --json: ")).stderr(contains("--force"));
    let failed = selftest("--kernel invocation --force --inject-fault count:1").code(1);
    failed.stdout(contains(" DIFFERENT\n")).stdout(contains(format!("\nFAILED: {name}")));
    let report: Value = serde_json::from_str(&read(&json)).expect("JSON");
    assert_eq!((&report["passed"], &report["comparisons"][0]["same"]), (&false.into(), &false.into()));
    assert_eq!(report["comparisons"][0]["kernel"], "invocation");
}

#[test]
fn new_documents_have_the_same_topics_on_a_gpu() {
    let Some((name, _)) = gpu() else { return };
    let run = trained_on("cpu", "--iterations 5");
    let new = run.0.path().join("new.txt");
    std::fs::write(&new, "ship sea captain wind\nbank money trade xyzzy\n\n").expect("a file");
    let results = ["cpu", &name].map(|device| {
        let out = run.path(format!("on-{device}"));
        let mut command = hdp_gpu();
        command.arg("infer").arg(run.0.path()).arg(&new).args(["--device", device, "--state", "--quiet"]);
        command.args(["--burn-in", "3", "--samples", "4", "--thin", "2"]).arg("--out").arg(&out);
        command.assert().success().stdout(is_empty());
        let bytes = |file: &str| std::fs::read(out.join(file)).expect("a file");
        [bytes("doc-topics.csv"), bytes("theta.npz"), bytes("state.gz")]
    });
    assert!(results[0] == results[1]);
}
