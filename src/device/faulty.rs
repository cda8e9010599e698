//! A CPU that fails on purpose, to test what happens then.

use std::borrow::Cow;

use rayon::prelude::*;

use super::cpu::Cpu;
use super::{Device, Fault, ZReport};
use crate::error::Result;
use crate::model::alias::WordTables;
use crate::model::counts::Counts;
use crate::params::Params;

/// A CPU that fails in an iteration.
#[derive(Debug)]
pub(super) struct Faulty {
    cpu: Cpu,
    fault: (Fault, u32),
    iteration: u32,
}

impl Faulty {
    pub(super) fn new(cpu: Cpu, fault: (Fault, u32)) -> Self {
        Self { cpu, fault, iteration: 0 }
    }
}

impl Device for Faulty {
    fn name(&self) -> String {
        self.cpu.name()
    }

    fn submit_z(&mut self, tables: &WordTables, iteration: u32, counts: &Counts) -> Result<()> {
        self.iteration = iteration;
        self.cpu.submit_z(tables, iteration, counts)
    }

    fn collect_z(&mut self, tables: &WordTables, counts: &mut Counts) -> Result<ZReport> {
        let report = self.cpu.collect_z(tables, counts)?;
        match self.fault {
            (Fault::Panic, at) if at == self.iteration => {
                (0..100).into_par_iter().for_each(|task| assert!(task != 50, "a panic on purpose"));
            }
            (Fault::Count, at) if at == self.iteration => counts.n.topic_tokens[0] += 1,
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
}
