//! Needs on machines that are made up.

use super::*;
use crate::corpus::sample::sample;
use crate::error::Error;
use crate::params::{Algorithm, Init, PhiLaw, Settings};
use crate::run::{Plan, Sampling, Until};

const SAMPLERS: [Algorithm; 3] =
    [Algorithm::Ppu { phi: PhiLaw::Ppu }, Algorithm::Ppu { phi: PhiLaw::Dirichlet }, Algorithm::Direct];

/// A run on a corpus of `tokens` tokens that is otherwise like text.
fn run(tokens: f64) -> Workload {
    let words = tokens.sqrt() * 10.0;
    Workload {
        docs: tokens / 100.0,
        words,
        used_words: words,
        tokens,
        longest_doc: 1000.0,
        word_topics: tokens / 2.0,
        vocab_bytes: 8.0 * words,
        name_bytes: 0.0,
        text_bytes: 0.0,
        groupings: 0.0,
        groups: 0.0,
        corpus_bytes: 4.1 * tokens,
        held_out: HeldOut::default(),
        all: HeldOut { docs: tokens / 100.0, tokens },
        settings: Settings::paper(),
        plan: Plan { iterations: 1000, trace_every: 10, sampling: Sampling::LAST },
        chains: 1.0,
        waiting: 0.0,
        threads: 8.0,
        shards: 8.0,
        gpu: false,
        shared: false,
    }
}

/// A machine with so many bytes of memory and of disk.
fn machine(memory: u64, disk: u64) -> Machine {
    Machine { memory_total: memory, memory_free: memory, disk_free: disk, disk: "/disk".into() }
}

/// The setting that a run which does not fit is refused by, and the whole message.
fn refused(run: &Workload, machine: &Machine) -> (&'static str, String) {
    match Needs::of(run).check(run, machine) {
        Err(error @ Error::Setting { setting, .. }) => (setting, error.to_string()),
        other => panic!("not refused: {other:?}"),
    }
}

#[test]
fn the_least_is_never_more_than_the_most() {
    for max_topics in [1, 2, 3, 100, 1000, 20_000, 65_535] {
        for sampler in SAMPLERS {
            let gpu = cfg!(feature = "gpu");
            for (tokens, samples, gpu) in [(1.0, 1, false), (1e4, 1, gpu), (1e6, 20, false), (1e12, 2, gpu)] {
                let mut run = run(tokens);
                (run.settings.max_topics, run.settings.sampler) = (max_topics, sampler);
                (run.plan.sampling.samples, run.gpu) = (samples, gpu);
                let Needs { memory, device, disk } = Needs::of(&run);
                for bytes in [Some(memory), device, Some(disk)].into_iter().flatten() {
                    let Bytes { least, most } = bytes;
                    assert!(least < most && most < u64::MAX, "{bytes:?} for {run:?}");
                    assert!((least..=most).contains(&bytes.likely()));
                }
            }
        }
    }
}

#[test]
fn a_trillion_tokens_do_not_overflow() {
    let tokens = (1u64 << 40) as f64;
    let needs = Needs::of(&Workload { gpu: true, ..run(tokens) });
    assert!(needs.memory.least >= 4 << 40 && needs.disk.least >= 3 << 40, "{needs:?}");
    assert!(
        needs.device.is_some_and(|device| device.least >= 6 << 40) || !cfg!(feature = "gpu"),
        "{needs:?}"
    );
    assert!(needs.disk.most < 1000 << 40 && needs.memory.most < 1000 << 40, "{needs:?}");
}

#[test]
fn a_gpu_and_the_cpu_together_take_what_each_takes() {
    let needs = |gpu, shared| Needs::of(&Workload { gpu, shared, ..run(1e7) });
    let (cpu, gpu, both) = (needs(false, false), needs(true, false), needs(true, true));
    assert_eq!(both.device, gpu.device);
    assert!(both.memory.least >= cpu.memory.least.max(gpu.memory.least), "{both:?} {cpu:?} {gpu:?}");
    assert!(both.memory.most > cpu.memory.most.max(gpu.memory.most), "{both:?} {cpu:?} {gpu:?}");
}

