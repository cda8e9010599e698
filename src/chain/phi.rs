//! Steps 1 and 2 of the paper's sampler: Φ by the law that is asked for, and its tables.

use std::time::Instant;

use crate::error::{Error, Result};
use crate::model::alias::{TableBuilder, WordTables};
use crate::model::counts::TopicWordCounts;
use crate::model::dirichlet::DirichletRows;
use crate::model::phi::PoissonPolyaUrn;
use crate::model::psi::Psi;
use crate::params::{Algorithm, Params, PhiLaw};

/// The law of Φ that the parameters ask for.
pub(crate) fn phi_law(params: &Params) -> Result<PhiLaw> {
    match params.sampler() {
        Algorithm::Ppu { phi } => Ok(phi),
        Algorithm::Direct => Err(Error::setting(
            "sampler",
            "direct assignment is a chain of its own",
            "open it as one, or ask for the paper's sampler",
        )),
    }
}

/// What draws Φ.
pub(super) enum PhiSampler {
    Urn(PoissonPolyaUrn),
    Rows(DirichletRows),
}

impl PhiSampler {
    pub(super) fn new(law: PhiLaw, params: &Params, n: &TopicWordCounts) -> Self {
        match law {
            PhiLaw::Ppu => Self::Urn(PoissonPolyaUrn::new(n, params)),
            PhiLaw::Dirichlet => Self::Rows(DirichletRows::new(n)),
        }
    }

    /// Draws Φ and builds its tables; also returns the seconds that Φ took.
    pub(super) fn build_tables<'a>(
        &mut self,
        tables: &'a mut TableBuilder,
        n: &TopicWordCounts,
        psi: &Psi,
        params: &Params,
        iteration: u32,
    ) -> (&'a WordTables, f64) {
        let alpha = params.alpha_of_z(iteration);
        let start = Instant::now();
        match self {
            Self::Urn(urn) => {
                let phi = urn.sample(n, params, iteration);
                let seconds = start.elapsed().as_secs_f64();
                (tables.build(phi, psi, alpha), seconds)
            }
            Self::Rows(rows) => {
                let phi = rows.sample(n, psi, params, iteration);
                let seconds = start.elapsed().as_secs_f64();
                (tables.build(phi, psi, alpha), seconds)
            }
        }
    }

    /// Draws what the next Φ has that does not depend on z, if there is such a part.
    pub(super) fn draw_ahead(&mut self, params: &Params, iteration: u32) {
        if let Self::Urn(urn) = self
            && params.learn().beta.is_none()
        {
            urn.draw_ahead(params, iteration);
        }
    }
}
