//! Counts of z over all ranks: each counts its own documents, and after this all have the same n and d.
//!
//! After a z step n is a plain sum, one number for each entry of the word tables, which all ranks have alike. Before the first
//! there are no tables, and ranks tell each other the columns of their own n. A trained model is told in the same way.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

use rayon::prelude::*;

use super::alias::WordTables;
use super::counts::{ColumnBlock, Counts, TopicWordCounts};
use super::histogram::{DENSE, DocTopicHistogram};
use super::psi::Psi;
use super::trained::{Model, active_topics};
use super::z_counts::ZCounts;
use crate::error::{Error, Result};
use crate::ranks::{PIECE, Ranks};

/// Bytes of a count in a column, a topic and its tokens, and of an item in the list of a histogram.
const ITEM: usize = size_of::<u16>() + size_of::<u32>();

/// What a rank says after a z step beside its counts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct RankReport {
    /// Tokens that kept their topic because there was nothing to draw from.
    pub(crate) stuck_tokens: u64,
    /// Its time for the z step.
    pub(crate) z_seconds: f64,
}

impl Counts {
    /// Makes the counts of this rank's documents those of all documents.
    pub(crate) fn add_ranks(&mut self, ranks: &Ranks) {
        if ranks.are_several() {
            self.n.add_ranks(ranks);
            self.d.add_ranks(ranks, &active_topics(&self.n));
        }
    }
}

impl ZCounts {
    /// As [`Self::take_into`], of what all ranks have counted with tables drawn under `psi`; also returns what each of them says.
    ///
    /// # Errors
    /// [`Error::Rank`] when one of them has drawn something else, so that there is nothing to add up.
    pub(crate) fn take_all_into(
        &mut self,
        ranks: &Ranks,
        tables: &WordTables,
        counts: &mut Counts,
        psi: &Psi,
        report: RankReport,
    ) -> Result<Vec<RankReport>> {
        if !ranks.are_several() {
            self.take_into(tables, counts);
            return Ok(vec![report]);
        }
        let reports = report.told(ranks, &Drawn::of(tables, counts, psi))?;
        let mut piece = Vec::new();
        for entries in self.entry.chunks_mut(PIECE / size_of::<u32>()) {
            piece.clear();
            piece.extend(entries.iter_mut().map(|entry| *entry.get_mut()));
            ranks.sum(&mut piece);
            entries.iter_mut().zip(&piece).for_each(|(entry, &sum)| entry.store(sum, Relaxed));
        }
        self.take_into(tables, counts);
        counts.d.add_ranks(ranks, &active_topics(&counts.n));
        Ok(reports)
    }
}

/// What ranks have drawn alike before they add up: the entries of the tables, and a number made of the state that these follow from.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Drawn {
    entries: u64,
    state: u64,
}

impl Drawn {
    fn of(tables: &WordTables, counts: &Counts, psi: &Psi) -> Self {
        let mut state = DefaultHasher::new();
        counts.n.topic_tokens.hash(&mut state);
        psi.ln_psi.iter().for_each(|ln_psi| ln_psi.to_bits().hash(&mut state));
        Self { entries: tables.topic.len() as u64, state: state.finish() }
    }
}

impl RankReport {
    /// The time of the slowest rank over that of all in the mean.
    pub(crate) fn slowest(reports: &[Self]) -> f64 {
        let seconds = || reports.iter().map(|report| report.z_seconds);
        let (most, sum) = (seconds().fold(0.0, f64::max), seconds().sum::<f64>());
        if sum > 0.0 { most * reports.len() as f64 / sum } else { 1.0 }
    }

