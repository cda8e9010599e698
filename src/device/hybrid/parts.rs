//! A GPU and the CPU with the documents between them: those below `split` have their topics on the GPU, the others on the CPU.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::waiter::Waiter;
use crate::corpus::Corpus;
use crate::device::cpu::{self, Cpu};
use crate::device::{Device, ZReport, ZStep};
use crate::error::{Error, Result};
use crate::model::z_counts::ZCounts;
use crate::params::Params;

/// How many times what the CPU took for its part, or the GPU for its last one, a GPU may take before it is taken to hang, if that is
/// longer than its patience: large corpora take long.
const MUCH_LONGER: f64 = 20.0;

/// What a z step took, in seconds.
#[derive(Clone, Copy, Debug)]
pub(in crate::device) struct Times {
    /// The part of the tokens that was the GPU's.
    pub(in crate::device) share: f64,
    /// The GPU's part, from its submission to its end.
    pub(in crate::device) gpu: f64,
    /// The CPU's part.
    pub(in crate::device) cpu: f64,
    /// What the host did for itself between the two parts of the step, while the GPU had begun.
    pub(in crate::device) beside: f64,
    /// The whole step, without that.
    pub(in crate::device) seconds: f64,
}

/// A GPU, which may be away, and the CPU.
pub(in crate::device) struct Parts {
    corpus: Arc<Corpus>,
    cpu: Cpu,
    gpu: Option<Box<dyn Device>>,
    /// The GPU as a person would name it, also when it is away.
    gpu_name: String,
    /// How long it may take at least before it is taken to hang.
    patience: Duration,
    waiter: Option<Waiter>,
    /// What its last part took, in seconds.
    gpu_seconds: f64,
    /// The first document whose topics are on the CPU.
    split: usize,
    /// Whether the CPU's z has the GPU's part as it is now.
    is_whole: bool,
    /// When a step was begun and submitted.
    submitted: Option<[Instant; 2]>,
    /// Bytes of z that were moved up and down since the last step.
    moved: [u64; 2],
}

impl Parts {
    /// All topics are on the CPU, and the GPU is away.
    pub(in crate::device) fn new(
        corpus: Arc<Corpus>,
        params: &Params,
        z: Vec<u16>,
        gpu_name: String,
        patience: Duration,
    ) -> Self {
        let cpu = Cpu::new(Arc::clone(&corpus), params, z);
        Self {
            corpus,
            cpu,
            gpu: None,
            gpu_name,
            patience,
            waiter: None,
            gpu_seconds: 0.0,
            split: 0,
            is_whole: true,
            submitted: None,
            moved: [0; 2],
        }
    }

    /// The same with a GPU that is here.
    pub(in crate::device) fn with_gpu(self, gpu: Box<dyn Device>) -> Self {
        Self { gpu: Some(gpu), ..self }
    }

    pub(in crate::device) fn corpus(&self) -> &Corpus {
        &self.corpus
    }

    /// The GPU, unless it is away.
    pub(in crate::device) fn gpu(&self) -> Option<&dyn Device> {
        self.gpu.as_deref()
    }

    pub(in crate::device) fn gpu_mut(&mut self) -> &mut Option<Box<dyn Device>> {
        &mut self.gpu
    }

    /// The GPU as a person would name it, also when it is away.
    pub(in crate::device) fn gpu_name(&self) -> &str {
        &self.gpu_name
    }

    /// How long the GPU may take at least before it is taken to hang.
    pub(in crate::device) fn patience(&self) -> Duration {
        self.patience
    }

    /// The split whose tokens come next to this share of all.
    pub(in crate::device) fn split_at(&self, share: f64) -> usize {
        let starts = &self.corpus.doc_start;
        let tokens = share * self.corpus.num_tokens() as f64;
        let after = starts.partition_point(|&start| (start as f64) < tokens);
        let distance = |split: usize| (starts[split] as f64 - tokens).abs();
        if after > 0 && distance(after - 1) < distance(after) { after - 1 } else { after }
    }

    /// The part of the tokens below a split.
    pub(in crate::device) fn share_of(&self, split: usize) -> f64 {
        self.corpus.doc_start[split] as f64 / self.corpus.num_tokens().max(1) as f64
    }

