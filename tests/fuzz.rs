//! Inputs that fuzzers, people and the program itself have made, given to every target of `fuzz/`; and the same inputs with some bytes
//! changed, which is a fuzzer without a compass that needs no tools.

#[expect(unreachable_pub, reason = "it is the library of a package of its own")]
#[path = "../fuzz/src/lib.rs"]
mod library;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;

use library::targets::{ALL, Target};

/// Changed inputs of each target, unless the environment says otherwise.
const CHANGED: u64 = 300;

/// A longer one is mostly more of the same.
const LONGEST: usize = 4096;

/// The stored inputs of a target, in order.
fn stored(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/fuzz").join(target);
    let mut inputs: Vec<_> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, fs::read(&path).expect("an input"))
        })
        .collect();
    inputs.sort();
    inputs
}

/// Runs a target; an input that makes it panic is shown as a literal.
fn run(name: &str, what: &str, target: Target, input: &[u8]) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| target(input))) {
        eprintln!("{name}, {what}: b\"{}\"", input.escape_ascii());
        resume_unwind(panic);
    }
}

#[test]
fn stored_inputs() {
    let mut inputs = 0;
    for &(name, target) in ALL {
        let stored = stored(name);
        assert!(!stored.is_empty(), "{name} has no stored input");
        for (what, input) in stored {
            run(name, &what, target, &input);
            inputs += 1;
        }
    }
    println!("{inputs} inputs of {} targets", ALL.len());
}

/// A small generator of changes; the draws of the program are not at stake here.
struct Changes(u64);

impl Changes {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound.max(1)
    }

    /// A place in an input, and another one at most some bytes after it.
    fn range(&mut self, input: &[u8]) -> (usize, usize) {
        let from = self.below(input.len() + 1);
        (from, (from + self.below(17)).min(input.len()))
    }

    /// One change: a byte, a number or a mark put over or in, a piece taken out, doubled, or put in from another input.
    fn change(&mut self, input: &mut Vec<u8>, other: &[u8]) {
        const PIECES: &[&[u8]] = &[
            b"0",
            b"-1",
            b"1",
            b"4294967295",
            b"4294967296",
            b"18446744073709551615",
            b"1e9",
            b".5",
            b":",
            b",",
            b"\t",
            b"\n",
            b"\r\n",
            b" ",
            b"\"",
            b"\0",
            b"\xff",
            b"\xef\xbb\xbf",
            b"\xed\xa0\x80",
            b"{",
            b"}",
            b"[",
            b"null",
            b"#",
            b"%%",
            b"\xff\xff\xff\xff\xff\xff\xff\xff",
            b"\n--8<--\n",
        ];
        let (from, to) = self.range(input);
        match self.below(6) {
            0 if from < input.len() => input[from] = self.below(256) as u8,
            1 if from < input.len() => input[from] ^= 1 << self.below(8),
            2 => drop(input.drain(from..to)),
            3 => {
                let piece = input[from..to].to_vec();
                drop(input.splice(from..from, piece));
            }
            4 => {
                let (a, b) = self.range(other);
                drop(input.splice(from..to, other[a..b].iter().copied()));
            }
            _ => drop(input.splice(from..from, PIECES[self.below(PIECES.len())].iter().copied())),
        }
        input.truncate(LONGEST);
    }
}

#[test]
fn changed_inputs() {
    let asked = std::env::var("HDP_GPU_CHANGED_INPUTS").ok();
    let many = asked.map_or(CHANGED, |asked| asked.parse().expect("HDP_GPU_CHANGED_INPUTS is a number"));
    for (number, &(name, target)) in ALL.iter().enumerate() {
        let stored = stored(name);
        for case in 0..many {
            let mut changes = Changes((number as u64) << 32 | case);
            let [mut input, other] = [0; 2].map(|_| stored[changes.below(stored.len())].1.clone());
            for _ in 0..=changes.below(6) {
                changes.change(&mut input, &other);
            }
            run(name, &format!("case {case}"), target, &input);
        }
    }
    println!("{many} changed inputs of each of {} targets", ALL.len());
}