    /// What each rank says, if all have drawn the same: otherwise a sum would be that of unlike things, or of vectors unlike in length.
    fn told(self, ranks: &Ranks, own: &Drawn) -> Result<Vec<Self>> {
        let numbers = [own.entries, own.state, self.stuck_tokens, self.z_seconds.to_bits()];
        let said = ranks.gather_alike::<32>(bytemuck::cast(numbers.map(u64::to_le_bytes)));
        let (drawn, reports): (Vec<Drawn>, Vec<Self>) = said
            .iter()
            .map(|said| {
                let [entries, state, stuck_tokens, z_seconds] =
                    bytemuck::pod_read_unaligned::<[[u8; 8]; 4]>(said).map(u64::from_le_bytes);
                (Drawn { entries, state }, Self { stuck_tokens, z_seconds: f64::from_bits(z_seconds) })
            })
            .unzip();
        let first = drawn[0];
        if drawn.iter().any(|drawn| *drawn != first) {
            let other = || {
                let (own, first) = (own.entries, first.entries);
                Error::internal(format!(
                    "it has drawn another Φ than rank 0, of {own} entries where that has {first}, from the same state and seed"
                ))
            };
            ranks.agree(if *own == first { Ok(()) } else { Err(other()) })?;
        }
        Ok(reports)
    }
}

impl TopicWordCounts {
    /// Adds the counts of all ranks, whose blocks have the same words.
    fn add_ranks(&mut self, ranks: &Ranks) {
        for block in &mut self.blocks {
            let said = ranks.gather(&encode(block));
            *block = merged(block, &said);
        }
        let no_tokens = vec![0; self.topic_tokens.len()];
        self.topic_tokens = self
            .blocks
            .par_iter()
            .fold(
                || no_tokens.clone(),
                |mut tokens, block| {
                    let counts = block.columns().flat_map(|column| column.iter().collect::<Vec<_>>());
                    counts.for_each(|(k, count)| tokens[usize::from(k)] += u64::from(count));
                    tokens
                },
            )
            .reduce(
                || no_tokens.clone(),
                |mut tokens, part| {
                    tokens.iter_mut().zip(part).for_each(|(tokens, more)| *tokens += more);
                    tokens
                },
            );
    }
}

/// The columns of a block: of each its length, and its topics with their counts.
fn encode(block: &ColumnBlock) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(4 * block.words().len() + ITEM * block.nonzeros());
    for column in block.columns() {
        bytes.extend((column.topic.len() as u32).to_le_bytes());
        column.iter().for_each(|(k, count)| push(&mut bytes, k, count));
    }
    bytes
}

fn push(bytes: &mut Vec<u8>, k: u16, count: u32) {
    bytes.extend(k.to_le_bytes());
    bytes.extend(count.to_le_bytes());
}

/// What [`push`] has put there.
fn item(bytes: &[u8; ITEM]) -> (u16, u32) {
    let [k0, k1, count @ ..] = *bytes;
    (u16::from_le_bytes([k0, k1]), u32::from_le_bytes(count))
}

/// A block like this one with the columns of all ranks added up.
fn merged(block: &ColumnBlock, said: &[Vec<u8>]) -> ColumnBlock {
    let mut rest: Vec<&[u8]> = said.iter().map(Vec::as_slice).collect();
    let mut sum = ColumnBlock::new(block.words());
    let mut column: Vec<(u16, u32)> = Vec::new();
    for _ in block.words() {
        column.clear();
        for rest in &mut rest {
            let length = rest.split_off(..4).expect("a column's length").as_array().expect("4 bytes");
            let length = u32::from_le_bytes(*length) as usize;
            let (items, _) = rest.split_off(..ITEM * length).expect("a column").as_chunks();
            column.extend(items.iter().map(item));
        }
        column.sort_unstable();
        for same in column.chunk_by(|a, b| a.0 == b.0) {
            sum.push(same[0].0, same.iter().map(|&(_, count)| count).sum());
        }
        sum.end_column();
    }
    sum
}

impl Model {
    /// The model that the first rank has, on all of them.
    pub(crate) fn told(ranks: &Ranks, own: Option<&Self>) -> Self {
        let told = own.map(|Self { alpha, beta, gamma, psi, n, vocab }| {
            let words: Vec<Range<u32>> = n.blocks.iter().map(ColumnBlock::words).collect();
            ([*alpha, *beta, *gamma], psi.clone(), vocab.clone(), n.topic_tokens.clone(), words)
        });
        let ([alpha, beta, gamma], psi, vocab, topic_tokens, words) = ranks.tell(told);
        let blocks = words.into_iter().enumerate().map(|(at, words)| {
            let mut bytes = own.map_or_else(Vec::new, |own| encode(&own.n.blocks[at]));
            ranks.broadcast(&mut bytes);
            merged(&ColumnBlock::new(words), &[bytes])
        });
        Self { alpha, beta, gamma, psi, n: TopicWordCounts { blocks: blocks.collect(), topic_tokens }, vocab }
    }
}

