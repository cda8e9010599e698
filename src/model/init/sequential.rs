//! One pass over the corpus in which each token is drawn given those before it, with Φ and Ψ integrated out:
//! P(z_i = k) ∝ (m_dk + α·s_k)·(β + n_kv) / (Vβ + n_k), where s_k is topic k's share of the global draws so far, (l_k − δ) / (Σl + γ), and a
//! topic that nobody has yet has (γ + Kδ) / (Σl + γ).

use crate::corpus::Portion;
use crate::params::{Params, PsiLaw};
use crate::rng::{Step, Stream};

/// A pass that documents are drawn by one after the other; topics are numbered as they come.
pub(super) struct Sequential<'a> {
    params: &'a Params,
    /// The number of the next document.
    next: u32,
    vocab_size: f64,
    /// The most topics that the start may have.
    most: usize,
    /// (topic, n_kv) of each word, in no order.
    n: Vec<Vec<(u16, f64)>>,
    /// n_k, l_k, and m_k of the document, by topic.
    n_k: Vec<f64>,
    l: Vec<f64>,
    m: Vec<f64>,
    l_sum: f64,
    weight: Vec<f64>,
}

impl<'a> Sequential<'a> {
    /// Before the first document of a corpus with so many words.
    pub(super) fn new(vocab_size: usize, params: &'a Params) -> Self {
        let represented = params.k_star() - usize::from(params.psi() != PsiLaw::Uniform);
        Self {
            params,
            next: 0,
            vocab_size: vocab_size as f64,
            most: represented.max(1),
            n: vec![Vec::new(); vocab_size],
            n_k: Vec::new(),
            l: Vec::new(),
            m: Vec::new(),
            l_sum: 0.0,
            weight: Vec::new(),
        }
    }

    /// The first topics of the next documents, which have these words and lengths.
    pub(super) fn draw(&mut self, mut w: &[u32], lengths: impl Iterator<Item = usize>) -> Vec<u16> {
        let mut z = Vec::with_capacity(w.len());
        for length in lengths {
            let mut stream = Stream::new(self.params.seed(), Step::InitSequential, 0, self.next);
            self.next += 1;
            self.m.fill(0.0);
            let words = w.split_off(..length).expect("the words of the document");
            z.extend(words.iter().map(|&v| self.draw_token(v as usize, &mut stream)));
        }
        z
    }

    /// The share of a topic that there is.
    fn share(&self, k: usize) -> f64 {
        match self.params.psi() {
            PsiLaw::Uniform => 1.0 / self.params.k_star() as f64,
            PsiLaw::Sticks | PsiLaw::Dp => {
                (self.l[k] - self.params.discount()) / (self.l_sum + self.params.gamma())
            }
        }
    }

    /// The share of all topics that there are not yet.
    fn share_of_new(&self) -> f64 {
        let (topics, params) = (self.l.len() as f64, self.params);
        match params.psi() {
            _ if self.l.len() == self.most => 0.0,
            PsiLaw::Uniform => 1.0 - topics / params.k_star() as f64,
            PsiLaw::Sticks | PsiLaw::Dp => {
                (params.gamma() + topics * params.discount()) / (self.l_sum + params.gamma())
            }
        }
    }

    /// The topic of the next token, of word `v`, which is then counted.
    fn draw_token(&mut self, v: usize, stream: &mut Stream) -> u16 {
        let (alpha, beta) = (self.params.alpha(), self.params.beta());
        let mut weight = std::mem::take(&mut self.weight);
        weight.clear();
        weight
            .extend((0..self.l.len()).map(|k| {
                (self.m[k] + alpha * self.share(k)) * beta / (self.vocab_size * beta + self.n_k[k])
            }));
        for &(k, n_kv) in &self.n[v] {
            weight[usize::from(k)] *= (beta + n_kv) / beta;
        }
        weight.push(alpha * self.share_of_new() / self.vocab_size);
        let k = choose(&weight, stream);
        self.weight = weight;
        self.add(k, v, stream);
        k as u16
    }

    /// Counts a token of word `v` in topic `k`, which may be a new one.
    fn add(&mut self, k: usize, v: usize, stream: &mut Stream) {
        if k == self.l.len() {
            [&mut self.n_k, &mut self.l, &mut self.m].into_iter().for_each(|counts| counts.push(0.0));
        }
        let alpha_share = self.params.alpha() * self.share(k);
        // The first token of a topic in a document always is a global draw.
        if self.m[k] == 0.0 || stream.uniform() * (alpha_share + self.m[k]) < alpha_share {
            self.l[k] += 1.0;
            self.l_sum += 1.0;
        }
        self.m[k] += 1.0;
        self.n_k[k] += 1.0;
        match self.n[v].iter_mut().find(|(topic, _)| usize::from(*topic) == k) {
            Some((_, n_kv)) => *n_kv += 1.0,
            None => self.n[v].push((k as u16, 1.0)),
        }
    }
}

/// An index in proportion to its weight.
fn choose(weight: &[f64], stream: &mut Stream) -> usize {
    let mut left = stream.uniform() * weight.iter().sum::<f64>();
    let chosen = weight.iter().position(|weight| {
        left -= weight;
        left < 0.0
    });
    // Rounding may leave something after the last.
    chosen.unwrap_or_else(|| weight.iter().rposition(|&weight| weight > 0.0).unwrap_or(0))
}

/// The first topics of this rank's tokens when all documents are drawn one after the other: the first rank draws those of all,
/// a rank's at a time.
pub(super) fn sequential_over_ranks(portion: &Portion, params: &Params) -> Vec<u16> {
    let Portion { corpus, ranks, .. } = portion;
    if !ranks.is_first() {
        ranks.send(0, bytemuck::cast_slice(&corpus.w));
        let mut z = vec![0; corpus.num_tokens()];
        ranks.receive_into(0, &mut z);
        return z;
    }
    let mut pass = Sequential::new(corpus.vocab_size(), params);
    let own = pass.draw(&corpus.w, corpus.doc_lengths());
    for rank in 1..ranks.size() {
        let mut w = vec![0_u32; portion.tokens_of(rank).len()];
        ranks.receive_into(rank, &mut w);
        let docs = portion.docs_of(rank);
        let starts = portion.doc_start()[docs.start..=docs.end].windows(2);
        let z = pass.draw(&w, starts.map(|doc| doc[1] - doc[0]));
        ranks.send(rank, bytemuck::cast_slice(&z));
    }
    own
}
