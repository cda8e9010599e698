//! Scores of held-out documents against their exact values, by summing over all topics of all tokens.

use std::slice::from_ref;
use std::sync::Mutex;

use hdp_gpu::corpus::Corpus;
use hdp_gpu::device::Place;
use hdp_gpu::evaluate::Score;
use hdp_gpu::evaluate::completion::complete;
use hdp_gpu::evaluate::left_to_right::left_to_right;
use hdp_gpu::infer::InferSettings;
use hdp_gpu::model::counts::{ColumnBlock, TopicWordCounts};
use hdp_gpu::watch::Watch;
use hdp_gpu::{Error, Model, Result};

/// n_kv of four words in topics 0, 2 and 3; topic 1 has no tokens.
const N: [[u32; 4]; 4] = [[9, 0, 3, 1], [0, 0, 0, 0], [0, 7, 0, 2], [2, 2, 8, 0]];

fn model(alpha: f64) -> Model {
    let mut block = ColumnBlock::new(0..4);
    for v in 0..4 {
        for (k, row) in (0..).zip(&N) {
            if row[v] > 0 {
                block.push(k, row[v]);
            }
        }
        block.end_column();
    }
    let topic_tokens = N.iter().map(|row| row.iter().map(|&n| u64::from(n)).sum()).collect();
    Model {
        alpha,
        beta: 0.5,
        gamma: 1.0,
        psi: vec![0.4, 0.1, 0.3, 0.2],
        n: TopicWordCounts { blocks: vec![block], topic_tokens },
        vocab: ["ash", "birch", "cedar", "date"].map(str::to_owned).to_vec(),
    }
}

/// φ_kv by definition.
fn phi(k: usize, v: usize) -> f64 {
    (f64::from(N[k][v]) + 0.5) / (N[k].iter().map(|&n| f64::from(n)).sum::<f64>() + 4.0 * 0.5)
}

/// Σ_z p(z) Π φ over the active topics, a token after the other: p(z_n = k | before) = (αΨ_k + m_k) / (αΨ_A + n − 1).
fn probability(model: &Model, words: &[usize]) -> f64 {
    fn rest(model: &Model, words: &[usize], m: &mut [f64; 4]) -> f64 {
        let Some((&v, later)) = words.split_first() else { return 1.0 };
        let active = [0, 2, 3];
        let total: f64 = active.iter().map(|&k| model.alpha * model.psi[k] + m[k]).sum();
        let of_topic = |k: usize, m: &mut [f64; 4]| {
            let share = (model.alpha * model.psi[k] + m[k]) / total;
            m[k] += 1.0;
            let probability = share * phi(k, v) * rest(model, later, m);
            m[k] -= 1.0;
            probability
        };
        active.iter().map(|&k| of_topic(k, m)).sum()
    }
    rest(model, words, &mut [0.0; 4])
}

fn corpus(docs: &[&[usize]]) -> Corpus {
    let words = ["ash", "birch", "cedar", "date", "xyzzy"].map(str::to_owned).to_vec();
    let mut corpus = Corpus::new(Vec::new(), vec![0], words).expect("a corpus");
    for doc in docs {
        corpus.w.to_mut().extend(doc.iter().map(|&v| v as u32));
        corpus.doc_start.push(corpus.w.len());
    }
    corpus
}

/// The relative error of a mean over 10^5 particles is some 0.002 a token here, so five tokens stay within 0.02.
#[test]
fn left_to_right_is_the_probability_of_a_document() {
    let model = model(0.7);
    for doc in [&[0, 2, 0, 3, 1][..], &[1, 1, 1, 1], &[2], &[3, 0, 3]] {
        let score =
            left_to_right(&model, &corpus(&[doc]), 100_000, 3, &()).expect("no error").expect("a score");
        let (estimate, exact) = (score.per_word * doc.len() as f64, probability(&model, doc).ln());
        println!("{doc:?}: {estimate:.4}, exactly {exact:.4}");
        assert!((estimate - exact).abs() < 0.02, "{doc:?}: {estimate}, exactly {exact}");
    }
    // Another α is seen.
    let other = left_to_right(&self::model(1.4), &corpus(&[&[1, 1, 1, 1]]), 100_000, 3, &())
        .expect("no error")
        .expect("a score");
    assert!((other.per_word * 4.0 - probability(&model, &[1; 4]).ln()).abs() > 0.05);
}

