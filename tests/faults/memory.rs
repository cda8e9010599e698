//! Memory that is refused at any moment: the program ends with a sentence, and what it leaves is gone on with.

use std::collections::BTreeMap;

use crate::run_files::{assert_same, results};
use crate::seam::{command, end};
use crate::training::{TRAININGS, begin, folder, go_on, words};

/// Allocations that are refused, from the first on, each time a part further: a quarter, or of all a 32nd.
fn refused() -> impl Iterator<Item = u64> {
    let part = if std::env::var_os("HDP_GPU_FAULTS").is_some_and(|value| value == "all") { 32 } else { 4 };
    std::iter::successors(Some(1u64), move |at| Some(at + at / part + 1))
}

/// Refuses allocation number `at` to a training; whether it had so many.
fn refuse(at: u64, goes_on: bool, expected: &BTreeMap<String, Vec<u8>>) -> bool {
    let lines = TRAININGS[0].1;
    let (_room, folder) = folder();
    begin(&folder, lines);
    let what = format!("allocation {at}, {}", if goes_on { "and all later ones" } else { "once" });
    let mut last = command(&folder, &words(lines[0]));
    last.env("SEAM_MEMORY", at.to_string());
    if goes_on {
        last.env("SEAM_ON", "1");
    }
    let ended = end(&mut last, &what);
    let is_reached = !ended.status.success();
    if is_reached {
        assert!(matches!(ended.status.code(), Some(1 | 2)), "{what}: {}: {}", ended.status, ended.stderr);
        assert!(!ended.stderr.trim().is_empty(), "{what}: ends without a word");
    } else {
        assert_same(&results(&folder.join("run")), expected, &format!("{what}, at once"));
    }
    go_on(&folder, lines, &what);
    let run = folder.join("run");
    assert_same(&results(&run), expected, &what);
    is_reached
}

#[test]
fn the_program_ends_with_a_sentence_and_goes_on_to_the_same_bytes() {
    /// More than come before the last allocation.
    const MOST: usize = 600;
    let (_room, undisturbed) = folder();
    go_on(&undisturbed, TRAININGS[0].1, "undisturbed");
    let expected = results(&undisturbed.join("run"));
    let mut ended = 0;
    for (case, at) in refused().take(MOST).enumerate() {
        let is_reached = refuse(at, case % 2 == 0, &expected);
        ended += usize::from(is_reached);
        // A single refusal may be survived; all of them from there on are not.
        if !is_reached && case % 2 == 0 {
            break;
        }
    }
    println!("{ended} refusals of memory, nothing lost");
    assert!(ended > 20, "{ended}");
}
