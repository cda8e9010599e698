//! Where a chain starts, or goes on.

use crate::chain::Chain;
use crate::corpus::{Corpus, Portion};
use crate::error::Result;
use crate::heap::{Heap, Sizes};
use crate::model::histogram::DocTopicHistogram;
use crate::model::psi::Psi;
use crate::model::recount::recount_docs;
use crate::model::{init, l};
use crate::params::{Concentrations, Params};

/// Where a chain starts, or goes on: all that the next iterations depend on. z is in memory, unless said otherwise.
#[derive(Clone, Debug, PartialEq)]
pub struct Start<Z = Vec<u16>> {
    /// The iterations done.
    pub iteration: u32,
    /// The topics of the tokens.
    pub z: Z,
    /// l.
    pub l: Vec<u64>,
    /// Ψ.
    pub psi: Psi,
    /// α, β and γ.
    pub concentrations: Concentrations,
}

impl Start {
    /// What it takes.
    pub(crate) fn bytes(sizes: &Sizes) -> Heap {
        let Sizes { tokens, k_star, .. } = *sizes;
        Heap::exact::<u16>(tokens) + Heap::exact::<u64>(k_star) + Psi::bytes(k_star)
    }

    #[cfg(test)]
    pub(crate) fn heap_bytes(&self) -> Heap {
        let Self { iteration: _, z, l, psi, concentrations: _ } = self;
        crate::heap::held(z) + crate::heap::held(l) + psi.heap_bytes()
    }

    /// The state before the first iteration.
    ///
    /// # Panics
    /// When it is to be as another run's model has it: see [`crate::infer::warm_start`].
    pub fn first(corpus: &Corpus, params: &Params) -> Self {
        Self::with_z(corpus, params, init::init_z(corpus, params))
    }

    /// The same on all ranks, each with its own documents.
    ///
    /// # Panics
    /// As [`Self::first`].
    pub(crate) fn first_of(portion: &Portion, params: &Params) -> Self {
        Self::with_z_of(portion, params, init::init_z_of(portion, params))
    }

    /// The state before the first iteration, with these topics.
    pub fn with_z(corpus: &Corpus, params: &Params, z: Vec<u16>) -> Self {
        Self::with_d(&docs_of(corpus, params, &z), params, z)
    }

    /// The same on all ranks, each with the topics of its own tokens.
    pub(crate) fn with_z_of(portion: &Portion, params: &Params, z: Vec<u16>) -> Self {
        let mut d = docs_of(&portion.corpus, params, &z);
        if portion.ranks.are_several() {
            let topics = 0..params.max_topics() as u16;
            let mut docs: Vec<u32> = topics.clone().map(|k| u32::from(d.docs(k) > 0)).collect();
            portion.ranks.sum(&mut docs);
            let active: Vec<u16> = topics.filter(|&k| docs[usize::from(k)] > 0).collect();
            d.add_ranks(&portion.ranks, &active);
        }
        Self::with_d(&d, params, z)
    }

    fn with_d(d: &DocTopicHistogram, params: &Params, z: Vec<u16>) -> Self {
        let l = l::first(d, params);
        let psi = Psi::sample(&l, params, 0);
        Self { iteration: 0, z, l, psi, concentrations: params.concentrations() }
    }

    /// The state of a chain as it is.
    ///
    /// # Errors
    /// When its device fails and nothing can take its place.
    pub fn of(chain: &mut dyn Chain) -> Result<Self> {
        let z = chain.z()?;
        Ok(chain.state().start_with(z))
    }
}

impl<Z> Start<Z> {
    /// The same with z made into something else.
    pub(crate) fn map_z<Other>(self, make: impl FnOnce(Z) -> Other) -> Start<Other> {
        let Self { iteration, z, l, psi, concentrations } = self;
        Start { iteration, z: make(z), l, psi, concentrations }
    }
}

/// d of these topics.
fn docs_of(corpus: &Corpus, params: &Params, z: &[u16]) -> DocTopicHistogram {
    let mut d = DocTopicHistogram::new(params.k_star());
    recount_docs(corpus, z, &mut d);
    d
}
