//! Step 1, Φ | z: the Poisson Pólya urn, ϕ_kv ~ Poisson(β + n_kv), φ_kv = ϕ_kv / Σ_v ϕ_kv.
//!
//! ϕ = ϕ(β) + ϕ(n). The cells of ϕ(β) are independent Poisson(β) variables, so the points of a word are
//! Poisson(βK*) many, each in a uniform topic: the same law as points of a topic on uniform words, drawn
//! here by word because n is kept by word. ϕ(n) is drawn over the nonzero n_kv only.

use rayon::prelude::*;

use super::counts::{Column, ColumnBlock, TopicWordCounts, empty_blocks, most_blocks};
use crate::dist::poisson::{Poisson, PoissonByCount};
use crate::heap::{Heap, Sizes};
use crate::model::per_thread::PerThread;
use crate::params::Params;
use crate::rng::{Step, Stream};

/// Φ before normalisation, sparse by word: the urn's integer points, or a [`super::dirichlet`] draw.
#[derive(Debug)]
pub struct Phi<C = u32> {
    /// ϕ_kv.
    pub blocks: Vec<ColumnBlock<C>>,
    /// Σ_v ϕ_kv for every topic up to K*; zero where the urn left a row empty.
    pub row_sum: Vec<f64>,
}

impl<C: Copy> Phi<C> {
    /// Empty columns for the words of `n`.
    pub(crate) fn new(n: &TopicWordCounts) -> Self {
        let words = n.blocks.iter().map(ColumnBlock::words);
        Self { blocks: empty_blocks(words), row_sum: vec![0.0; n.topic_tokens.len()] }
    }
}

impl<C: Copy> Phi<C> {
    /// What it takes.
    pub(crate) fn bytes(sizes: &Sizes) -> Heap {
        ColumnBlock::<C>::bytes(sizes, sizes.phi_cells) + Heap::exact::<f64>(sizes.k_star)
    }

    #[cfg(test)]
    pub(super) fn heap_bytes(&self) -> Heap {
        let Self { blocks, row_sum } = self;
        ColumnBlock::heap_bytes(blocks) + crate::heap::held(row_sum)
    }
}

/// Draws Φ, keeping its room from one iteration to the next.
#[derive(Debug)]
pub struct PoissonPolyaUrn {
    phi: Phi,
    by_count: PoissonByCount,
    /// The number of points of ϕ(β) that a word has, and βK*, its mean.
    prior_points: (Poisson, f64),
    /// The iteration that ϕ(β) has been drawn for ahead of n, and ϕ(β).
    ahead: Option<(u32, Vec<PriorBlock>)>,
    scratch: PerThread<Scratch>,
}

/// ϕ(β) of a run of words.
#[derive(Debug, Default)]
struct PriorBlock {
    /// The topics of the words' points, a word after the other.
    points: Vec<u16>,
    /// Where each word's points end, and what its stream had given by then.
    words: Vec<(usize, u32)>,
}

impl PriorBlock {
    /// What all of them take, if any are drawn ahead.
    fn bytes(sizes: &Sizes) -> Heap {
        if sizes.prior_points == 0.0 {
            return Heap::default();
        }
        let blocks = most_blocks(sizes);
        let blocks_and_points = Heap::exact::<Self>(blocks) + Heap::grown::<u16>(blocks, sizes.prior_points);
        (blocks_and_points + Heap::grown::<(usize, u32)>(blocks, sizes.words)).at_most()
    }

    /// The points of each word in order, and the position of its stream.
    fn columns(&self) -> impl Iterator<Item = (&[u16], u32)> {
        let mut start = 0;
        self.words
            .iter()
            .map(move |&(end, position)| (&self.points[std::mem::replace(&mut start, end)..end], position))
    }
}

/// One thread's room.
#[derive(Debug)]
struct Scratch {
    points: Vec<u16>,
    row_sum: Vec<u64>,
}

impl PoissonPolyaUrn {
    /// The urn for the words of `n`.
    pub fn new(n: &TopicWordCounts, params: &Params) -> Self {
        let k_star = params.k_star();
        Self {
            phi: Phi::new(n),
            by_count: PoissonByCount::default(),
            prior_points: prior_points(params),
            ahead: None,
            scratch: PerThread::new(|| Scratch { points: Vec::new(), row_sum: vec![0; k_star] }),
        }
    }

    /// What it takes, but for tables of a fixed size.
    pub(crate) fn bytes(sizes: &Sizes) -> Heap {
        let column = Heap::grown::<u16>(1.0, sizes.k_star).at_most();
        let each = column + Heap::exact::<u64>(sizes.k_star);
        Phi::<u32>::bytes(sizes) + PriorBlock::bytes(sizes) + PerThread::<Scratch>::bytes(sizes.threads, each)
    }

