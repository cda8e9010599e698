//! A device against the CPU: the same z, counts and log-likelihood, bit for bit, after every iteration.

use std::fmt;
use std::sync::Arc;

use super::cases::Case;
use crate::chain::{Chain, Progress, Sampler, Start, phi_law};
use crate::corpus::Corpus;
use crate::device::{Device, Place};
use crate::error::{Error, Result};
use crate::model::counts::Counts;
use crate::params::Params;

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

/// What the CPU makes of a case: made once, and compared with any number of devices.
#[derive(Debug)]
pub struct Reference {
    case: Case,
    /// After each iteration.
    seen: Vec<Seen>,
}

/// What is compared after an iteration.
#[derive(Debug)]
struct Seen {
    z: Vec<u16>,
    counts: Counts,
    stuck_tokens: u64,
    /// The bits of the log-likelihood, of the model and of its LDA part.
    log_likelihood: [u64; 2],
}

impl Seen {
    fn of(sampler: &mut Sampler, progress: &Progress) -> Result<Self> {
        let z = sampler.z()?;
        let state = sampler.state();
        let likelihood = state.log_likelihood();
        Ok(Self {
            z,
            counts: state.counts().clone(),
            stuck_tokens: progress.z.stuck_tokens,
            log_likelihood: [likelihood.model, likelihood.lda].map(f64::to_bits),
        })
    }
}

impl Reference {
    /// Runs a case for some iterations on the CPU.
    ///
    /// # Errors
    /// When the memory is too small.
    pub fn new(case: Case, iterations: u32) -> Result<Self> {
        let mut cpu = Sampler::on_cpu(Arc::clone(&case.corpus), case.params.clone())?;
        let step = |_| {
            let progress = cpu.step()?;
            Seen::of(&mut cpu, &progress)
        };
        let seen = (0..iterations).map(step).collect::<Result<_>>()?;
        Ok(Self { case, seen })
    }

    /// The case.
    pub fn case(&self) -> &Case {
        &self.case
    }

    /// Runs the case at `place`, up to the first difference.
    pub fn compare(&self, place: &Place) -> Option<Difference> {
        self.compare_with(|corpus, params, z| place.open(corpus, params, z))
    }

    /// Runs the case on the device that `make_device` makes.
    fn compare_with(
        &self,
        make_device: impl FnOnce(Arc<Corpus>, &Params, Vec<u16>) -> Result<Box<dyn Device>>,
    ) -> Option<Difference> {
        self.first_difference(make_device).unwrap_or_else(|error| Some(Difference::Failed(error)))
    }

    fn first_difference(
        &self,
        make_device: impl FnOnce(Arc<Corpus>, &Params, Vec<u16>) -> Result<Box<dyn Device>>,
    ) -> Result<Option<Difference>> {
        let Case { corpus, params, .. } = self.case.clone();
        let start = Start::first(&corpus, &params);
        let phi = phi_law(&params)?;
        let mut device = Sampler::with_device(corpus.into(), params, phi, start, make_device)?;
        for (iteration, expected) in (1..).zip(&self.seen) {
            let progress = device.step()?;
            let seen = Seen::of(&mut device, &progress)?;
            if let Some(difference) = self.difference(iteration, expected, &seen) {
                return Ok(Some(difference));
            }
        }
        Ok(None)
    }

    /// Where the CPU and a device differ after the same iteration.
    fn difference(&self, iteration: u32, cpu: &Seen, device: &Seen) -> Option<Difference> {
        if let Some(i) = (0..cpu.z.len()).find(|&i| cpu.z[i] != device.z[i]) {
            let doc_start = &self.case.corpus.doc_start;
            let document = doc_start.partition_point(|&start| start <= i) - 1;
            let position = i - doc_start[document];
            return Some(Difference::Z { iteration, document, position, cpu: cpu.z[i], device: device.z[i] });
        }
        let what = if cpu.counts != device.counts {
            "the counts are"
        } else if cpu.stuck_tokens != device.stuck_tokens {
            "the number of stuck tokens is"
        } else if cpu.log_likelihood != device.log_likelihood {
            "the log-likelihood is"
        } else {
            return None;
        };
        Some(Difference::Counted { iteration, what })
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
    use crate::selftest::cases;

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

    #[test]
    fn every_difference_is_found() {
        let reference = Reference::new(cases().swap_remove(1), 2).unwrap();
        let told = |wrong| {
            let difference = reference.compare_with(|corpus, params, z| {
                Ok(Box::new(Liar { cpu: Cpu::new(corpus, params, z), wrong, iteration: 0 }))
            });
            difference.map(|difference| difference.to_string())
        };
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
}
