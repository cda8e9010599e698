//! Ranks as threads of one process: without MPI, a run of several leaves the files of a run of one.

use std::fs;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use hdp_gpu::corpus::{DocumentOptions, Loaded, from_texts};
use hdp_gpu::device::Place;
use hdp_gpu::params::{Init, InitRequest, SettingsRequest};
use hdp_gpu::ranks::{Ranks, threads};
use hdp_gpu::run::{Every, Finish, FrontEnd, Mode, Opening, RunRequest, together};
use hdp_gpu::{Error, Result};

/// Longer than any of these tests takes, on however busy a machine.
const LONGEST: Duration = Duration::from_secs(600);

/// Runs a test that fails when it takes too long: ranks that wait for each other do so for ever.
fn within(longest: Duration, test: fn()) {
    let (tell, told) = channel();
    let running = thread::spawn(move || {
        test();
        tell.send(())
    });
    match told.recv_timeout(longest) {
        Ok(()) => {}
        Err(RecvTimeoutError::Timeout) => panic!("not done after {longest:?}"),
        Err(RecvTimeoutError::Disconnected) => {
            std::panic::resume_unwind(running.join().expect_err("it has not said that it is done"))
        }
    }
}

#[test]
#[should_panic(expected = "not done after 1s")]
fn a_deadlock_is_seen() {
    within(Duration::from_secs(1), || {
        threads(2, |ranks| {
            if ranks.is_first() {
                ranks.sum(&mut [1]);
            }
        });
    });
}

/// Documents of two themes; some are empty, and one is as long as all others together.
fn documents() -> Loaded {
    let themes = ["ash birch cedar fir oak pine root", "sail mast wind wave harbour keel"];
    let text = |d: usize| match d % 7 {
        6 => String::new(),
        _ => format!("{} {}", themes[d % 2], themes[usize::from(d.is_multiple_of(5))]),
    };
    let mut texts: Vec<String> = (0..60).map(text).collect();
    texts[17] = texts.join(" ");
    let options = DocumentOptions::default();
    from_texts(&texts, &options).expect("a corpus")
}

fn request(init: Init) -> RunRequest {
    RunRequest {
        model: SettingsRequest { init: Some(InitRequest::Of(init)), ..SettingsRequest::default() },
        iterations: Some(8),
        trace_every: Some(2),
        samples: Some(2),
        thin: Some(2),
        finish: Some(Finish::Sweeps(3)),
        holdout: Some(0.1),
        ..RunRequest::default()
    }
}

/// A run in `out` on these ranks, as the first of them makes it.
fn lead(ranks: &Ranks, out: &Path, mode: Mode, request: &RunRequest) -> Result<()> {
    let led = Opening::new(out, mode, &mut ()).and_then(|opening| {
        let asked = opening.ask(request, &[], &mut ())?.among(ranks, "train".to_owned());
        asked
            .on(documents(), Place::cpu(), Every::Iterations(3), FrontEnd::default(), &mut ())?
            .train(&mut ())
    });
    assert!(!ranks.is_torn(), "the others wait for ever");
    together::dismiss(ranks);
    led.map(drop)
}

/// The same on so many ranks; `place` is that of the last one.
fn run(
    size: usize,
    out: &Path,
    mode: Mode,
    request: &RunRequest,
    place: fn() -> Result<Place>,
) -> Result<()> {
    let mut done = threads(size, |ranks| {
        if ranks.is_first() {
            return lead(&ranks, out, mode, request);
        }
        let is_last = ranks.rank() + 1 == ranks.size();
        together::serve(&ranks, if is_last { place() } else { Ok(Place::cpu()) }, "train")
    });
    let led = done.remove(0);
    done.into_iter().for_each(|served| served.expect("a rank that was let go"));
    led
}

/// The files of a run that have no times in them.
const FILES: [&str; 13] = [
    "trace.csv",
    "tokens_per_topic.csv",
    "topic-keys.txt",
    "doc-topics.txt",
    "doc-topics.csv",
    "doc-topics-wide.csv",
    "topics.csv",
    "topic-docs.csv",
    "state.gz",
    "model.safetensors",
    "phi.npz",
    "theta.npz",
    "heldout.corpus",
];

fn assert_same(one: &Path, several: &Path) {
    for file in FILES {
        let [a, b] = [one, several].map(|run| fs::read(run.join(file)).expect(file));
        assert!(a == b, "{file} of {} differs", several.display());
    }
}

#[test]
fn any_number_of_ranks_leaves_the_same_files() {
    within(LONGEST, || {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, init) in
            [("documents", Init::Documents(5)), ("random", Init::Random(5)), ("sequential", Init::Sequential)]
        {
            let out = |size: usize| folder.path().join(format!("{name}-{size}"));
            for size in [1, 2, 3, 5] {
                run(size, &out(size), Mode::New, &request(init.clone()), || Ok(Place::cpu())).expect("a run");
                assert_same(&out(1), &out(size));
            }
        }
    });
}

#[test]
fn a_run_goes_on_with_other_ranks() {
    within(LONGEST, || {
        let folder = tempfile::tempdir().expect("a folder");
        let [whole, parts] = ["whole", "parts"].map(|name| folder.path().join(name));
        let longer = |iterations| RunRequest { iterations: Some(iterations), ..request(Init::Documents(5)) };
        run(1, &whole, Mode::New, &longer(12), || Ok(Place::cpu())).expect("a run");
        for (size, iterations) in [(3, 4), (2, 8), (1, 12)] {
            run(size, &parts, Mode::Resume, &longer(iterations), || Ok(Place::cpu())).expect("a run");
        }
        assert_same(&whole, &parts);
    });
}

#[test]
fn a_rank_that_cannot_is_named_and_nothing_is_written() {
    within(LONGEST, || {
        let folder = tempfile::tempdir().expect("a folder");
        let out = folder.path().join("run");
        let none = || Err(Error::setting("device", "there is none", "give another"));
        let error =
            run(3, &out, Mode::New, &request(Init::Documents(5)), none).expect_err("a rank has no device");
        assert_eq!(error.to_string(), "rank 2 of 3 on thread: `device`: there is none; give another");
        assert_eq!(error.exit_code(), 2);
        assert!(!out.exists());
    });
}
