//! A whole self-test with what stands in for a GPU: what is told, and what is in the file.

use serde_json::Value;

use super::*;
use crate::chain::{self, Start};
use crate::device::choice::CpuPart;
use crate::device::{Hooks, StandIn, Work};

#[derive(Default)]
struct Notes {
    parts: Vec<(usize, usize)>,
    told: String,
}

impl Observer for Notes {
    fn begins(&mut self, part: usize, parts: usize, _: &str) {
        self.parts.push((part, parts));
    }

    fn tells(&mut self, lines: &str) -> Result<()> {
        self.told += lines;
        Ok(())
    }
}

fn stand_in_place(stand_in: StandIn) -> Place {
    let hooks = Hooks { stand_in: Some(stand_in), ..Hooks::default() };
    Place::with_stand_in(CpuPart::None, hooks)
}

/// A self-test of the first so many cases and of corpora.
fn tested(stand_in: StandIn, num_cases: usize, sizes: &[(&'static str, usize)]) -> (Report, Notes) {
    let gpu = stand_in_place(stand_in);
    let ways = Way::of_gpu(None, None)[..2].to_vec();
    let plan = Plan { ways, iterations: 2, speed: !sizes.is_empty() };
    let mut notes = Notes::default();
    let report = run_on(&gpu, &plan, cases()[..num_cases].to_vec(), sizes, &mut notes).unwrap();
    (report, notes)
}

const SMALL: [(&str, usize); 2] = [("small", 20_000), ("large", 40_000)];

fn lines_of(told: &str, start: &str) -> Vec<String> {
    told.lines().filter(|line| line.starts_with(start)).map(str::to_owned).collect()
}

#[test]
fn a_right_device_passes_and_all_is_told() {
    let (report, notes) = tested(StandIn::PLAIN, 1, &SMALL);
    let told = &notes.told;
    assert!(report.passed && report.comparisons.len() == 3 && report.speeds.len() == 8, "{told}");
    let head = "case                 4 lanes   8 lanes    hybrid\n";
    let row = "sample, K* = 1000       same      same      same\n";
    assert!(told.starts_with(&format!("{head}{row}\n")), "{told}");
    for way in ["cpu ", "4 lanes ", "8 lanes ", "hybrid ", "  on the GPU ", "fastest "] {
        let lines = lines_of(told, way);
        assert!(lines.len() == 1 && lines[0].len() == 34, "{way}: {told}");
    }
    assert!(lines_of(told, "small ")[0].starts_with("small             20000 "), "{told}");
    // Every part is announced, and no more than were promised.
    assert_eq!(notes.parts, (0..14).map(|part| (part, 14)).collect::<Vec<_>>());
}

#[test]
fn the_file_has_all_that_is_asked_for_and_nothing_of_the_user() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("selftest.json");
    let (report, _) = tested(StandIn::PLAIN, 1, &SMALL);
    report.write(&path).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let json: Value = serde_json::from_str(&text).unwrap();
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ");
    assert_eq!(
        keys(&json),
        "architecture comparisons cpu gpu iterations passed program speeds system version"
    );
    let gpu_keys =
        "backend binding_bytes driver exchange kind name subgroup_lanes subgroup_operations workgroup_bytes";
    assert_eq!(keys(&json["gpu"]), gpu_keys);
    assert_eq!(keys(&json["comparisons"][0]), "case same team way");
    assert_eq!(keys(&json["comparisons"][2]), "case same way");
    assert_eq!(keys(&json["speeds"][0]), "corpus documents measured tokens topics way words");
    assert_eq!(keys(&json["speeds"][0]["measured"]), "iteration_seconds repeats seconds tokens_per_second");
    let hybrid = &json["speeds"][3];
    assert_eq!(hybrid["way"], "hybrid");
    // Which part the GPU has is measured, and documents are whole.
    assert!((0.0..=1.0).contains(&hybrid["measured"]["gpu_share"].as_f64().unwrap()));
    assert!(json["cpu"]["threads"].as_u64() > Some(0) && json["passed"] == true);
    assert!(!text.contains(path.parent().unwrap().to_str().unwrap()));
}

#[test]
fn both_have_work_on_every_case() {
    let gpu = stand_in_place(StandIn::PLAIN);
    let place = Way::hybrid(&[]).place(&gpu, Some(ForcedDivision::Fixed(HYBRID_SHARE)));
    for Case { name, corpus, params } in cases() {
        let start = Start::first(&corpus, &params);
        let mut chain = chain::open(corpus, params, start, &place).unwrap();
        let share = chain.step().unwrap().gpu_share;
        assert!((0.3..0.7).contains(&share), "{name}: {share}");
    }
}

#[test]
fn a_wrong_device_is_told() {
    let (report, notes) = tested(StandIn { errs: Some(0), ..StandIn::PLAIN }, 1, &[]);
    assert!(!report.passed && report.differ() == 3, "{}", notes.told);
    assert!(notes.told.contains("\nsample, K* = 1000  DIFFERENT DIFFERENT DIFFERENT\n"), "{}", notes.told);
    for way in ["  4 lanes: iteration 1: ", "  8 lanes: iteration 1: ", "  hybrid: iteration 1: "] {
        assert_eq!(lines_of(&notes.told, way).len(), 1, "{}", notes.told);
    }
    assert!(report.comparisons[0].difference.as_ref().unwrap().contains("is in topic "));
}

#[test]
fn a_device_that_fails_while_it_is_measured_does_not_pass() {
    let fails = Some((Work::Collect, 4));
    let (report, notes) = tested(StandIn { fails, ..StandIn::PLAIN }, 1, &SMALL);
    assert!(!report.passed && report.differ() == 0 && report.failed() == 6, "{}", notes.told);
    assert_eq!(lines_of(&notes.told, "4 lanes ")[0], "4 lanes          failed     failed");
    assert!(notes.told.contains("\n4 lanes failed on the small corpus: stand-in: is gone"), "{}", notes.told);
}

#[test]
fn a_slow_device_is_left_out_and_that_is_told() {
    let (report, notes) =
        tested(StandIn { all: 0.25, ..StandIn::PLAIN }, 0, &[("small", 20_000), ("large", 200_000)]);
    assert!(report.passed, "{}", notes.told);
    assert!(lines_of(&notes.told, "8 lanes ")[0].ends_with("          -"), "{}", notes.told);
    assert_eq!(lines_of(&notes.told, "-: left out").len(), 1, "{}", notes.told);
    let json = serde_json::to_value(&report.speeds[5]).unwrap();
    assert!(json["left_out"]["expected_seconds"].as_f64() > Some(1.5), "{json}");
}
