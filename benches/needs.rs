//! What the program says that a run needs, and what the run takes.
//!
//! `cargo bench --bench needs -- CORPUS --iterations 50 --init-topics 200` trains with these flags in a folder that is removed
//! afterwards. Memory is the peak of the process from that line on, less what it had then; it is told on Linux only.
//! CORPUS should be a prepared one: what reading text has left behind is used again, and hides a part of what training takes.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

fn main() {
    let flags: Vec<String> = std::env::args().skip(1).filter(|flag| flag != "--bench").collect();
    // Cargo runs every benchmark when none is named.
    if flags.is_empty() {
        measure(&["sample", "--iterations", "100"].map(str::to_owned));
    } else {
        measure(&flags);
    }
}

fn measure(flags: &[String]) {
    let folder = tempfile::tempdir().expect("a folder for the run");
    let mut run = Command::new(env!("CARGO_BIN_EXE_hdp-gpu"))
        .arg("train")
        .args(flags)
        .arg("--force")
        .arg("--out")
        .arg(folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut lines = BufReader::new(run.stderr.take().expect("a pipe")).lines().map_while(Result::ok);
    let Some(needs) = lines.by_ref().find(|line| line.starts_with("needs ")) else {
        panic!("the run was refused: {:?}", run.wait());
    };
    let before = memory(&run, "VmRSS:");
    // Has the system forget the peak that reading the corpus has left.
    let _ = fs::write(format!("/proc/{}/clear_refs", run.id()), "5");
    let rest = std::thread::spawn(move || lines.for_each(drop));
    let mut peak = before;
    while run.try_wait().expect("a child").is_none() {
        peak = peak.max(memory(&run, "VmHWM:"));
        std::thread::sleep(Duration::from_millis(1));
    }
    rest.join().expect("the run's messages");
    println!("{}", flags.join(" "));
    println!("  {needs}");
    println!(
        "  took {:.1} MB of memory and {:.1} MB of disk",
        (peak - before) / 1e6,
        disk(folder.path()) / 1e6
    );
}

/// A field of the process's status, in bytes; 0 when it has ended.
fn memory(process: &Child, field: &str) -> f64 {
    let status = fs::read_to_string(format!("/proc/{}/status", process.id())).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(field));
    line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok()).map_or(0.0, |kib| 1024.0 * kib)
}

fn disk(folder: &Path) -> f64 {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"));
    let bytes = entries.map(|entry| {
        let found = entry.metadata().expect("a file");
        if found.is_dir() { disk(&entry.path()) } else { found.len() as f64 }
    });
    bytes.sum()
}
