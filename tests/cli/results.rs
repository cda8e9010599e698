//! The run folder: which files are in it, and what they hold.

use std::collections::BTreeMap;

use hdp_gpu::Model;
use hdp_gpu::corpus::sample::sample;
use hdp_gpu::run::results::model_file::read_model;
use serde_json::{Value, json};

use super::{Folder, RUN_FILES, csv_rows, names, read, read_state, trained};

pub(super) fn model(run: &Folder) -> Model {
    read_model(&hdp_gpu::run::folder::Folder::open_run(run.0.path()).expect("a run")).expect("a model")
}

/// n by (topic, word).
fn counts(model: &Model) -> BTreeMap<(u16, u32), u32> {
    let columns = model.n.columns();
    columns.flat_map(|column| column.iter().map(|(k, n)| ((k, column.word), n)).collect::<Vec<_>>()).collect()
}

fn column(rows: &[Vec<String>], at: usize) -> Vec<u64> {
    rows[1..].iter().map(|row| row[at].parse().expect("a number")).collect()
}

#[test]
fn nothing_but_the_results_is_left() {
    assert_eq!(names(&trained("sample", "--iterations 1").path("")), RUN_FILES);
}

#[test]
fn the_trace_has_the_first_state_the_grid_and_the_last() {
    for (flags, iterations) in [
        ("--iterations 25 --init-topics 20", vec![0, 10, 20, 25]),
        ("--iterations 20 --init-topics 20", vec![0, 10, 20]),
        ("--iterations 3 --trace-every 1", vec![0, 1, 2, 3]),
        ("--iterations 3 --trace-every 100", vec![0, 3]),
    ] {
        let run = trained("sample", flags);
        let trace = csv_rows(run.path("trace.csv"));
        let header = "iteration,log_likelihood,log_likelihood_lda,active_topics,flag_topic_tokens,stuck_tokens,\
                      alpha,beta,gamma,max_topics";
        assert_eq!(trace[0].join(","), header);
        assert_eq!(column(&trace, 0), iterations, "{flags}");
        for row in &trace[1..] {
            assert_eq!(row.len(), 10);
            assert!(row[1..3].iter().all(|value| value.parse::<f64>().is_ok_and(|value| value < 0.0)));
        }
    }
}

#[test]
fn tokens_per_topic_go_with_the_trace() {
    let run = trained("sample", "--iterations 5 --trace-every 2 --init-topics 20");
    let rows = csv_rows(run.path("tokens_per_topic.csv"));
    assert_eq!(rows[0].join(","), "iteration,topic,tokens");
    let mut by_iteration: BTreeMap<u64, Vec<(u64, u64)>> = BTreeMap::new();
    for ((iteration, topic), tokens) in
        column(&rows, 0).into_iter().zip(column(&rows, 1)).zip(column(&rows, 2))
    {
        by_iteration.entry(iteration).or_default().push((topic, tokens));
    }
    let trace = csv_rows(run.path("trace.csv"));
    assert_eq!(by_iteration.keys().copied().collect::<Vec<_>>(), column(&trace, 0));
    for (topics, active) in by_iteration.values().zip(column(&trace, 3)) {
        assert_eq!(topics.len() as u64, active);
        assert!(topics.is_sorted_by(|a, b| a.0 < b.0) && topics.iter().all(|&(_, tokens)| tokens > 0));
        assert_eq!(topics.iter().map(|&(_, tokens)| tokens).sum::<u64>(), 153_215);
    }
    let last: Vec<u64> = by_iteration[&5].iter().map(|&(_, tokens)| tokens).collect();
    let n_k = model(&run).n.topic_tokens;
    assert_eq!(last, n_k.into_iter().filter(|&tokens| tokens > 0).collect::<Vec<_>>());
}

#[test]
fn the_timing_has_every_iteration() {
    let run = trained("sample", "--iterations 7");
    let timing = csv_rows(run.path("timing.csv"));
    let header = "iteration,seconds,phi_seconds,alias_seconds,z_seconds,count_seconds,l_psi_seconds,\
                  tokens_per_second,bytes_up,bytes_down,device,gpu_share,team,comm_seconds,comm_bytes";
    assert_eq!(timing[0].join(","), header);
    assert_eq!(column(&timing, 0), (1..=7).collect::<Vec<_>>());
    for row in &timing[1..] {
        let seconds: Vec<f64> = row[1..7].iter().map(|field| field.parse().expect("seconds")).collect();
        assert!(seconds.iter().all(|&seconds| seconds >= 0.0), "{row:?}");
        // The parts are rounded to microseconds.
        assert!(seconds[1..].iter().sum::<f64>() <= seconds[0] + 1e-5, "{row:?}");
        assert!(row[10].starts_with("cpu"), "{row:?}");
        assert_eq!(row[11..], ["0.0000", "", "0.000000", "0"], "{row:?}");
    }
}

