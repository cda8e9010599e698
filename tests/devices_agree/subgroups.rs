//! Lanes that exchange what they know by operations of their subgroup, and those that find out that they are not one.

use hdp_gpu::Settings;
use hdp_gpu::device::{Hooks, OpenOptions};
use hdp_gpu::params::Init;
use libtest_mimic::Trial;

use crate::agree::{SUBGROUP_WAYS, Way, agree};
use crate::altered::{altered_by, differs, replace};
use crate::corpora::{drawn, words_seen_once};
use crate::trial;

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for way in SUBGROUP_WAYS {
        let named = |name: &str| way.named(name);
        trials.push(trial(named("documents_of_many_lengths"), move || documents_of_many_lengths(way)));
        trials.push(trial(named("more_topics_than_slots"), move || more_topics_than_slots(way.options())));
        trials
            .push(trial(named("few_tokens_from_the_document"), move || few_from_the_document(way.options())));
        trials.push(trial(named("stuck_tokens_of_short_budgets"), move || stuck_tokens(way.options())));
        trials.push(trial(named("altered_exchange_is_found_out"), move || altered_exchange(way)));
    }
    trials
}

/// Odd and even ones, one whose m takes too long to count in slots of a lane's own, and a dispatch with a budget for few tokens.
fn documents_of_many_lengths(way: Way) {
    let lengths = [1, 0, 2, 33, 64, 65, 31, 400, 2001, 40_000, 3, 7];
    let settings = Settings { init: Init::Random(12), ..Settings::paper() };
    agree(&drawn(&lengths, 120), &settings, way.options(), 3);
    let options = way.options().with_hooks(Hooks { budget: Some(1), ..way.options().hooks });
    agree(&drawn(&lengths[..7], 30), &settings, options, 2);
}

/// Documents of which some are left to workgroups, before their first token or later.
fn more_topics_than_slots(options: OpenOptions) {
    let settings = Settings { init: Init::Random(300), ..Settings::paper() };
    agree(&drawn(&[20, 60, 90, 200, 400, 30, 41], 200), &settings, options, 4);
}

/// Most tokens are drawn from alias tables, so that topics are listed at every turn.
fn few_from_the_document(options: OpenOptions) {
    let settings = Settings { alpha: 1e4, init: Init::Random(15), ..Settings::paper() };
    agree(&drawn(&[300, 301, 150, 77, 20, 1, 500, 499, 498], 300), &settings, options, 3);
}

/// Words whose column is empty, a batch of tokens at a time.
fn stuck_tokens(options: OpenOptions) {
    let options = options.with_hooks(Hooks { budget: Some(1), ..options.hooks });
    let settings = Settings { max_topics: 2, ..Settings::paper() };
    assert!(agree(&words_seen_once(9, 50), &settings, options, 3) > 0);
}

/// What subgroups exchange counts where a workgroup is one, and nowhere else.
fn altered_exchange(way: Way) {
    let options = altered_by(way.options(), |source| {
        let exchanged = "select(pair.random.xy, pair.random.zw, second), from_lane";
        if !source.contains(exchanged) {
            return source;
        }
        replace(&source, exchanged, "select(pair.random.yx, pair.random.wz, second), from_lane")
    });
    assert_eq!(differs(options), way.is_one_subgroup());
}