/// Makes one size of a run larger.
type Grow = fn(&mut Workload);

#[test]
fn more_of_anything_never_takes_less() {
    let base = run(1e6);
    let grown: [(&str, Grow); 10] = [
        ("documents", |run| run.docs *= 2.0),
        ("words", |run| run.words *= 2.0),
        ("tokens", |run| run.tokens *= 2.0),
        ("topics of words", |run| run.word_topics *= 2.0),
        ("K*", |run| run.settings.max_topics *= 2),
        ("init topics", |run| run.settings.init = Init::Random(500)),
        ("samples", |run| run.plan.sampling.samples = 2),
        ("iterations", |run| run.plan.iterations *= 2),
        ("chains", |run| run.chains = 2.0),
        ("chains that wait", |run| run.waiting = 2.0),
    ];
    for (what, grow) in grown {
        for sampler in SAMPLERS {
            let mut less = base.clone();
            less.settings.sampler = sampler;
            let mut more = less.clone();
            grow(&mut more);
            let (less, more) = (Needs::of(&less), Needs::of(&more));
            let ends =
                |needs: Needs| [needs.memory.least, needs.memory.most, needs.disk.least, needs.disk.most];
            let pairs = || ends(less).into_iter().zip(ends(more));
            assert!(pairs().all(|(less, more)| less <= more), "{what}: {less:?} {more:?}");
            assert!(pairs().any(|(less, more)| less < more), "{what} makes no difference");
        }
    }
}

/// The parts that are certain, added up by hand for a run on the CPU.
#[test]
fn the_least_memory_by_hand() {
    let mut run = run(1e8);
    (run.words, run.used_words, run.vocab_bytes, run.shards) = (0.0, 0.0, 0.0, 0.0);
    // z, and the topics sorted by word.
    assert_eq!(Needs::of(&run).memory.least, 400_000_000);
    run.gpu = true;
    assert_eq!(Needs::of(&run).memory.least, 400_000_000);
    (run.gpu, run.settings.sampler) = (false, Algorithm::Direct);
    // z; the document and place of each token, by word; room for as many topics and counts of a document as it has tokens, and how
    // many they are.
    assert_eq!(Needs::of(&run).memory.least, 1_604_000_000);
}

#[test]
fn what_is_certain_not_to_fit_is_refused() {
    let run = run(1e8);
    let Needs { memory, disk, .. } = Needs::of(&run);
    let corpus = run.corpus_bytes as u64;
    let fits = machine(memory.least + corpus, disk.least);
    assert!(Needs::of(&run).check(&run, &fits).is_ok());

    let (setting, message) = refused(&run, &machine(u64::MAX, disk.least - 1));
    assert_eq!(setting, "out");
    assert!(message.starts_with("`out`: the run needs at least "), "{message}");
    assert!(
        message.contains("of disk, and /disk has ") && message.ends_with("or free some space"),
        "{message}"
    );

    let (setting, message) = refused(&run, &machine(memory.least + corpus - 1, u64::MAX));
    // One byte less is spared by any of the settings; this one is looked at first.
    assert_eq!(setting, "threads");
    assert!(message.contains("training needs at least 816 MB of memory, and there are 816 MB"), "{message}");
}

#[test]
fn a_refusal_names_what_makes_the_difference() {
    let corpus = |run: &Workload| run.corpus_bytes as u64 + Needs::of(run).memory.least;
    let small = run(1e6);
    let mut sampled = small.clone();
    sampled.plan.sampling.samples = 5;
    assert_eq!(refused(&sampled, &machine(corpus(&small), u64::MAX)).0, "samples");

    let mut wide = run(1e6);
    wide.settings.max_topics = 60_000;
    assert_eq!(refused(&wide, &machine(corpus(&small), u64::MAX)).0, "max_topics");

    let mut threads = run(1e6);
    threads.shards = 64.0;
    assert_eq!(refused(&threads, &machine(corpus(&small), u64::MAX)).0, "threads");

    let chains = run(1e6).in_chains(4, Until::Settled);
    assert_eq!(refused(&chains, &machine(corpus(&small), u64::MAX)).0, "chains");
    assert_eq!(refused(&chains, &machine(u64::MAX, Needs::of(&small).disk.least)).0, "chains");
    // One after the other they take the memory of one.
    let chains = run(1e6).in_chains(4, Until::Iterations);
    assert_eq!(Needs::of(&chains).memory, Needs::of(&small).memory);

    assert_eq!(refused(&run(1e9), &machine(corpus(&small), u64::MAX)).0, "CORPUS");
}

