//! Checkpoints against everything that can happen to a file: no byte of one can be changed unseen.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hdp_gpu::chain;
use hdp_gpu::corpus::{LoadNotes, Loaded, Preparation};
use hdp_gpu::device::Place;
use hdp_gpu::params::{Concentration, Init, InitRequest, MaxTopics, Preset, SettingsRequest};
use hdp_gpu::run::checkpoint::{Checkpoint, Opened, Store, Unusable, read};
use hdp_gpu::run::folder::Folder;
use hdp_gpu::run::{
    Event, Every, FrontEnd, LastState, Mode, Observer, Opening, Outcome, Plan, RunRequest, Sampling,
};
use hdp_gpu::{Corpus, Params};
use sha2::{Digest, Sha256};

/// Waits for the checkpoint of every iteration but the last, which the run itself waits for, and until older ones are removed, which is the last
/// that is done for it: none is taken while another is being written. That of the first iteration may be left out for this. Not for ever,
/// in case another is.
struct Patient<'a>(&'a Path);

impl Observer for Patient<'_> {
    fn event(&mut self, event: &Event<'_>) {
        let Event::Iteration(report) = event else { return };
        let iteration = report.progress.iteration;
        let is_there = |iteration| path(self.0, iteration).exists();
        let is_written = || {
            let older = (0..iteration.saturating_sub(1)).any(is_there);
            is_there(iteration) && !older || iteration == 1 && is_there(0)
        };
        let looks = if iteration < PLAN.iterations { 300 } else { 0 };
        for _ in (0..looks).take_while(|_| !is_written()) {
            std::thread::sleep(Duration::from_millis(10));
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

const PLAN: Plan =
    Plan { iterations: 6, trace_every: 2, sampling: Sampling { samples: 3, ..Sampling::LAST } };

fn corpus() -> Arc<Corpus> {
    let words = (0..4).map(|v| v.to_string()).collect();
    let w: Vec<u32> = (0..30).map(|i| i * i % 4).collect();
    Arc::new(Corpus::new(w, vec![0, 12, 12, 30], words).expect("a corpus"))
}

fn request() -> RunRequest {
    let Plan { iterations, trace_every, sampling: Sampling { samples, thin, .. } } = PLAN;
    RunRequest {
        model: SettingsRequest {
            preset: Some(Preset::Paper),
            init: Some(InitRequest::Of(Init::Random(3))),
            max_topics: Some(MaxTopics::Fixed(5)),
            alpha: Some(Concentration::Fixed(1.0)),
            ..SettingsRequest::default()
        },
        iterations: Some(iterations),
        trace_every: Some(trace_every),
        samples: Some(samples),
        thin: Some(thin),
        ..RunRequest::default()
    }
}

fn params() -> Params {
    request().model.settings(None, None).check().expect("good settings")
}

/// A small run in `room`.
fn run(room: &Path, observer: &mut dyn Observer) -> Outcome {
    let loaded = Loaded {
        source: "small".into(),
        format: "memory".into(),
        corpus: Corpus::clone(&corpus()),
        preparation: Preparation::default(),
        notes: LoadNotes::default(),
        kept_text: None,
    };
    let asked = Opening::new(room, Mode::Force, observer).and_then(|at| at.ask(&request(), &[], observer));
    let asked = asked.expect("an empty folder");
    let run = asked.on(loaded, Place::cpu(), Every::Iterations(1), FrontEnd::default(), observer);
    run.and_then(|run| run.train(observer)).expect("a run")
}

/// The two checkpoints that a small run leaves in `room`, the newest last; its sums of samples are in both.
fn checkpoints(room: &Path) -> [Vec<u8>; 2] {
    run(room, &mut Patient(room));
    [5, 6].map(|iteration| fs::read(path(room, iteration)).expect("a checkpoint"))
}

/// Stops a run when it is told of an iteration.
struct StopsAt {
    iteration: u32,
    is_there: bool,
}

impl Observer for StopsAt {
    fn event(&mut self, event: &Event<'_>) {
        if let Event::Iteration(report) = event {
            self.is_there |= report.progress.iteration == self.iteration;
        }
    }

    fn should_stop(&self) -> bool {
        self.is_there
    }
}

#[test]
fn a_run_stops_at_the_iteration_that_its_observer_was_told_of() {
    let room = tempfile::tempdir().expect("a folder");
    let ended = run(room.path(), &mut StopsAt { iteration: 5, is_there: false });
    assert_eq!((ended.interrupted, ended.chains[0].record.iterations_done), (Some(1), 5));
    let last = LastState::read(room.path(), &ended.corpus).expect("its checkpoint");
    assert_eq!((last.record.iterations_done, last.z.len()), (5, ended.corpus.num_tokens()));
    assert_eq!(last.samples.expect("samples of iterations 4 and 5").count(), 2);
}

fn path(room: &Path, iteration: u32) -> PathBuf {
    room.join(format!("checkpoint/iteration-{iteration}.checkpoint"))
}

/// The iteration that a run in `room` would go on from, and the checkpoints that it would leave alone.
fn found(room: &Path) -> Result<(u32, usize), String> {
    let folder = Folder::resume(room).expect("a run folder");
    let found = Store::find(&folder).map_err(|error| error.to_string())?;
    Ok((found.checkpoint.expect("a checkpoint").kept.iteration(), found.unusable.len()))
}

#[test]
fn every_changed_byte_and_every_cut_is_found_out() {
    let room = tempfile::tempdir().expect("a folder for the test");
    let [older, newest] = checkpoints(room.path());
    assert!(read(&newest).is_ok() && read(&older).is_ok());
    assert!(newest.len() < 5000, "{} bytes are too many for this test", newest.len());
    let is_damaged = |bytes: &[u8]| matches!(read(bytes), Err(Unusable::Damaged(_)));
    for at in 0..newest.len() {
        for bit in [0, 7] {
            let mut bytes = newest.clone();
            bytes[at] ^= 1 << bit;
            assert!(is_damaged(&bytes), "bit {bit} of byte {at}");
        }
        assert!(is_damaged(&newest[..at]), "cut after {at} bytes");
    }
    let longer = [newest.as_slice(), &[0]].concat();
    assert!(is_damaged(&longer));
}

#[test]
fn a_run_goes_on_from_the_older_one() {
    let room = tempfile::tempdir().expect("a folder for the test");
    let [older, newest] = checkpoints(room.path());
    assert_eq!(found(room.path()), Ok((6, 0)));
    for at in (0..newest.len()).step_by(61) {
        let mut bytes = newest.clone();
        bytes[at] ^= 0x10;
        fs::write(path(room.path(), 6), &bytes).expect("a file");
        assert_eq!(found(room.path()), Ok((5, 1)), "byte {at}");
        fs::write(path(room.path(), 6), &newest[..at]).expect("a file");
        assert_eq!(found(room.path()), Ok((5, 1)), "cut after {at} bytes");
    }
    // Under another name it is not what its name says.
    fs::write(path(room.path(), 6), &older).expect("a file");
    assert_eq!(found(room.path()), Ok((5, 1)));
    fs::write(path(room.path(), 5), b"").expect("a file");
    let refused = found(room.path()).expect_err("no good checkpoint");
    assert!(refused.contains("iteration-6.checkpoint: it is of iteration 5"), "{refused}");
}

/// What a stranger may make: any change, and then the right checksum. It is refused, or it is a state like any other.
#[test]
fn changes_with_the_right_checksum_do_no_harm() {
    let room = tempfile::tempdir().expect("a folder for the test");
    let [_, newest] = checkpoints(room.path());
    let content = newest.len() - 32;
    let (mut refused, mut trained) = (0, 0);
    for at in 0..content {
        for change in [0x01, 0x80, 0xff] {
            let mut bytes = newest.clone();
            bytes[at] ^= change;
            let sum = Sha256::digest(&bytes[..content]);
            bytes[content..].copy_from_slice(&sum);
            match read(&bytes).ok().and_then(go_on) {
                None => refused += 1,
                Some(tokens) => {
                    assert_eq!(tokens, 30);
                    trained += 1;
                }
            }
        }
    }
    println!("{refused} refused, {trained} trained on");
    assert!(refused > 1000 && trained > 1000, "{refused} refused, {trained} trained on");
}

/// The tokens that a chain has two iterations later, unless the checkpoint is not one of this corpus.
fn go_on(checkpoint: Checkpoint) -> Option<u64> {
    let corpus = corpus();
    let params = checkpoint.kept.record.settings.model.clone().check().ok()?;
    // A larger K* than that of the run is another setting, and refused as such.
    checkpoint.kept.check_settings(Path::new("run"), self::params().settings(), None).ok()?;
    let plan = checkpoint.kept.record.settings.plan;
    checkpoint.kept.check_plan(Path::new("run"), &plan).ok()?;
    let Opened { start, samples, .. } = checkpoint.open(&corpus, &plan).ok()?;
    let mut chain = chain::open(Arc::clone(&corpus), params, start, &Place::cpu()).ok()?;
    let mut samples = samples?;
    for _ in 0..2 {
        // The last iteration that a counter can have is not gone beyond.
        (chain.state().iteration() < plan.iterations.max(6)).then(|| chain.step().expect("an iteration"));
        chain.state().check().expect("a sound state");
        let z = chain.z().expect("z");
        samples.add(chain.state(), &z);
    }
    assert!(samples.phi().rows.len() == 5);
    Some(chain.state().counts().n.topic_tokens.iter().sum())
}
