//! Step 1 without the paper's approximation, Φ | z: φ_k ~ Dir(β + n_k), as in the paper's Algorithm 1.

use rayon::prelude::*;

use super::counts::TopicWordCounts;
use super::phi::Phi;
use super::psi::Psi;
use crate::dist::dirichlet::dirichlet_variate;
use crate::error::{Error, Result};
use crate::heap::{Heap, Sizes};
use crate::machine::Memory;
use crate::params::Params;
use crate::rng::{Step, Stream};

/// An empty topic gets no row when its Ψ_k is this many times smaller than that of any topic with tokens (as a
/// logarithm, 200·ln 2).
///
/// A token in topic j goes to such a topic with a probability below φ_kv·Ψ_k / φ_jv·Ψ_j, and the mean of
/// φ_kv / φ_jv is at most N/β: in an iteration no token does, but for a chance of N²K*/β·2^−200, which is
/// less than 2^−90 for any corpus that can be held.
const LN_NEGLIGIBLE: f64 = 200.0 * std::f64::consts::LN_2;

/// φ_kv in its row, in its column, as integers with an alias table, and packed for a GPU.
const CELL_BYTES: f64 = 48.0;

/// Draws Φ, keeping its room from one iteration to the next.
#[derive(Debug)]
pub struct DirichletRows {
    phi: Phi<f64>,
    rows: Vec<Row>,
}

/// A topic's words.
#[derive(Debug, Default)]
struct Row {
    /// Whether it is drawn in this iteration.
    drawn: bool,
    /// Its nonzero n_kv, by word.
    n: Vec<(u32, u32)>,
    /// φ_kv, dense.
    phi: Vec<f64>,
}

impl DirichletRows {
    /// Refuses a K*·V that the machine's memory, or 32-bit places, cannot hold.
    ///
    /// # Errors
    /// [`Error::Setting`].
    pub fn check(vocab_size: usize, params: &Params) -> Result<()> {
        Self::check_within(&Memory::of_machine(), vocab_size, params)
    }

    fn check_within(memory: &Memory, vocab_size: usize, params: &Params) -> Result<()> {
        let cells = vocab_size as f64 * f64::from(params.max_topics());
        let bytes = cells * CELL_BYTES;
        if bytes <= memory.total as f64 && cells < f64::from(u32::MAX) {
            return Ok(());
        }
        let (gigabytes, there) = (bytes / 1e9, memory.total as f64 / 1e9);
        let problem = format!(
            "{vocab_size} words with up to {} topics may need {gigabytes:.1} GB, and there are {there:.1} GB",
            params.max_topics()
        );
        Err(Error::setting("phi", problem, "lower `max_topics`, or train with `phi` ppu, which is sparse"))
    }

    /// What it takes.
    pub(crate) fn bytes(sizes: &Sizes) -> Heap {
        Phi::<f64>::bytes(sizes)
            + Heap::exact::<Row>(sizes.k_star)
            + Heap::grown::<(u32, u32)>(sizes.topics, sizes.word_topics)
            + Heap::exact::<f64>(sizes.phi_cells)
    }

    #[cfg(test)]
    pub(crate) fn heap_bytes(&self) -> Heap {
        use crate::heap::held;
        let Self { phi, rows } = self;
        let lists = |Row { drawn: _, n, phi }: &Row| held(n) + held(phi);
        phi.heap_bytes() + held(rows) + rows.iter().map(lists).sum::<Heap>()
    }

    /// Room for the words of `n`.
    pub fn new(n: &TopicWordCounts) -> Self {
        let mut phi = Phi::new(n);
        phi.row_sum.fill(1.0);
        let rows = n.topic_tokens.iter().map(|_| Row::default()).collect();
        Self { phi, rows }
    }

    /// Draws Φ given n, in parallel over topics, and turns it into columns, in parallel over words. Topics out of
    /// reach under `psi` have no row.
    pub fn sample(&mut self, n: &TopicWordCounts, psi: &Psi, params: &Params, iteration: u32) -> &Phi<f64> {
        let Self { phi, rows } = self;
        let vocab_size = phi.blocks.last().map_or(0, |block| block.words().end);
        sort_by_topic(n, rows);
        let least = least_ln_psi(n, psi);
        rows.par_iter_mut().enumerate().for_each(|(k, row)| {
            row.drawn = !row.n.is_empty() || psi.ln_psi[k] >= least;
            if row.drawn {
                row.draw(
                    vocab_size,
                    params.beta(),
                    &mut Stream::new(params.seed(), Step::PhiRow, iteration, k as u32),
                );
            }
        });
        phi.blocks.par_iter_mut().for_each(|block| {
            block.clear();
            for v in block.words() {
                for (k, row) in rows.iter().enumerate().filter(|(_, row)| row.drawn) {
                    let phi_kv = row.phi[v as usize];
                    if phi_kv > 0.0 {
                        block.push(k as u16, phi_kv);
                    }
                }
                block.end_column();
            }
        });
        phi
    }
}

impl Row {
    /// φ_k ~ Dir(β + n_k).
    fn draw(&mut self, vocab_size: u32, beta: f64, stream: &mut Stream) {
        let mut n = self.n.iter().copied().peekable();
        let shapes = (0..vocab_size)
            .map(|v| beta + n.next_if(|&(word, _)| word == v).map_or(0.0, |(_, n)| f64::from(n)));
        dirichlet_variate(shapes, stream, &mut self.phi);
    }
}

/// n by topic.
fn sort_by_topic(n: &TopicWordCounts, rows: &mut [Row]) {
    rows.iter_mut().for_each(|row| row.n.clear());
    for column in n.columns() {
        column.iter().for_each(|(k, count)| rows[usize::from(k)].n.push((column.word, count)));
    }
}

/// The least ln Ψ_k for which an empty topic is within reach.
fn least_ln_psi(n: &TopicWordCounts, psi: &Psi) -> f64 {
    let active = n.topic_tokens.iter().zip(&psi.ln_psi).filter(|&(&tokens, _)| tokens > 0);
    active.map(|(_, &ln_psi)| ln_psi).fold(0.0, f64::min) - LN_NEGLIGIBLE
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Settings;

    #[test]
    fn a_dense_phi_must_fit() {
        let params = Settings { max_topics: 1000, ..Settings::paper() }.check().unwrap();
        let within = |total, words| DirichletRows::check_within(&Memory { total }, words, &params);
        assert!(within(48_000_000, 1000).is_ok());
        let refusal = within(48_000_000, 1001).unwrap_err().to_string();
        assert!(refusal.starts_with("`phi`: 1001 words with up to 1000 topics may need 0.0 GB"), "{refusal}");
        assert!(within(u64::MAX, 4_294_967).is_ok() && within(u64::MAX, 4_294_968).is_err());
    }
}
