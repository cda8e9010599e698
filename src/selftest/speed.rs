//! How fast z is sampled in each way, on corpora of several sizes, within a bounded time.

use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;

use super::way::{On, Way};
use crate::chain::{self, Progress, Start};
use crate::corpus::Corpus;
use crate::device::Place;
use crate::error::Result;
use crate::params::{Params, Settings};
use crate::synth::zipf::zipf_corpus;

/// The corpora: their names and tokens.
pub(super) const SIZES: [(&str, usize); 3] =
    [("small", 100_000), ("middling", 1_000_000), ("large", 10_000_000)];

/// Seconds that an iteration may be expected to take; what is slower is left out.
pub(super) const MOST_SECONDS: f64 = 1.5;

/// Seconds that warming up may take, with one device and with both, and then measuring; each ends with the step that
/// passes them.
const WARM_UP_SECONDS: [f64; 2] = [0.75, 3.0];
const MEASURED_SECONDS: f64 = 0.75;

/// Steps that are measured, if there is time.
const REPEATS: usize = 9;

/// Steps on the CPU before anything is measured: the first ones from the true topics differ from the rest.
const SETTLING: usize = 3;

/// Steps of every way before it is measured: a GPU compiles its shaders, and wakes up.
const WARM_UP: usize = 2;

/// The same for both together, whose division moves at first: at least so many since it last did, at most so many in all.
const STEADY: usize = 5;
const MOST_WARM_UP: usize = 20;

/// The sizes of a corpus.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CorpusSize {
    /// Its name.
    pub corpus: &'static str,
    /// Its tokens.
    pub tokens: usize,
    /// Its documents.
    pub documents: usize,
    /// Its words.
    pub words: usize,
    /// The topics that its tokens are in.
    pub topics: usize,
}

/// A corpus, and the state from which every way starts.
pub(super) struct Bench {
    pub(super) size: CorpusSize,
    corpus: Arc<Corpus>,
    params: Params,
    start: Start,
}

impl Bench {
    /// Makes a corpus of so many tokens: the same one everywhere.
    pub(super) fn new(name: &'static str, tokens: usize) -> Result<Self> {
        let params = Settings::paper().check()?;
        let (corpus, z) = zipf_corpus(tokens);
        let corpus = Arc::new(corpus);
        let first = Start::with_z(&corpus, &params, z);
        let mut cpu = chain::open(Arc::clone(&corpus), params.clone(), first, &Place::cpu())?;
        for _ in 0..SETTLING {
            cpu.step()?;
        }
        let size = CorpusSize {
            corpus: name,
            tokens,
            documents: corpus.num_docs(),
            words: corpus.vocab_size(),
            topics: cpu.state().counts().n.active_topics(),
        };
        Ok(Self { size, start: Start::of(cpu.as_mut())?, corpus, params })
    }

    /// Measures a way, with the GPU of `gpu`.
    pub(super) fn measure(&self, way: Way, gpu: &Place) -> Result<Figures> {
        let Self { corpus, params, start, .. } = self;
        let place = way.place(gpu, None);
        let mut chain = chain::open(Arc::clone(corpus), params.clone(), start.clone(), &place)?;
        let is_shared = way.way == On::Hybrid;
        let is_steady = WarmUp::new(is_shared).run(|| Ok(chain.step()?.gpu_share))?;
        let begin = Instant::now();
        let (mut z_steps, mut iterations, mut last) = (Vec::new(), Vec::new(), Progress::default());
        while z_steps.is_empty()
            || z_steps.len() < REPEATS && begin.elapsed().as_secs_f64() < MEASURED_SECONDS
        {
            last = chain.step()?;
            z_steps.push(z_seconds(&last));
            iterations.push(last.seconds);
        }
        let (repeats, seconds) = (z_steps.len(), median(z_steps));
        Ok(Figures {
            tokens_per_second: self.size.tokens as f64 / seconds,
            seconds,
            iteration_seconds: median(iterations),
            repeats,
            gpu_share: is_shared.then_some(last.gpu_share),
            is_steady: is_shared.then_some(is_steady),
            team_used: last.team,
        })
    }
}

/// The z step from its first to its last moment, by the host's clock and not by what the device says.
fn z_seconds(progress: &Progress) -> f64 {
    let Progress { seconds, phi_seconds, alias_seconds, l_psi_seconds, .. } = progress;
    seconds - phi_seconds - alias_seconds - l_psi_seconds
}

/// When a device is warm.
struct WarmUp {
    /// The least steps with the same share on the GPU, and the most seconds.
    steps: usize,
    seconds: f64,
    share: f64,
    /// Steps since the GPU's share was last another one.
    steady: usize,
}

impl WarmUp {
    fn new(is_shared: bool) -> Self {
        let steps = if is_shared { STEADY } else { WARM_UP };
        Self { steps, seconds: WARM_UP_SECONDS[usize::from(is_shared)], share: f64::NAN, steady: 0 }
    }

    /// Makes steps, which tell the GPU's share, until the device is warm, or there were too many; tells which.
    fn run(mut self, mut step: impl FnMut() -> Result<f64>) -> Result<bool> {
        let begin = Instant::now();
        for _ in 0..MOST_WARM_UP {
            let share = step()?;
            self.steady = if share == self.share { self.steady + 1 } else { 1 };
            self.share = share;
            if self.steady >= self.steps || begin.elapsed().as_secs_f64() > self.seconds {
                break;
            }
        }
        Ok(self.steady >= self.steps)
    }
}

