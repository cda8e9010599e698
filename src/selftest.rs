//! A device against the CPU: the same z, counts and log-likelihood, bit for bit, on corpora that are hard on
//! purpose.

use std::fmt;
use std::sync::Arc;

use crate::chain::{Chain, Progress, Sampler, Start, phi_law};
use crate::corpus::Corpus;
use crate::corpus::sample::sample;
use crate::device::{Device, Place};
use crate::error::{Error, Result};
use crate::params::{Init, MAX_TOPICS, Params, Settings};

/// A corpus with parameters to sample it under.
#[derive(Clone, Debug)]
pub struct Case {
    /// What it is.
    pub name: String,
    /// The corpus.
    pub corpus: Arc<Corpus>,
    /// The parameters.
    pub params: Params,
}

/// What came of a case.
#[derive(Debug)]
pub struct Comparison {
    /// Tokens a second of the z step on the CPU.
    pub cpu_tokens_per_second: f64,
    /// The same on the device.
    pub device_tokens_per_second: f64,
    /// The first difference, if any.
    pub difference: Option<Difference>,
}

/// How a device can differ from the CPU.
#[derive(Debug)]
pub enum Difference {
    /// A token has another topic.
    Z {
        /// The iteration.
        iteration: u32,
        /// The document, from 0 as in state.gz.
        document: usize,
        /// The token's position in it, from 0.
        position: usize,
        /// The topic on the CPU.
        cpu: u16,
        /// The topic on the device.
        device: u16,
    },
    /// z is the same and something that is counted from it is not.
    Counted {
        /// The iteration.
        iteration: u32,
        /// What differs.
        what: &'static str,
    },
    /// The device failed.
    Failed(Error),
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Z { iteration, document, position, cpu, device } => write!(
                f,
                "iteration {iteration}: token {position} of document {document} is in topic {cpu} on the CPU \
                 and in topic {device} on the device"
            ),
            Self::Counted { iteration, what } => {
                write!(f, "iteration {iteration}: z is the same, {what} not")
            }
            Self::Failed(error) => write!(f, "{error}"),
        }
    }
}

/// The cases: the sample, and one hard corpus with few, many and the most topics.
pub fn cases() -> Vec<Case> {
    let case = |corpus: &Arc<Corpus>, name: &str, max_topics: u32, init_topics: u32| {
        // The prior adds βK* topics to every word; with the most topics a smaller β keeps the test short.
        let beta = Settings::paper().beta.min(10.0 / f64::from(max_topics));
        let init = Init::Random(init_topics);
        let settings = Settings { beta, max_topics, init, ..Settings::paper() };
        Case {
            name: format!("{name}, K* = {max_topics}"),
            corpus: Arc::clone(corpus),
            params: settings.check().expect("the settings are usable"),
        }
    };
    let (sample, hard) = (Arc::new(sample().corpus), Arc::new(hard_corpus()));
    vec![
        case(&sample, "sample", 1000, 100),
        case(&hard, "hard", 2, 1),
        case(&hard, "hard", 1000, 200),
        case(&hard, "hard", MAX_TOPICS, 60_000),
    ]
}

/// Documents of no token, of one, of a few hundred and of 70,000, more than 16 bits count; a word in every
/// document, and words seen once.
fn hard_corpus() -> Corpus {
    const LONGEST: u32 = 70_000;
    const SINGLES: u32 = 2000;
    const MIDDLING: u32 = 300;
    const COMMON_WORDS: u32 = 10_000;
    let mut w = Vec::new();
    let mut doc_start = vec![0, 0];
    let mut words = 1 + COMMON_WORDS;
    let lengths = std::iter::once(LONGEST)
        .chain(std::iter::repeat_n(1, SINGLES as usize))
        .chain((1..=MIDDLING).map(|d| 2 + d * d % 257));
    for (d, length) in (0..).zip(lengths) {
        // The word that all documents have, common ones, and one that is never seen again.
        w.push(0);
        w.extend((2..length).map(|i| 1 + (i + 31 * d) % COMMON_WORDS));
        if length > 1 {
            w.push(words);
            words += 1;
        }
        doc_start.push(w.len());
    }
    doc_start.push(w.len());
    let vocab = (0..words).map(|word| format!("word{word}")).collect();
    Corpus::new(w, doc_start, vocab).expect("documents in order, and words of the vocabulary")
}

