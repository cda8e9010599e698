//! Φ by topic: the words that a topic has, and what all other words have in it.

use crate::heap::{Heap, Sizes};
use crate::model::trained::Model;

/// Φ of every topic up to K*.
#[derive(Clone, Debug, PartialEq)]
pub struct PhiRows {
    /// V.
    pub vocab_size: usize,
    /// The topics by number; those without tokens have no words and the floor 0.
    pub rows: Vec<PhiRow>,
}

/// φ_k.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PhiRow {
    /// The words with tokens in the topic, ascending.
    pub words: Vec<u32>,
    /// Their φ_kv.
    pub phi: Vec<f64>,
    /// The standard deviations of φ_kv over samples, when there are several.
    pub sd: Vec<f64>,
    /// φ_kv of every other word, β / (n_k + Vβ).
    pub floor: f64,
}

impl PhiRows {
    /// What they take for the nonzeros of n, or for those that samples have had.
    pub(crate) fn bytes(sizes: &Sizes, of_samples: bool) -> Heap {
        let Sizes { k_star, topics, word_topics, .. } = *sizes;
        let sd = if of_samples { word_topics } else { 0.0 };
        Heap::exact::<PhiRow>(k_star)
            + Heap::grown::<u32>(topics, word_topics)
            + Heap::grown::<f64>(topics, word_topics)
            + Heap::grown::<f64>(topics, sd)
    }

    #[cfg(test)]
    pub(crate) fn heap_bytes(&self) -> Heap {
        use crate::heap::held;
        let Self { vocab_size: _, rows } = self;
        let lists = |PhiRow { words, phi, sd, floor: _ }: &PhiRow| held(words) + held(phi) + held(sd);
        held(rows) + rows.iter().map(lists).sum::<Heap>()
    }

    /// φ_kv = (n_kv + β) / (n_k + Vβ).
    pub fn of_model(model: &Model) -> Self {
        let phi = model.mean_phi();
        let mut rows = vec![PhiRow::default(); model.psi.len()];
        for k in model.active_topics() {
            rows[usize::from(k)].floor = phi.of(k, 0);
        }
        for column in model.n.columns() {
            for (k, n_kv) in column.iter() {
                let row = &mut rows[usize::from(k)];
                row.words.push(column.word);
                row.phi.push(phi.of(k, n_kv));
            }
        }
        Self { vocab_size: model.vocab.len(), rows }
    }
}