/// In a document of one word, twice or more, any half is like another: p = p(first half and one more) / p(first half), in
/// turn for each token of the second half when θ is known from the first one alone.
#[test]
fn completion_is_the_probability_of_the_other_half() {
    let model = model(0.7);
    let settings = InferSettings { burn_in: 10, samples: 50_000, thin: 1, seed: 5 };
    for v in 0..4 {
        for length in [2, 3, 6] {
            let first = vec![v; length - length / 2];
            let more = [&first[..], &[v]].concat();
            let exact = (probability(&model, &more) / probability(&model, &first)).ln();
            let doc = vec![v; length];
            let score = complete(from_ref(&model), &corpus(&[&doc]), settings, &Place::cpu(), &())
                .expect("a score")
                .score;
            let score = score.expect("a score");
            assert_eq!((score.tokens, score.documents), (length as u64 / 2, 1));
            println!("{length} of word {v}: {:.4}, exactly {exact:.4}", score.per_word);
            assert!((score.per_word - exact).abs() < 0.01, "{}, exactly {exact}", score.per_word);
        }
    }
}

#[test]
fn unknown_words_have_no_score() {
    let model = model(0.7);
    let settings = InferSettings { burn_in: 1, samples: 2, thin: 1, seed: 5 };
    let documents = corpus(&[&[4, 4], &[], &[0, 4, 1], &[2]]);
    let score = complete(from_ref(&model), &documents, settings, &Place::cpu(), &())
        .expect("a score")
        .score
        .expect("a score");
    assert_eq!((score.documents, score.tokens, score.unknown_tokens), (1, 1, 3));
    let score = left_to_right(&model, &documents, 2, 1, &()).expect("no error").expect("a score");
    assert_eq!((score.documents, score.tokens, score.unknown_tokens), (2, 3, 3));
    let nothing = corpus(&[&[4, 4], &[]]);
    assert!(
        complete(from_ref(&model), &nothing, settings, &Place::cpu(), &()).expect("no error").score.is_none()
    );
    assert!(left_to_right(&model, &nothing, 2, 1, &()).expect("no error").is_none());
}

/// Stops when some share of the work is done.
struct StopsAt {
    share: f64,
    last: Mutex<f64>,
}

impl StopsAt {
    fn new(share: f64) -> Self {
        Self { share, last: Mutex::new(0.0) }
    }

    fn last(&self) -> f64 {
        *self.last.lock().unwrap()
    }
}

impl Watch for StopsAt {
    fn share_done(&self, share: f64) {
        let mut last = self.last.lock().unwrap();
        *last = last.max(share);
    }

    fn should_stop(&self) -> bool {
        self.last() >= self.share
    }
}

#[test]
fn scores_can_be_watched_and_stopped() {
    let models = [model(0.7), model(1.4)];
    let documents = corpus(&[&[0, 1, 2, 3][..]; 1000]);
    let settings = InferSettings { burn_in: 10, samples: 10, thin: 1, seed: 5 };
    let completed =
        |watch: &StopsAt| complete(&models, &documents, settings, &Place::cpu(), watch).map(|it| it.score);
    let estimated = |watch: &StopsAt| left_to_right(&models[0], &documents, 20, 1, watch);
    for score in [&completed as &dyn Fn(&StopsAt) -> Result<Option<Score>>, &estimated] {
        let to_the_end = StopsAt::new(2.0);
        assert!(score(&to_the_end).expect("nobody stops it").is_some());
        assert!((to_the_end.last() - 1.0).abs() < 1e-9, "{}", to_the_end.last());
        let early = StopsAt::new(0.6);
        let error = score(&early).expect_err("it is stopped");
        assert!(matches!(error, Error::Interrupted) && error.exit_code() == 130, "{error}");
        assert!((0.6..0.9).contains(&early.last()), "{}", early.last());
    }
}
