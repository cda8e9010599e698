//! One pass over the corpus in which each token is drawn given those before it, with Φ and Ψ integrated out:
//! P(z_i = k) ∝ (m_dk + α·s_k)·(β + n_kv) / (Vβ + n_k), where s_k is topic k's share of the global draws so far, (l_k − δ) / (Σl + γ), and a
//! topic that nobody has yet has (γ + Kδ) / (Σl + γ).

use crate::corpus::Corpus;
use crate::params::{Params, PsiLaw};
use crate::rng::{Step, Stream};

/// The first topics of all tokens; topics are numbered as they come.
pub(super) fn sequential(corpus: &Corpus, params: &Params) -> Vec<u16> {
    let mut pass = Pass::new(corpus, params);
    let mut z = Vec::with_capacity(corpus.num_tokens());
    for d in 0..corpus.num_docs() {
        let mut stream = Stream::new(params.seed(), Step::InitSequential, 0, d as u32);
        pass.m.fill(0.0);
        z.extend(corpus.w[corpus.doc(d)].iter().map(|&v| pass.draw(v as usize, &mut stream)));
    }
    z
}

/// The counts of the tokens that have their topics.
struct Pass<'a> {
    params: &'a Params,
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

impl<'a> Pass<'a> {
    fn new(corpus: &Corpus, params: &'a Params) -> Self {
        let represented = params.k_star() - usize::from(params.psi() != PsiLaw::Uniform);
        Self {
            params,
            vocab_size: corpus.vocab_size() as f64,
            most: represented.max(1),
            n: vec![Vec::new(); corpus.vocab_size()],
            n_k: Vec::new(),
            l: Vec::new(),
            m: Vec::new(),
            l_sum: 0.0,
            weight: Vec::new(),
        }
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
    fn draw(&mut self, v: usize, stream: &mut Stream) -> u16 {
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