#[test]
fn run_json_has_every_setting() {
    let run = trained("sample", "--preset paper --iterations 2 --seed 7 --beta 0.02 --threads 1");
    let info: Value = serde_json::from_str(&read(run.path("run.json"))).expect("JSON");
    let settings = json!({
        "preset": "paper", "alpha": 0.1, "beta": 0.02, "gamma": 1.0, "max_topics": 1000, "init": "one",
        "learn": {"alpha": null, "beta": null, "gamma": null}, "psi": "sticks", "discount": 0.0, "grow": false, "anneal": null,
        "seed": 7, "sampler": "ppu", "phi": "ppu", "iterations": 2, "trace_every": 10, "samples": 1, "thin": 5, "finish": "0", "chains": 1, "until": "iterations", "no_text": false,
        "device": "cpu", "kernel": "auto", "team": null, "on_device_error": "cpu",
    });
    assert_eq!(info["settings"], settings);
    assert_eq!(info["program"], "hdp-gpu");
    assert_eq!(info["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(info["status"], "finished");
    assert_eq!(info["iterations_done"], 2);
    assert_eq!(info["threads"], 1);
    assert!(info["device"].as_str().is_some_and(|device| device.starts_with("cpu")));
    assert!(["driver", "kernel", "chosen", "device_error"].iter().all(|name| info[name].is_null()));
    assert!(info["wall_seconds"].as_f64().is_some_and(|seconds| seconds > 0.0));
    assert!(info["command"].as_array().is_some_and(|command| command.contains(&json!("--beta"))));
    let corpus = &info["corpus"];
    for (name, value) in [
        ("source", json!("sample")),
        ("documents", json!(1500)),
        ("empty_documents", json!(0)),
        ("tokens", json!(153_215)),
        ("words", json!(1315)),
        ("merged_entries", json!(0)),
    ] {
        assert_eq!(corpus[name], value, "{name}");
    }
    assert_eq!(corpus["digest"], hdp_gpu::corpus::digest(&sample().corpus));
}

#[test]
fn run_json_has_the_sampler() {
    for (flags, sampler, phi) in [
        ("--phi dirichlet", "ppu", json!("dirichlet")),
        ("--sampler ppu", "ppu", json!("ppu")),
        ("--sampler direct", "direct", Value::Null),
    ] {
        let run = trained("sample", &format!("--preset paper --iterations 1 --max-topics 20 {flags}"));
        let info: Value = serde_json::from_str(&read(run.path("run.json"))).expect("JSON");
        let settings = &info["settings"];
        assert_eq!((&settings["sampler"], &settings["phi"]), (&json!(sampler), &phi), "{flags}");
    }
}

#[test]
fn the_state_is_the_corpus_and_the_model_its_counts() {
    let run = trained("sample", "--preset paper --iterations 5 --init-topics 50");
    let (corpus, model) = (sample().corpus, model(&run));
    let (top, tokens) = read_state(run.path("state.gz"));
    assert_eq!(top[0], "#doc source pos typeindex type topic");
    let alpha: Vec<f64> = top[1]
        .strip_prefix("#alpha : ")
        .expect("α")
        .split(' ')
        .map(|value| value.parse().expect("a number"))
        .collect();
    assert_eq!(alpha, model.psi.iter().map(|psi| model.alpha * psi).collect::<Vec<_>>());
    assert_eq!(top[2], "#beta : 0.01");

    assert_eq!(tokens.len(), corpus.num_tokens());
    let mut n: BTreeMap<(u16, u32), u32> = BTreeMap::new();
    let places =
        (0..corpus.num_docs()).flat_map(|d| corpus.doc(d).enumerate().map(move |(pos, i)| (d, pos, i)));
    for (token, (d, pos, i)) in tokens.iter().zip(places) {
        assert_eq!((token.doc, token.pos, token.typeindex), (d, pos, corpus.w[i]));
        assert_eq!((&token.source, &token.word), (&corpus.doc_name(d), &corpus.vocab[corpus.w[i] as usize]));
        *n.entry((token.topic, token.typeindex)).or_default() += 1;
    }
    assert_eq!(counts(&model), n);
    assert_eq!((model.alpha, model.beta, model.gamma), (0.1, 0.01, 1.0));
    assert_eq!(model.psi.len(), 1000);
    assert_eq!(model.vocab, corpus.vocab);
}

#[test]
fn topic_keys_have_weights_and_top_words() {
    let run = trained("sample", "--preset paper --iterations 5 --init-topics 50");
    let model = model(&run);
    let n = counts(&model);
    let active: Vec<usize> = (0..1000).filter(|&k| model.n.topic_tokens[k] > 0).collect();
    let keys = read(run.path("topic-keys.txt"));
    assert_eq!(keys.lines().count(), active.len());
    for (line, k) in keys.lines().zip(active) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [topic, weight, words] = fields[..] else { panic!("not three fields: {line}") };
        assert_eq!(topic, k.to_string());
        assert_eq!(weight.parse(), Ok(model.alpha * model.psi[k]));
        let mut expected: Vec<(u32, u32)> =
            n.range((k as u16, 0)..=(k as u16, u32::MAX)).map(|(&(_, v), &count)| (v, count)).collect();
        expected.sort_by_key(|&(v, count)| (std::cmp::Reverse(count), v));
        let expected = expected.iter().take(20).map(|&(v, _)| model.vocab[v as usize].as_str());
        assert_eq!(words, expected.collect::<Vec<_>>().join(" "));
    }
}
