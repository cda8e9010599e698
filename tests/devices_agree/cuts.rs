//! How the work is cut up does not matter: small bindings, streamed batches, the smallest budget of loop trips.

use hdp_gpu::Settings;
use hdp_gpu::device::{Hooks, OpenOptions};
use hdp_gpu::params::Init;
use libtest_mimic::Trial;

use crate::agree::{WAYS, Way, agree};
use crate::corpora::{drawn, words_seen_once};
use crate::trial;

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for way in WAYS {
        let named = |name: &str| way.named(name);
        let small = way.options().with_hooks(Hooks { binding_bytes: Some(4096), ..way.options().hooks });
        let streamed = way.options().with_hooks(Hooks { stream: true, ..way.options().hooks });
        let streamed_small = small.with_hooks(Hooks { stream: true, ..small.hooks });
        trials.push(trial(named("bindings_of_4096_bytes"), move || in_batches(small)));
        trials.push(trial(named("streamed"), move || in_batches(streamed)));
        trials.push(trial(named("streamed_in_4096_bytes"), move || in_batches(streamed_small)));
        trials.push(trial(named("smallest_budget"), move || smallest_budget(way)));
    }
    trials
}

/// 4096 bytes hold 1024 tokens or 256 documents: both limits are met, and a document longer than that.
fn in_batches(options: OpenOptions) {
    let lengths: Vec<usize> =
        [vec![1; 600], vec![7, 0, 90, 131], vec![60; 60], vec![1500, 3, 2000, 1]].concat();
    let settings = Settings { init: Init::Random(30), ..Settings::paper() };
    agree(&drawn(&lengths, 300), &settings, options, 3);
}

/// With room for one token a dispatch, every document is taken up again at every token, stuck ones included,
/// with its m in workgroup memory and, with more topics, in storage.
fn smallest_budget(way: Way) {
    let options = way.options().with_hooks(Hooks { budget: Some(1), ..way.options().hooks });
    let lengths = [1, 2, 40, 0, 31, 32, 33, 65, 100];
    for (max_topics, init_topics) in [(1000, 12), (20_000, 40)] {
        let settings = Settings { max_topics, init: Init::Random(init_topics), ..Settings::paper() };
        agree(&drawn(&lengths, 30), &settings, options, 2);
    }
    let settings = Settings { max_topics: 2, ..Settings::paper() };
    assert!(agree(&words_seen_once(3, 60), &settings, options, 2) > 0);
}