#[test]
fn what_may_not_fit_is_a_warning() {
    let run = run(1e7);
    let needs = Needs::of(&run);
    let (memory, disk) = (needs.memory.likely(), needs.disk.likely());
    assert!(needs.warnings(&machine(memory, disk)).is_empty());
    assert!(needs.warnings(&machine(u64::MAX, u64::MAX)).is_empty());
    let short = machine(memory - 1, disk - 1);
    assert!(needs.check(&run, &Machine { memory_total: u64::MAX, ..short.clone() }).is_ok());
    let [memory, disk] = &needs.warnings(&short)[..] else { panic!("two warnings") };
    assert!(memory.starts_with("training may need up to ") && memory.contains("max_topics"), "{memory}");
    assert!(disk.starts_with("the run may need up to ") && disk.contains("/disk has "), "{disk}");
}

#[test]
fn the_line_says_what_is_needed_and_what_is_there() {
    let bytes = |least: u64, most: u64| Bytes { least: least * 1_000_000, most: most * 1_000_000 };
    let mut needs = Needs { memory: bytes(200, 410), device: None, disk: bytes(1, 480) };
    let there = machine(21_300_000_000, 47_200_000_000);
    assert_eq!(
        needs.line(&there),
        "needs 200 to 410 MB of memory (21 GB free) and up to 480 MB of disk (47 GB free)"
    );
    needs.device = Some(bytes(100, 2200));
    assert_eq!(
        needs.line(&machine(u64::MAX, u64::MAX)),
        "needs 200 to 410 MB of memory, 100 MB to 2.2 GB on the device and up to 480 MB of disk"
    );
}

#[test]
fn a_corpus_is_measured() {
    let corpus = sample().corpus;
    let params = Settings::paper().check().expect("good settings");
    let plan = Plan { iterations: 1000, trace_every: 10, sampling: Sampling::LAST };
    let run = Workload::new(&corpus, None, &params, plan, false);
    assert_eq!((run.docs, run.words, run.tokens), (1500.0, 1315.0, 153_215.0));
    assert_eq!(run.used_words, 1315.0);
    assert!(run.word_topics > run.words && run.word_topics < run.tokens, "{run:?}");
    assert!(run.corpus_bytes > 4.0 * run.tokens);
}

#[test]
fn files_in_folders_of_a_folder_count() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let below = folder.path().join("checkpoint");
    std::fs::create_dir(&below).expect("a folder in it");
    std::fs::write(folder.path().join("trace.csv"), [0; 100]).expect("a file");
    std::fs::write(below.join("1"), [0; 2000]).expect("a file");
    assert_eq!(check::bytes_in(folder.path()), 2100);
    assert_eq!(check::bytes_in(&folder.path().join("missing")), 0);
}

#[test]
fn text_that_is_kept_takes_disk_once_for_all_chains() {
    let run = run(1e6);
    let disk = |run: Workload| Needs::of(&run).disk;
    let [without, with] = [disk(run.clone()), disk(run.clone().with_text(1_000_000_000))];
    assert!(with.least > without.least && with.most >= without.most + 1_000_000_000);
    let chains = |run: Workload| disk(run.in_chains(3, Until::Iterations));
    let [without, more] = [chains(run.clone()), chains(run.with_text(1_000_000_000))];
    assert!(more.most - without.most < 1_100_000_000);
}
