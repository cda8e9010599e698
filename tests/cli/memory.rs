//! The memory of a whole run on a prepared corpus, whose words stay in its file.

use std::fmt::Write;

use super::{Folder, hdp_gpu};

/// Documents of the corpus, each of one word, and their tokens.
const DOCS: usize = 2000;
const DOC_TOKENS: usize = 5000;

/// What the program may take beside tokens, in bytes: it needs 14 million for stacks, tables and buffers, and another copy of z
/// would be 20 million.
const OTHER: usize = 24_000_000;

/// The system refuses all private memory beyond z, the topics sorted by word, the z of a checkpoint that is being written, and
/// a little: another copy of z is too much, and so is one of the words. Pages of the mapped file do not count, since the system can drop them.
#[test]
fn a_run_takes_six_bytes_a_token_beside_the_mapped_corpus() {
    let folder = Folder::new();
    let mut counts = format!("{DOCS}\n10\n{DOCS}\n");
    (0..DOCS).for_each(|d| writeln!(counts, "{} {} {DOC_TOKENS}", d + 1, d % 10 + 1).expect("text"));
    let (counts, corpus) = (folder.write("counts.txt", counts), folder.path("corpus"));
    hdp_gpu().arg("prepare").arg(counts).arg("--out").arg(&corpus).arg("--vocab=none").assert().success();
    let kib = (6 * DOCS * DOC_TOKENS + OTHER) / 1024;
    // A thread that panics for want of memory may never end.
    let script = format!("ulimit -d {kib} && exec timeout -s KILL 300 \"$@\"");
    let flags = "--device cpu --threads 2 --iterations 2 --checkpoint-every 1 --max-topics 20 --quiet";
    let program = hdp_gpu().get_program().to_owned();
    let run = std::process::Command::new("sh")
        .args(["-c", &script, "sh"])
        .arg(program)
        .arg("train")
        .arg(corpus)
        .arg("--out")
        .arg(folder.path("run"))
        .args(flags.split_whitespace())
        .output()
        .expect("a shell");
    assert!(run.status.success(), "{}: {}", run.status, String::from_utf8_lossy(&run.stderr));
}