/// The middle one, or the lower of the two that are.
fn median(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_unstable_by(f64::total_cmp);
    seconds[(seconds.len() - 1) / 2]
}

/// What was measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Figures {
    /// Tokens per second of the z step, its counts included.
    pub tokens_per_second: f64,
    /// Seconds of the z step: the median. While a GPU samples, the host draws a part of the next Φ.
    pub seconds: f64,
    /// Seconds of a whole iteration: the median.
    pub iteration_seconds: f64,
    /// The iterations that were measured.
    pub repeats: usize,
    /// The part of the tokens that the GPU had beside the CPU in the last step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpu_share: Option<f64>,
    /// Whether that part had come to rest before anything was measured; with more time both may be faster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_steady: Option<bool>,
    /// The lanes per document that the GPU sampled with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team_used: Option<u32>,
}

/// What came of measuring a way on a corpus.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Figures.
    Measured(Figures),
    /// It was not measured, as an iteration was expected to take so many seconds.
    LeftOut {
        /// By what it took on the corpus before.
        expected_seconds: f64,
    },
    /// It failed.
    Failed(String),
}

impl Outcome {
    /// The figures, if there are any.
    pub fn figures(&self) -> Option<&Figures> {
        match self {
            Self::Measured(figures) => Some(figures),
            Self::LeftOut { .. } | Self::Failed(_) => None,
        }
    }
}

/// A way on a corpus, and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Speed {
    /// The corpus.
    #[serde(flatten)]
    pub size: CorpusSize,
    /// The way.
    #[serde(flatten)]
    pub way: Way,
    /// What came of it.
    #[serde(flatten)]
    pub outcome: Outcome,
}

impl Speed {
    /// Why a way is left out that is too slow by what it took on a smaller corpus.
    pub(super) fn left_out(&self, tokens: usize) -> Option<Outcome> {
        let times = tokens as f64 / self.size.tokens as f64;
        let expected_seconds = match self.outcome {
            Outcome::Measured(figures) => times * figures.iteration_seconds,
            Outcome::LeftOut { expected_seconds } => times * expected_seconds,
            Outcome::Failed(_) => return None,
        };
        (expected_seconds > MOST_SECONDS).then_some(Outcome::LeftOut { expected_seconds })
    }
}

/// The way with the most tokens per second, if any was measured.
pub(super) fn fastest(speeds: &[Speed]) -> Option<Way> {
    let measured = speeds.iter().filter_map(|speed| Some((speed.outcome.figures()?, speed.way)));
    measured.max_by(|(a, _), (b, _)| a.tokens_per_second.total_cmp(&b.tokens_per_second)).map(|(_, way)| way)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn speed(outcome: Outcome) -> Speed {
        let size = CorpusSize { corpus: "small", tokens: 100, documents: 10, words: 10, topics: 3 };
        Speed { size, way: Way::CPU, outcome }
    }

    fn measured(seconds: f64) -> Outcome {
        Outcome::Measured(Figures {
            tokens_per_second: 100.0 / seconds,
            seconds,
            iteration_seconds: seconds,
            repeats: 9,
            gpu_share: None,
            is_steady: None,
            team_used: None,
        })
    }

    #[test]
    fn what_would_take_too_long_is_left_out() {
        assert_eq!(speed(measured(0.1)).left_out(1000), None);
        let left_out = speed(measured(0.5)).left_out(1000).unwrap();
        assert_eq!(left_out, Outcome::LeftOut { expected_seconds: 5.0 });
        // What was never measured is judged by what it was expected to take.
        assert_eq!(speed(left_out).left_out(1000), Some(Outcome::LeftOut { expected_seconds: 50.0 }));
        assert_eq!(speed(Outcome::Failed("it broke".into())).left_out(1000), None);
    }

    #[test]
    fn warm_ups_end_when_the_division_rests() {
        let steps = |is_shared: bool, share: fn(usize) -> f64| {
            let mut steps = 0;
            let step = || {
                steps += 1;
                Ok(share(steps))
            };
            let is_steady = WarmUp::new(is_shared).run(step).unwrap();
            (steps, is_steady)
        };
        assert_eq!(steps(false, |_| 1.0), (2, true));
        assert_eq!(steps(true, |_| 0.3), (5, true));
        assert_eq!(steps(true, |step| step.min(4) as f64 / 10.0), (8, true));
        assert_eq!(steps(true, |step| 1.0 / step as f64), (20, false));
        let short = WarmUp { seconds: 0.0, ..WarmUp::new(true) };
        assert!(!short.run(|| Ok(0.3)).unwrap());
    }

    #[test]
    fn medians() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), 2.0);
    }

    #[test]
    fn a_corpus_is_mature_and_measured_on_the_cpu() {
        let bench = Bench::new("tiny", 20_000).unwrap();
        let CorpusSize { tokens, documents, words, topics, .. } = bench.size;
        assert!(tokens == 20_000 && documents > 50 && words > 1000 && topics > 100, "{:?}", bench.size);
        let figures = bench.measure(Way::CPU, &Place::cpu()).unwrap();
        assert_eq!((figures.repeats, figures.gpu_share, figures.team_used), (REPEATS, None, None));
        assert!((figures.tokens_per_second * figures.seconds - 20_000.0).abs() < 1e-6);
    }
}