impl DocTopicHistogram {
    /// Adds the documents of all ranks, whose tokens are in the topics `active`.
    pub(crate) fn add_ranks(&mut self, ranks: &Ranks, active: &[u16]) {
        let mut rows = self.dense_rows(active);
        ranks.sum(&mut rows);
        let mut said = Vec::new();
        self.large().iter().for_each(|&(k, p)| push(&mut said, k, p));
        let said = ranks.gather(&said);
        self.clear();
        for (&k, row) in active.iter().zip(rows.chunks(DENSE as usize)) {
            (1..).zip(row).for_each(|(p, &docs)| self.add_docs(k, p, docs));
        }
        for said in &said {
            let (list, _) = said.as_chunks();
            list.iter().map(item).for_each(|(k, p)| self.add(k, p));
        }
        self.sort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rank_that_has_drawn_something_else_is_named_before_anything_is_added_up() {
        let errors = |last: Drawn| {
            crate::ranks::threads(3, |ranks| {
                let own = if ranks.rank() == 2 { last } else { Drawn { entries: 90, state: 5 } };
                let report = RankReport { stuck_tokens: ranks.rank() as u64, z_seconds: 0.5 };
                let told = report.told(&ranks, &own).map_err(|error| error.to_string())?;
                assert_eq!(told.iter().map(|said| said.stuck_tokens).collect::<Vec<_>>(), [0, 1, 2]);
                Ok::<_, String>(())
            })
        };
        assert_eq!(errors(Drawn { entries: 90, state: 5 }), [Ok(()), Ok(()), Ok(())]);
        for other in [Drawn { entries: 91, state: 5 }, Drawn { entries: 90, state: 6 }] {
            let errors = errors(other);
            let error = errors[0].as_ref().expect_err("ranks differ");
            let entries = other.entries;
            let start =
                format!("rank 2 of 3 on thread: it has drawn another Φ than rank 0, of {entries} entries");
            assert!(error.starts_with(&start), "{error}");
            assert!(errors.iter().all(|error| *error == errors[0]), "{errors:?}");
        }
    }

    #[test]
    fn columns_and_documents_of_all_ranks_add_up() {
        let counts = |of: &[(u32, u16, u32)], docs: &[(u16, u32)]| {
            let mut counts = Counts::new(&[0..2, 2..3], 5);
            for block in &mut counts.n.blocks {
                for v in block.words() {
                    of.iter()
                        .filter(|&&(word, ..)| word == v)
                        .for_each(|&(_, k, count)| block.push(k, count));
                    block.end_column();
                }
            }
            of.iter().for_each(|&(_, k, count)| counts.n.topic_tokens[usize::from(k)] += u64::from(count));
            docs.iter().for_each(|&(k, p)| counts.d.add(k, p));
            counts.d.sort();
            counts
        };
        let own = [
            counts(&[(0, 1, 3), (0, 4, 1), (2, 1, 300)], &[(1, 3), (1, 300), (4, 1)]),
            counts(&[], &[]),
            counts(&[(0, 0, 2), (0, 1, 1), (1, 1, 299)], &[(0, 2), (1, 300)]),
        ];
        let whole = counts(
            &[(0, 0, 2), (0, 1, 4), (0, 4, 1), (1, 1, 299), (2, 1, 300)],
            &[(1, 3), (1, 300), (4, 1), (0, 2), (1, 300)],
        );
        for sum in crate::ranks::threads(3, |ranks| {
            let mut counts = own[ranks.rank()].clone();
            counts.add_ranks(&ranks);
            counts
        }) {
            assert_eq!(sum, whole);
        }
    }
}
