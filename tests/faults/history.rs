//! What may become of a run: a corpus, flags, and sittings that are cut off, to be drawn at random and made simpler.

use std::collections::BTreeMap;
use std::fmt;

use proptest::prelude::*;
use proptest::sample::select;

use crate::seam::Fault;

/// A corpus that is told in some numbers, so that it can be made smaller.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Corpus {
    docs: usize,
    words: usize,
    /// The tokens of a document, but for the empty and the giant one.
    length: usize,
    /// One of so many documents is empty, if any.
    empty: usize,
    /// The tokens of one more document, if there is one.
    giant: usize,
}

impl Corpus {
    /// As SVMlight, from 0.
    pub(crate) fn text(self) -> String {
        let doc = |d: usize| match d {
            0 if self.giant > 0 => self.giant,
            _ if self.empty > 0 && d.is_multiple_of(self.empty) => 0,
            _ => self.length,
        };
        let docs = self.docs + usize::from(self.giant > 0);
        (0..docs).map(|d| self.line(d, doc(d))).collect()
    }

    fn line(self, d: usize, length: usize) -> String {
        let mut counts = BTreeMap::new();
        for i in 0..length {
            *counts.entry((d * 7 + i * i * 3 + i * 5) % self.words).or_insert(0) += 1;
        }
        let pairs: String = counts.iter().map(|(word, count)| format!(" {word}:{count}")).collect();
        format!("{d}{pairs}\n")
    }
}

fn corpus() -> impl Strategy<Value = Corpus> {
    let giant = prop_oneof![8 => Just(0), 2 => Just(3_000), 1 => Just(70_000)];
    let parts = (1..40usize, 1..15usize, 1..15usize, select(&[0, 2, 3][..]), giant);
    prop_oneof![
        1 => Just((1, 1, 1, 0, 0)),
        1 => (1..2usize, 1..15usize, 1..30usize, Just(0), Just(0)),
        1 => (1..40usize, Just(1), 1..15usize, select(&[0, 2, 3][..]), Just(0)),
        6 => parts,
    ]
    .prop_map(|(docs, words, length, empty, giant)| Corpus { docs, words, length, empty, giant })
}

/// Flags that make another run, a line each of which at most one is taken.
const FLAGS: &[&[&str]] = &[
    &["--preset small", "--preset paper"],
    &["--sampler direct"],
    &["--phi dirichlet"],
    &["--psi sticks", "--psi uniform --max-topics 20", "--psi dp"],
    &["--alpha 0.5", "--alpha learn"],
    &["--beta 0.1", "--beta learn:2,40"],
    &["--gamma 2", "--gamma learn:2,1"],
    &["--discount 0.2 --gamma 2"],
    &["--init one", "--init random:5", "--init documents:4", "--init sequential"],
    &["--max-topics 20", "--max-topics auto"],
    &["--anneal 3:4"],
    &["--samples 2 --thin 1", "--samples 3 --thin 2"],
    &["--finish 0", "--finish 2", "--finish auto"],
    &["--holdout 0.3", "--holdout 0.6 --holdout-seed 5"],
    &["--chains 2", "--chains 3", "--chains 2 --until settled --trace-every 1"],
    &["--trace-every 1", "--trace-every 3"],
    &["--seed 7"],
];

/// What does not go with a flag, by how flags begin; most histories would be refused up front else.
const APART: &[(&str, &[&str])] = &[
    ("--sampler direct", &["--phi", "--finish"]),
    ("--psi uniform", &["--max-topics", "--discount", "--gamma"]),
    ("--discount", &["--gamma"]),
    ("--chains 2 --until", &["--trace-every"]),
];

