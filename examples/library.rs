//! Trains, infers and evaluates by the library: `cargo run --release --example library`.

use hdp_gpu::corpus::{holdout::hold_out, sample::sample};
use hdp_gpu::device::Place;
use hdp_gpu::evaluate::{
    completion::complete, evaluation::Measures, evaluation::evaluate, summary::summarise,
};
use hdp_gpu::infer::{InferSettings, infer};
use hdp_gpu::params::Init;
use hdp_gpu::{Chain, Result, Sampler, Settings};

fn main() -> Result<()> {
    // `hdp_gpu::corpus::read` reads files of any format; `from_texts`, `from_tokens` and `from_csr` take what is in memory.
    let split = hold_out(&sample().corpus, 0.1, 0);
    let params = Settings { init: Init::Random(30), ..Settings::paper() }.check()?;
    let mut chain = Sampler::on_cpu(split.train, params)?;
    for _ in 0..200 {
        chain.step()?;
    }
    let model = chain.state().model();
    for topic in summarise(&model.n, 8) {
        let words: Vec<&str> = topic.top_words.iter().map(|&v| model.vocab[v as usize].as_str()).collect();
        println!("{:>3} {:>6}  {}", topic.topic, topic.tokens, words.join(" "));
    }
    let inference = infer(&model, &split.held_out, InferSettings::SHORT, &Place::cpu(), &())?;
    println!("document {}: {:?}", split.docs[0] + 1, inference.docs[split.docs[0]].m);
    let score =
        complete(std::slice::from_ref(&model), &split.held_out, InferSettings::SCORE, &Place::cpu(), &())?
            .score;
    println!("held out: {:.4} nats a word", score.expect("documents of known words").per_word);
    println!("coherence: {:?}", evaluate(&model, chain.state().corpus(), Measures::default()).npmi);
    Ok(())
}