    /// The part of the tokens whose topics are on the GPU.
    pub(in crate::device) fn share(&self) -> f64 {
        self.share_of(self.split)
    }

    /// Moves the topics of the documents between the split as it is and another one.
    pub(in crate::device) fn set_split(&mut self, split: usize) -> Result<()> {
        let docs = self.split.min(split)..self.split.max(split);
        let tokens = self.corpus.tokens_of(&docs);
        let bytes = 2 * tokens.len() as u64;
        let Self { cpu, gpu, gpu_name, .. } = self;
        if !tokens.is_empty() {
            let gpu = gpu.as_mut().ok_or_else(|| is_gone(gpu_name))?;
            if split > self.split {
                gpu.send_z(docs, &cpu.z_mut()[tokens])?;
                self.moved[1] += bytes;
            } else if !self.is_whole {
                gpu.fetch_z(docs, &mut cpu.z_mut()[tokens])?;
                self.moved[0] += bytes;
            }
        }
        self.split = split;
        Ok(())
    }

    /// The same step for the documents of each part.
    fn steps<'a>(&self, step: &ZStep<'a>) -> [ZStep<'a>; 2] {
        let Range { start, end } = step.docs;
        let split = self.split.clamp(start, end);
        [start..split, split..end].map(|docs| ZStep { docs, ..step.clone() })
    }

    fn has_tokens(&self, step: &ZStep<'_>) -> bool {
        !self.corpus.tokens_of(&step.docs).is_empty()
    }

    /// Whether the GPU has topics of some tokens.
    pub(in crate::device) fn uses_gpu(&self) -> bool {
        self.corpus.doc_start[self.split] > 0
    }

    /// As [`Device::submit_z`]: the GPU begins.
    pub(in crate::device) fn submit_z(&mut self, step: &ZStep<'_>) -> Result<()> {
        let begin = Instant::now();
        let [gpu_step, _] = self.steps(step);
        if self.has_tokens(&gpu_step) {
            let Self { gpu, gpu_name, .. } = self;
            gpu.as_mut().ok_or_else(|| is_gone(gpu_name))?.submit_z(&gpu_step)?;
        }
        self.submitted = Some([begin, Instant::now()]);
        Ok(())
    }

    /// As [`Device::collect_z`]: the CPU samples its part with all threads, while one more sleeps until the GPU has ended.
    pub(in crate::device) fn collect_z(
        &mut self,
        step: &ZStep<'_>,
        mut counts: Option<&mut ZCounts>,
    ) -> Result<(ZReport, Times)> {
        let nothing_submitted = || Error::internal("z is collected that was not submitted");
        let [begin, submitted] = self.submitted.take().ok_or_else(nothing_submitted)?;
        let collecting = Instant::now();
        let [gpu_step, cpu_step] = self.steps(step);
        let [on_gpu, on_cpu] = [&gpu_step, &cpu_step].map(|step| self.has_tokens(step));
        if on_gpu {
            self.begin_waiting(submitted)?;
        }
        let mut report = ZReport::default();
        let (mut cpu_seconds, mut gpu_seconds) = (0.0, 0.0);
        if on_cpu || !on_gpu {
            report = self.cpu.collect_z(&cpu_step, counts.as_deref_mut())?;
            cpu_seconds = collecting.elapsed().as_secs_f64();
        }
        if on_gpu {
            gpu_seconds = self.end_waiting(cpu_seconds)?;
            let Self { gpu, gpu_name, .. } = self;
            let part = gpu.as_mut().ok_or_else(|| is_gone(gpu_name))?.collect_z(&gpu_step, counts)?;
            // The CPU has neither bytes nor submissions to tell of.
            report = ZReport {
                stuck_tokens: report.stuck_tokens + part.stuck_tokens,
                count_seconds: report.count_seconds + part.count_seconds,
                ..part
            };
            self.is_whole = false;
        }
        let [up, down] = std::mem::take(&mut self.moved);
        report.bytes_up += up;
        report.bytes_down += down;
        let seconds = begin.elapsed().as_secs_f64();
        report.z_seconds = (seconds - report.count_seconds).max(0.0);
        let beside = (collecting - submitted).as_secs_f64();
        let share = self.share();
        let times = Times { share, gpu: gpu_seconds, cpu: cpu_seconds, beside, seconds: seconds - beside };
        Ok((report, times))
    }

    /// Gives the GPU away to a thread that waits for it.
    fn begin_waiting(&mut self, submitted: Instant) -> Result<()> {
        let gpu = self.gpu.take().ok_or_else(|| is_gone(&self.gpu_name))?;
        let waiter = match self.waiter.take() {
            Some(waiter) => waiter,
            None => Waiter::new()?,
        };
        waiter.begin(gpu, submitted);
        self.waiter = Some(waiter);
        Ok(())
    }

    /// Takes the GPU back when it has ended, or leaves it with the thread that waits for it; returns the seconds that it took.
    fn end_waiting(&mut self, cpu_seconds: f64) -> Result<f64> {
        let long = MUCH_LONGER * cpu_seconds.max(self.gpu_seconds);
        let patience = self.patience.max(Duration::from_secs_f64(long));
        let waiter = self.waiter.take().ok_or_else(|| is_gone(&self.gpu_name))?;
        let Some((gpu, seconds)) = waiter.end(patience)? else {
            return Err(did_not_answer(&self.gpu_name, patience));
        };
        (self.gpu, self.waiter, self.gpu_seconds) = (Some(gpu), Some(waiter), seconds);
        Ok(seconds)
    }

    /// As [`Device::z`]: put together on the CPU.
    pub(in crate::device) fn z(&mut self) -> Result<Cow<'_, [u16]>> {
        let docs = 0..self.split;
        let tokens = self.corpus.tokens_of(&docs);
        if !self.is_whole && !tokens.is_empty() {
            let Self { cpu, gpu, gpu_name, .. } = self;
            let gpu = gpu.as_mut().ok_or_else(|| is_gone(gpu_name))?;
            gpu.fetch_z(docs, &mut cpu.z_mut()[tokens])?;
            self.is_whole = true;
        }
        self.cpu.z()
    }

    /// As [`Device::fetch_z`].
    pub(in crate::device) fn fetch_z(&mut self, docs: &Range<usize>, z: &mut [u16]) -> Result<()> {
        let tokens = self.corpus.tokens_of(docs);
        z.copy_from_slice(&self.z()?[tokens]);
        Ok(())
    }

    /// As [`Device::send_z`].
    pub(in crate::device) fn send_z(&mut self, docs: Range<usize>, z: &[u16]) -> Result<()> {
        let on_gpu = docs.start..self.split.clamp(docs.start, docs.end);
        let tokens = self.corpus.tokens_of(&on_gpu).len();
        if tokens > 0 {
            let Self { gpu, gpu_name, .. } = self;
            gpu.as_mut().ok_or_else(|| is_gone(gpu_name))?.send_z(on_gpu, &z[..tokens])?;
        }
        self.cpu.send_z(docs, z)
    }

    /// Makes room for more topics on the CPU.
    pub(in crate::device) fn grow_cpu(&mut self, params: &Params) -> Result<()> {
        self.cpu.grow(params)
    }

    /// The devices that have topics, as a person would name them.
    pub(in crate::device) fn name(&self) -> String {
        let on_gpu = self.corpus.doc_start[self.split];
        match on_gpu {
            0 => cpu::name(),
            all if all == self.corpus.num_tokens() => self.gpu_name.clone(),
            _ => both_names(&self.gpu_name),
        }
    }
}

/// That a GPU was lost with the topics that it had.
fn is_gone(name: &str) -> Error {
    Error::device(name, "is gone, with the topics that it had")
}

/// That a GPU is taken to hang.
pub(in crate::device) fn did_not_answer(name: &str, patience: Duration) -> Error {
    Error::device(name, &format!("did not answer within {:.0} s", patience.as_secs_f64()))
}

/// A GPU that works with the CPU, as a person would name both.
pub(in crate::device) fn both_names(gpu: &str) -> String {
    format!("{gpu} with {}", cpu::name())
}