/// The flags that go together.
fn fitting(flags: &[Option<&'static str>]) -> Vec<&'static str> {
    let begins = |begin: &str| flags.iter().flatten().any(|flag| flag.starts_with(begin));
    let out: Vec<&str> =
        APART.iter().filter(|(flag, _)| begins(flag)).flat_map(|(_, out)| out.iter().copied()).collect();
    flags.iter().flatten().copied().filter(|flag| !out.iter().any(|begin| flag.starts_with(begin))).collect()
}

/// One sitting: what it runs on, and what cuts it off, if anything does.
#[derive(Clone, Debug)]
pub(crate) struct Sitting {
    /// What happens at which share of the calls of an undisturbed run, of 1000.
    pub(crate) fault: Option<(Fault, u64)>,
    /// Of how many iterations, as a share of all, of 10; never fewer than before.
    iterations: u32,
    pub(crate) device: Device,
    threads: u32,
    every: &'static str,
}

/// Where a sitting samples.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Device {
    Cpu,
    /// The GPU, real or not, if there is one, with these flags.
    Gpu(&'static str),
}

fn sitting() -> impl Strategy<Value = Sitting> {
    let cut = prop_oneof![3 => Just(Fault::Kill), 2 => Just(Fault::Term)];
    let fault = proptest::option::weighted(0.8, (cut, 0..1000u64));
    let gpu = select(&["", " --kernel invocation", " --team 4"][..]).prop_map(Device::Gpu);
    let device = prop_oneof![7 => Just(Device::Cpu), 1 => gpu];
    (fault, 1..=10u32, device, 1..4u32, select(&["1", "2", "10m"][..])).prop_map(
        |(fault, iterations, device, threads, every)| Sitting { fault, iterations, device, threads, every },
    )
}

/// A corpus, flags, and the sittings before the last one, which nothing disturbs.
#[derive(Clone)]
pub(crate) struct History {
    pub(crate) corpus: Corpus,
    flags: Vec<&'static str>,
    iterations: u32,
    pub(crate) sittings: Vec<Sitting>,
}

pub(crate) fn history() -> impl Strategy<Value = History> {
    let flags: Vec<_> =
        FLAGS.iter().map(|choices| proptest::option::weighted(0.2, select(*choices))).collect();
    let iterations = prop_oneof![5 => 1..13u32, 1 => 42..60u32];
    (corpus(), flags, iterations, proptest::collection::vec(sitting(), 1..5)).prop_map(
        |(corpus, flags, iterations, sittings)| {
            let flags = fitting(&flags);
            // Chains are first looked at after 40 rows.
            let settles = flags.iter().any(|flag| flag.contains("settled"));
            let iterations = if settles { iterations.max(41) } else { iterations };
            History { corpus, flags, iterations, sittings }
        },
    )
}

impl History {
    /// The words of a command: the whole run, undisturbed.
    pub(crate) fn whole(&self) -> String {
        self.words(self.iterations, " --device cpu --threads 1")
    }

    /// The same where something is there already.
    pub(crate) fn last(&self) -> String {
        self.words(self.iterations, " --device cpu --threads 2 --resume")
    }

    /// The words of sitting `number`, with the flags of a GPU if there is one.
    pub(crate) fn sitting(&self, number: usize, gpu: Option<&str>) -> String {
        let Sitting { device, threads, every, .. } = self.sittings[number];
        let share = self.sittings[..=number].iter().map(|sitting| sitting.iterations).max();
        let iterations = (self.iterations * share.expect("there is one")).div_ceil(10);
        let device = match (device, gpu) {
            (Device::Gpu(flags), Some(gpu)) => format!("{gpu}{flags}"),
            _ => "cpu".to_owned(),
        };
        let resume = if number > 0 { " --resume" } else { "" };
        let more = format!(" --device {device} --threads {threads} --checkpoint-every {every}{resume}");
        self.words(iterations, &more)
    }

    fn words(&self, iterations: u32, more: &str) -> String {
        let flags: String = self.flags.iter().map(|flag| format!(" {flag}")).collect();
        let format = "--format svmlight --vocab none --index-base 0";
        format!("train corpus --out run --iterations {iterations}{flags}{more} {format} --quiet")
    }
}

/// As commands that can be given again.
impl fmt::Debug for History {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:?}", self.corpus)?;
        for (number, sitting) in self.sittings.iter().enumerate() {
            writeln!(f, "hdp-gpu {}  # {:?}", self.sitting(number, Some("GPU")), sitting.fault)?;
        }
        writeln!(f, "hdp-gpu {}", self.last())
    }
}
