//! A CPU that fails on purpose, to test what happens then.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

use rayon::prelude::*;

use super::cpu::Cpu;
use super::{Device, Fault, ZReport, ZStep};
use crate::error::Result;
use crate::model::z_counts::ZCounts;
use crate::params::Params;

/// A CPU that fails in an iteration.
#[derive(Debug)]
pub(super) struct Faulty {
    cpu: Cpu,
    fault: (Fault, u32),
}

impl Faulty {
    pub(super) fn new(cpu: Cpu, fault: (Fault, u32)) -> Self {
        Self { cpu, fault }
    }
}

impl Device for Faulty {
    fn name(&self) -> String {
        self.cpu.name()
    }

    fn num_docs(&self) -> usize {
        self.cpu.num_docs()
    }

    fn submit_z(&mut self, step: &ZStep<'_>) -> Result<()> {
        self.cpu.submit_z(step)
    }

    fn collect_z(&mut self, step: &ZStep<'_>, mut counts: Option<&mut ZCounts>) -> Result<ZReport> {
        let report = self.cpu.collect_z(step, counts.as_deref_mut())?;
        match (self.fault, counts) {
            ((Fault::Panic, at), _) if at == step.iteration => {
                (0..100).into_par_iter().for_each(|task| assert!(task != 50, "a panic on purpose"));
            }
            ((Fault::Memory, at), _) if at == step.iteration => {
                std::hint::black_box(Vec::<u8>::with_capacity(isize::MAX as usize));
            }
            ((Fault::Hang, at), _) if at == step.iteration => loop {
                std::thread::park();
            },
            ((Fault::Count, at), Some(counts)) if at == step.iteration => {
                counts.entry[0].fetch_add(1, Relaxed);
            }
            _ => {}
        }
        Ok(report)
    }

    fn grow(&mut self, params: &Params) -> Result<()> {
        self.cpu.grow(params)
    }

    fn z(&mut self) -> Result<Cow<'_, [u16]>> {
        self.cpu.z()
    }

    fn fetch_z(&mut self, docs: Range<usize>, z: &mut [u16]) -> Result<()> {
        self.cpu.fetch_z(docs, z)
    }

    fn send_z(&mut self, docs: Range<usize>, z: &[u16]) -> Result<()> {
        self.cpu.send_z(docs, z)
    }
}