/// Runs a case for some iterations on the CPU and at `place`, up to the first difference.
pub fn compare(case: &Case, iterations: u32, place: &Place) -> Comparison {
    compare_with(case, iterations, |corpus, params, z| place.open(corpus, params, z))
}

/// Runs a case on the CPU and on the device that `make_device` makes.
fn compare_with(
    case: &Case,
    iterations: u32,
    make_device: impl FnOnce(Arc<Corpus>, &Params, Vec<u16>) -> Result<Box<dyn Device>>,
) -> Comparison {
    let mut speeds = [Speed::default(); 2];
    let difference = first_difference(case, iterations, make_device, &mut speeds);
    let num_tokens = case.corpus.num_tokens();
    let [cpu_tokens_per_second, device_tokens_per_second] =
        speeds.map(|speed| speed.tokens_per_second(num_tokens));
    Comparison {
        cpu_tokens_per_second,
        device_tokens_per_second,
        difference: difference.unwrap_or_else(|error| Some(Difference::Failed(error))),
    }
}

fn first_difference(
    case: &Case,
    iterations: u32,
    make_device: impl FnOnce(Arc<Corpus>, &Params, Vec<u16>) -> Result<Box<dyn Device>>,
    speeds: &mut [Speed; 2],
) -> Result<Option<Difference>> {
    let mut cpu = Sampler::on_cpu(Arc::clone(&case.corpus), case.params.clone())?;
    let Case { corpus, params, .. } = case.clone();
    let start = Start::first(&corpus, &params);
    let phi = phi_law(&params)?;
    let mut device = Sampler::with_device(corpus, params, phi, start, make_device)?;
    for _ in 0..iterations {
        let progress = [cpu.step()?, device.step()?];
        for (speed, progress) in speeds.iter_mut().zip(&progress) {
            speed.add(progress);
        }
        if let Some(difference) = difference(&mut cpu, &mut device, &progress)? {
            return Ok(Some(difference));
        }
    }
    Ok(None)
}

/// Where two samplers differ that have just made the same iteration.
fn difference(
    cpu: &mut Sampler,
    device: &mut Sampler,
    progress: &[Progress; 2],
) -> Result<Option<Difference>> {
    let iteration = cpu.state().iteration();
    let (cpu_z, device_z) = (cpu.z()?, device.z()?);
    if let Some(i) = (0..cpu_z.len()).find(|&i| cpu_z[i] != device_z[i]) {
        let doc_start = &cpu.state().corpus().doc_start;
        let document = doc_start.partition_point(|&start| start <= i) - 1;
        let position = i - doc_start[document];
        return Ok(Some(Difference::Z { iteration, document, position, cpu: cpu_z[i], device: device_z[i] }));
    }
    let bits = |sampler: &Sampler| {
        let likelihood = sampler.state().log_likelihood();
        [likelihood.model, likelihood.lda].map(f64::to_bits)
    };
    let what = if cpu.state().counts() != device.state().counts() {
        "the counts are"
    } else if progress[0].z.stuck_tokens != progress[1].z.stuck_tokens {
        "the number of stuck tokens is"
    } else if bits(cpu) != bits(device) {
        "the log-likelihood is"
    } else {
        return Ok(None);
    };
    Ok(Some(Difference::Counted { iteration, what }))
}

/// The time of the z step, without the first iteration, in which a GPU compiles its shaders.
#[derive(Clone, Copy, Debug, Default)]
struct Speed {
    first: f64,
    later: f64,
    iterations: u32,
}

impl Speed {
    fn add(&mut self, progress: &Progress) {
        let seconds = progress.z.z_seconds + progress.z.count_seconds;
        *(if self.iterations == 0 { &mut self.first } else { &mut self.later }) += seconds;
        self.iterations += 1;
    }