    #[cfg(test)]
    pub(crate) fn heap_bytes(&self) -> Heap {
        use crate::heap::held;
        let Self { phi, by_count: _, prior_points: _, ahead, scratch } = self;
        let lists = |PriorBlock { points, words }: &PriorBlock| held(points) + held(words);
        let ahead = ahead
            .as_ref()
            .map_or(Heap::default(), |(_, prior)| held(prior) + prior.iter().map(lists).sum::<Heap>());
        phi.heap_bytes()
            + ahead
            + scratch.heap_bytes(|Scratch { points, row_sum }| held(points) + held(row_sum))
    }

    /// Draws ϕ(β), which does not depend on n, for an iteration to come.
    pub(crate) fn draw_ahead(&mut self, params: &Params, iteration: u32) {
        let Self { phi, prior_points: (prior_points, _), ahead, scratch, .. } = self;
        let mut prior = ahead.take().map_or_else(Vec::new, |(_, prior)| prior);
        prior.resize_with(phi.blocks.len(), PriorBlock::default);
        prior.par_iter_mut().zip(&phi.blocks).for_each(|(prior, block)| {
            let points = &mut scratch.lock().points;
            prior.points.clear();
            prior.words.clear();
            for word in block.words() {
                let mut stream = Stream::new(params.seed(), Step::Phi, iteration, word);
                draw_prior_points(prior_points, params.max_topics(), &mut stream, points);
                prior.points.extend_from_slice(points);
                prior.words.push((prior.points.len(), stream.position()));
            }
        });
        *ahead = Some((iteration, prior));
    }

    /// Draws ϕ given n, in parallel over words.
    pub fn sample(&mut self, n: &TopicWordCounts, params: &Params, iteration: u32) -> &Phi {
        // A β that is learned is another in every iteration, and what was drawn ahead is then of the one before.
        if self.prior_points.1 != mean_prior_points(params) {
            self.prior_points = prior_points(params);
            self.ahead = None;
        }
        let Self { phi, by_count, prior_points: (prior_points, _), ahead, scratch } = self;
        let ahead = ahead.as_ref().filter(|(drawn_for, _)| *drawn_for == iteration).map(|(_, prior)| prior);
        phi.blocks.par_iter_mut().zip(&n.blocks).enumerate().for_each(|(at, (varphi, n))| {
            let mut scratch = scratch.lock();
            let Scratch { points, row_sum } = &mut *scratch;
            varphi.clear();
            let mut drawn = ahead.map(|prior| prior[at].columns());
            for column in n.columns() {
                let mut stream = Stream::new(params.seed(), Step::Phi, iteration, column.word);
                let points: &[u16] = match drawn.as_mut().and_then(Iterator::next) {
                    Some((points, position)) => {
                        stream = stream.skip_to(position);
                        points
                    }
                    None => {
                        draw_prior_points(prior_points, params.max_topics(), &mut stream, points);
                        &*points
                    }
                };
                draw_column(by_count, column, points, &mut stream, |topic, count| {
                    varphi.push(topic, count);
                    row_sum[usize::from(topic)] += u64::from(count);
                });
                varphi.end_column();
            }
        });
        for (k, sum) in phi.row_sum.iter_mut().enumerate() {
            *sum = scratch.iter_mut().map(|part| std::mem::take(&mut part.row_sum[k])).sum::<u64>() as f64;
        }
        phi
    }
}

/// βK*.
fn mean_prior_points(params: &Params) -> f64 {
    params.beta() * f64::from(params.max_topics())
}

fn prior_points(params: &Params) -> (Poisson, f64) {
    let mean = mean_prior_points(params);
    (Poisson::new(mean), mean)
}

/// ϕ(β) of one word: the topics of its points, ascending, one entry a point.
fn draw_prior_points(number: &Poisson, max_topics: u32, stream: &mut Stream, points: &mut Vec<u16>) {
    let number = number.sample(stream);
    points.clear();
    points.extend((0..number).map(|_| stream.below(u64::from(max_topics)) as u16));
    points.sort_unstable();
}

/// ϕ = ϕ(β) + ϕ(n) of one word, handed to `emit` where it is not zero, by ascending topic.
fn draw_column(
    by_count: &PoissonByCount,
    n: Column<'_>,
    points: &[u16],
    stream: &mut Stream,
    mut emit: impl FnMut(u16, u32),
) {
    let mut groups = points.chunk_by(|a, b| a == b).peekable();
    for (topic, count) in n.iter() {
        while let Some(group) = groups.next_if(|group| group[0] < topic) {
            emit(group[0], group.len() as u32);
        }
        let prior = groups.next_if(|group| group[0] == topic).map_or(0, <[u16]>::len);
        let varphi = by_count.sample(count, stream) + prior as u64;
        let varphi = u32::try_from(varphi).expect("a corpus with room for ϕ above n has been read");
        if varphi > 0 {
            emit(topic, varphi);
        }
    }
    for group in groups {
        emit(group[0], group.len() as u32);
    }
}
