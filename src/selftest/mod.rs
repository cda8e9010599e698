//! A GPU against the CPU: whether it gives the same bits on corpora that are hard on purpose, and how fast it is.

mod cases;
mod comparison;
mod report;
mod speed;
mod table;
mod way;

pub use self::cases::{Case, cases};
pub use self::comparison::{Difference, Reference};
pub use self::report::{Compared, CpuReport, GpuReport, Report};
use self::speed::Bench;
pub use self::speed::{CorpusSize, Figures, Outcome, Speed};
pub use self::way::{On, Way};
use crate::device::{ForcedDivision, Place};
use crate::error::{Error, Result};

/// The GPU's part of the tokens where it and the CPU are compared with the CPU alone: both have work on every corpus.
const HYBRID_SHARE: f64 = 0.5;

/// What to test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The ways of the GPU by itself; the same with the CPU beside it follow from them.
    pub ways: Vec<Way>,
    /// Iterations of each comparison.
    pub iterations: u32,
    /// Whether speeds are measured.
    pub speed: bool,
}

/// Who sees what is found.
pub trait Observer {
    /// A part of the work begins: its number from 0, of how many, and what it is.
    fn begins(&mut self, part: usize, parts: usize, what: &str);

    /// Lines of the tables are ready.
    ///
    /// # Errors
    /// When they cannot be shown; the test then ends.
    fn tells(&mut self, lines: &str) -> Result<()>;
}

/// Counts the parts of the work for its observer.
struct Parts<'a> {
    observer: &'a mut dyn Observer,
    begun: usize,
    all: usize,
}

impl Parts<'_> {
    fn begin(&mut self, what: &str) {
        self.observer.begins(self.begun, self.all, what);
        self.begun += 1;
    }
}

/// Compares the GPU of `gpu` with the CPU, and measures both, each by itself and together.
///
/// # Errors
/// When the CPU or the observer fails; what a GPU does wrong is in the report.
pub fn run(gpu: &Place, plan: &Plan, observer: &mut dyn Observer) -> Result<Report> {
    run_on(gpu, plan, cases(), &speed::SIZES, observer)
}

fn run_on(
    gpu: &Place,
    plan: &Plan,
    cases: Vec<Case>,
    sizes: &[(&'static str, usize)],
    observer: &mut dyn Observer,
) -> Result<Report> {
    let info = gpu.gpu().ok_or_else(|| Error::internal("a self-test without a GPU"))?;
    let sizes = if plan.speed { sizes } else { &[] };
    // The CPU's results come first, then every way and both together; a corpus is made, and the CPU is measured too.
    let all = cases.len() * (plan.ways.len() + 2) + sizes.len() * (plan.ways.len() + 3);
    let mut parts = Parts { observer, begun: 0, all };
    let comparisons = compare_all(gpu, plan, cases, &mut parts)?;
    let speeds = measure_all(gpu, plan, sizes, &mut parts)?;
    Ok(Report::new(info, plan.iterations, comparisons, speeds))
}

/// Every case in every way.
fn compare_all(gpu: &Place, plan: &Plan, cases: Vec<Case>, parts: &mut Parts<'_>) -> Result<Vec<Compared>> {
    let ways = [&plan.ways[..], &[Way::hybrid(&plan.ways)]].concat();
    parts.observer.tells(&table::comparison_head(&ways))?;
    let mut comparisons = Vec::new();
    for case in cases {
        parts.begin(&format!("{}: cpu", case.name));
        let reference = Reference::new(case, plan.iterations)?;
        let name = &reference.case().name;
        let first = comparisons.len();
        for &way in &ways {
            parts.begin(&format!("{name}: {way}"));
            let place = way.place(gpu, Some(ForcedDivision::Fixed(HYBRID_SHARE)));
            comparisons.push(Compared::new(name, way, reference.compare(&place).as_ref()));
        }
        parts.observer.tells(&table::comparison_row(&comparisons[first..]))?;
    }
    Ok(comparisons)
}

/// Every corpus in every way.
fn measure_all(
    gpu: &Place,
    plan: &Plan,
    sizes: &[(&'static str, usize)],
    parts: &mut Parts<'_>,
) -> Result<Vec<Speed>> {
    let mut speeds: Vec<Speed> = Vec::new();
    let mut smaller = Vec::new();
    for &(name, tokens) in sizes {
        parts.begin(&format!("{name} corpus"));
        let bench = Bench::new(name, tokens)?;
        let measured = measure_corpus(gpu, plan, &bench, &smaller, parts);
        speeds.extend_from_slice(&measured);
        smaller = measured;
    }
    if !speeds.is_empty() {
        parts.observer.tells(&format!("\n{}", table::speeds(&speeds)))?;
    }
    Ok(speeds)
}

/// The CPU, every way of the GPU, and the fastest of these with the CPU beside it, unless they were too slow on a
/// smaller corpus.
fn measure_corpus(
    gpu: &Place,
    plan: &Plan,
    bench: &Bench,
    smaller: &[Speed],
    parts: &mut Parts<'_>,
) -> Vec<Speed> {
    let mut measure = |way: Way, smaller: Option<&Speed>| {
        parts.begin(&format!("{} corpus: {way}", bench.size.corpus));
        let left_out = smaller.and_then(|smaller| smaller.left_out(bench.size.tokens));
        let outcome = left_out.unwrap_or_else(|| match bench.measure(way, gpu) {
            Ok(figures) => Outcome::Measured(figures),
            Err(error) => Outcome::Failed(error.to_string()),
        });
        Speed { size: bench.size.clone(), way, outcome }
    };
    let alone = [&[Way::CPU], &plan.ways[..]].concat();
    let mut speeds: Vec<Speed> =
        alone.iter().enumerate().map(|(at, &way)| measure(way, smaller.get(at))).collect();
    // The first speed is the CPU's. Where no GPU's is known, the smaller corpus told which way is its fastest.
    let before = smaller.last().map(|hybrid| hybrid.way);
    let both = speed::fastest(&speeds[1..]).map(Way::with_cpu).or(before);
    speeds.push(measure(both.unwrap_or_else(|| Way::hybrid(&plan.ways)), smaller.last()));
    speeds
}

#[cfg(test)]
mod tests;