    fn tokens_per_second(self, num_tokens: usize) -> f64 {
        match self.iterations {
            0 => 0.0,
            1 => num_tokens as f64 / self.first,
            _ => num_tokens as f64 * f64::from(self.iterations - 1) / self.later,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;
    use std::ops::Range;

    use std::sync::atomic::Ordering::Relaxed;

    use super::*;
    use crate::device::cpu::Cpu;
    use crate::device::{ZReport, ZStep};
    use crate::model::z_counts::ZCounts;

    /// What a device gets wrong in its second iteration.
    #[derive(Clone, Copy, PartialEq)]
    enum Wrong {
        Nothing,
        LastToken,
        Count,
        Stuck,
        Everything,
    }

    struct Liar {
        cpu: Cpu,
        wrong: Wrong,
        iteration: u32,
    }

    impl Liar {
        fn lies(&self, wrong: Wrong) -> bool {
            self.wrong == wrong && self.iteration == 2
        }
    }

    impl Device for Liar {
        fn name(&self) -> String {
            "liar".into()
        }

        fn num_docs(&self) -> usize {
            self.cpu.num_docs()
        }

        fn submit_z(&mut self, step: &ZStep<'_>) -> Result<()> {
            self.iteration = step.iteration;
            self.cpu.submit_z(step)
        }

        fn collect_z(&mut self, step: &ZStep<'_>, mut counts: Option<&mut ZCounts>) -> Result<ZReport> {
            let mut report = self.cpu.collect_z(step, counts.as_deref_mut())?;
            if self.lies(Wrong::Everything) {
                return Err(Error::Device {
                    name: "liar".into(),
                    problem: "it broke".into(),
                    remedy: "none".into(),
                });
            }
            let lies = u32::from(self.lies(Wrong::Count));
            counts.expect("counts are asked for").entry[0].fetch_add(lies, Relaxed);
            report.stuck_tokens += u64::from(self.lies(Wrong::Stuck));
            Ok(report)
        }

        fn grow(&mut self, params: &Params) -> Result<()> {
            self.cpu.grow(params)
        }

        fn z(&mut self) -> Result<Cow<'_, [u16]>> {
            let lies = self.lies(Wrong::LastToken);
            let mut z = self.cpu.z()?.into_owned();
            *z.last_mut().unwrap() ^= u16::from(lies);
            Ok(Cow::Owned(z))
        }

        fn fetch_z(&mut self, docs: Range<usize>, z: &mut [u16]) -> Result<()> {
            self.cpu.fetch_z(docs, z)
        }

        fn send_z(&mut self, docs: Range<usize>, z: &[u16]) -> Result<()> {
            self.cpu.send_z(docs, z)
        }
    }

    fn told(wrong: Wrong) -> Option<String> {
        let case = &cases()[1];
        let comparison = compare_with(case, 2, |corpus, params, z| {
            Ok(Box::new(Liar { cpu: Cpu::new(corpus, params, z), wrong, iteration: 0 }))
        });
        assert!(comparison.cpu_tokens_per_second > 0.0 && comparison.device_tokens_per_second > 0.0);
        comparison.difference.map(|difference| difference.to_string())
    }

    #[test]
    fn every_difference_is_found() {
        assert_eq!(told(Wrong::Nothing), None);
        // 300 middling documents follow 1 empty, 1 long and 2000 single ones; the last has 2 + 50 tokens.
        let token = told(Wrong::LastToken).unwrap();
        assert!(token.starts_with("iteration 2: token 51 of document 2301 is in topic "), "{token}");
        assert_eq!(told(Wrong::Count).unwrap(), "iteration 2: z is the same, the counts are not");
        assert_eq!(
            told(Wrong::Stuck).unwrap(),
            "iteration 2: z is the same, the number of stuck tokens is not"
        );
        assert!(told(Wrong::Everything).unwrap().contains("it broke"));
    }

    #[test]
    fn the_hard_corpus_is_as_hard_as_promised() {
        let corpus = hard_corpus();
        let lengths: Vec<usize> = corpus.doc_lengths().collect();
        assert_eq!(lengths.iter().max(), Some(&70_000));
        assert_eq!(lengths.iter().filter(|&&length| length == 1).count(), 2000);
        assert!(lengths[0] == 0 && lengths[lengths.len() - 1] == 0);
        let mut tokens = vec![0; corpus.vocab_size()];
        for &word in &corpus.w {
            tokens[word as usize] += 1;
        }
        assert_eq!(tokens[0], lengths.iter().filter(|&&length| length > 0).count());
        assert_eq!(tokens[10_001..], [1; 301]);
        assert!(tokens.iter().all(|&tokens| tokens > 0));
    }
}
