//! Runs on AP beside those that the authors published: pictures of both, and the range that ours must stay in.
//!
//! Ignored, because neither the corpus nor the published traces are part of the project. With `HDP_GPU_REFERENCE` the folder
//! of the traces (ap-pclda.csv, ap-direct.csv, cgcbib-pclda.csv, cgcbib-direct.csv), `HDP_GPU_RUNS` what
//! docs/validation/runs.sh has made, and `HDP_GPU_PICTURES` where pictures go:
//! `cargo test --release --test published -- --ignored --nocapture`.

#[path = "common/plot.rs"]
mod plot;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use plot::{BLUE, Corner, GREEN, ORANGE, Scale, Series, Titles, lines};
use plotters::style::RGBColor;

const SEEDS: std::ops::RangeInclusive<u32> = 1..=5;
const BLACK: RGBColor = RGBColor(0, 0, 0);
const GREY: RGBColor = RGBColor(120, 120, 120);

/// A row of a trace.
#[derive(Clone, Copy)]
struct Row {
    iteration: u32,
    log_likelihood_lda: f64,
    active_topics: Option<u32>,
}

/// Values by iteration.
type Curve = Vec<(f64, f64)>;

/// What is plotted of a row.
type Quantity = fn(&Row) -> Option<f64>;

const QUANTITIES: [(&str, &str, Quantity); 2] = [
    ("log-likelihood", "log-likelihood (LDA's, as published)", |row| Some(row.log_likelihood_lda)),
    ("topics", "active topics", |row| row.active_topics.map(f64::from)),
];

fn folder(variable: &str) -> PathBuf {
    std::env::var_os(variable).unwrap_or_else(|| panic!("{variable} is not set")).into()
}

/// The rows of a CSV file, each with its run, which is 0 where the file has no such column.
fn read(path: &Path) -> Vec<(u32, Row)> {
    let mut reader =
        csv::Reader::from_path(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let headers = reader.headers().expect("a header").clone();
    let column = |name: &str| headers.iter().position(|header| header == name);
    let at = |name: &str| column(name).unwrap_or_else(|| panic!("{}: no column {name}", path.display()));
    let (run, iteration, lda) = (column("run"), at("iteration"), at("log_likelihood_lda"));
    let topics = at("active_topics");
    let records = reader.records().map(|record| record.expect("a row"));
    let row = |record: csv::StringRecord| {
        let row = Row {
            iteration: record[iteration].parse().expect("a number"),
            log_likelihood_lda: record[lda].parse().expect("a number"),
            active_topics: record[topics].parse().ok(),
        };
        (run.map_or(0, |run| record[run].parse().expect("a number")), row)
    };
    records.map(row).collect()
}

/// The published runs in `file`, one after the other.
fn published(file: &str) -> Vec<Vec<Row>> {
    let mut runs = BTreeMap::<u32, Vec<Row>>::new();
    for (run, row) in read(&folder("HDP_GPU_REFERENCE").join(file)) {
        runs.entry(run).or_default().push(row);
    }
    runs.into_values().collect()
}

/// Our runs with a sampler, by seed.
fn ours(sampler: &str) -> Vec<Vec<Row>> {
    let trace = |seed| folder("HDP_GPU_RUNS").join(format!("{sampler}-{seed}")).join("trace.csv");
    SEEDS.map(|seed| read(&trace(seed)).into_iter().map(|(_, row)| row).collect()).collect()
}

/// Runs as points, without the first state and what is past `last`; and their mean where all of them are.
fn curves(runs: &[Vec<Row>], quantity: Quantity, last: u32) -> (Vec<Curve>, Curve) {
    let shown = |row: &&Row| (1..=last).contains(&row.iteration);
    let point = |row: &Row| quantity(row).map(|value| (f64::from(row.iteration), value));
    let points: Vec<Curve> =
        runs.iter().map(|run| run.iter().filter(shown).filter_map(point).collect()).collect();
    let mut sums = BTreeMap::<u32, (f64, usize)>::new();
    for &(iteration, value) in points.iter().flatten() {
        let (sum, count) = sums.entry(iteration as u32).or_default();
        (*sum, *count) = (*sum + value, *count + 1);
    }
    let all = sums.into_iter().filter(|&(_, (_, count))| count == runs.len());
    let mean = all.map(|(iteration, (sum, count))| (f64::from(iteration), sum / count as f64)).collect();
    (points, mean)
}

/// A picture of each quantity.
fn draw(corpus: &str, title: &str, last: u32, samplers: &[(&str, RGBColor, Vec<Vec<Row>>)]) {
    for (file, y, quantity) in QUANTITIES {
        let drawn: Vec<_> = samplers.iter().map(|(_, _, runs)| curves(runs, quantity, last)).collect();
        let named = samplers.iter().zip(&drawn);
        let series: Vec<Series> =
            named.map(|(&(name, color, _), (runs, mean))| Series { name, color, runs, mean }).collect();
        let path = folder("HDP_GPU_PICTURES").join(format!("{corpus}-{file}.svg"));
        let titles = Titles { title, x: "iteration", y };
        lines(&path, &titles, (Scale::Log, Scale::Linear), Corner::UpperLeft, &series).expect("a picture");
    }
}

#[test]
#[ignore = "needs the published traces and runs on AP"]
fn curves_beside_the_published_ones() {
    let samplers = [
        ("published: PPU", BLACK, published("ap-pclda.csv")),
        ("published: direct assignment", GREY, published("ap-direct.csv")),
        ("hdp-gpu: PPU", BLUE, ours("ppu")),
        ("hdp-gpu: exact Φ", GREEN, ours("dirichlet")),
        ("hdp-gpu: direct assignment", ORANGE, ours("direct")),
    ];
    draw("ap", "AP from one topic, means of five runs", 5000, &samplers);
    let samplers = [
        ("published: PPU", BLACK, published("cgcbib-pclda.csv")),
        ("published: direct assignment", GREY, published("cgcbib-direct.csv")),
    ];
    draw("cgcbib", "CGCBIB from one topic, means of five runs", 100_000, &samplers);
}

/// The mean of our first three seeds lies in the range of the published runs, widened by its length on both sides.
#[test]
#[ignore = "needs the published traces and runs on AP"]
fn within_the_published_range() {
    for (sampler, file) in [("ppu", "ap-pclda.csv"), ("direct", "ap-direct.csv")] {
        let (published, ours) = (published(file), ours(sampler));
        for iteration in [100, 500, 1000] {
            let at = |run: &Vec<Row>| {
                let row = run.iter().find(|row| row.iteration == iteration);
                row.unwrap_or_else(|| panic!("{sampler}: no iteration {iteration}")).log_likelihood_lda
            };
            let least = published.iter().map(at).fold(f64::INFINITY, f64::min);
            let most = published.iter().map(at).fold(f64::NEG_INFINITY, f64::max);
            let range = 2.0 * least - most..=2.0 * most - least;
            let mean = ours[..3].iter().map(at).sum::<f64>() / 3.0;
            println!(
                "{sampler}, iteration {iteration}: {mean:.0} in {:.0} to {:.0}",
                range.start(),
                range.end()
            );
            assert!(range.contains(&mean), "{sampler}, iteration {iteration}: {mean} is not in {range:?}");
        }
    }
}
