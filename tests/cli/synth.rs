//! `synth`: a corpus that `train` reads, with a truth that is of that corpus.

use std::collections::BTreeMap;
use std::path::Path;

use predicates::str::{contains, starts_with};

use super::{Folder, hdp_gpu, names, read, read_state, train};

const FILES: [&str; 4] = ["docword.synth.txt", "true-state.gz", "truth.safetensors", "vocab.synth.txt"];

fn synth(out: &Path, flags: &str) -> assert_cmd::assert::Assert {
    hdp_gpu().arg("synth").arg("--out").arg(out).args(flags.split_whitespace()).assert()
}

#[test]
fn the_truth_is_of_the_corpus() {
    let folder = Folder::new();
    let out = folder.path("corpus");
    synth(&out, "--docs 60 --doc-length 40 --vocab-size 150").success().stderr("");
    assert_eq!(names(&out), FILES);
    let docword = read(out.join(FILES[0]));
    let mut lines = docword.lines();
    let header: Vec<usize> = lines.by_ref().take(3).map(|line| line.parse().expect("a number")).collect();
    let listed: BTreeMap<(usize, u32), usize> = lines
        .map(|line| {
            let entry: Vec<usize> = line.split(' ').map(|field| field.parse().expect("a number")).collect();
            ((entry[0] - 1, entry[1] as u32 - 1), entry[2])
        })
        .collect();
    assert_eq!(header, [60, 150, listed.len()]);

    let vocab = read(out.join(FILES[3]));
    let vocab: Vec<&str> = vocab.lines().collect();
    assert_eq!(vocab.len(), 150);
    let mut drawn: BTreeMap<(usize, u32), usize> = BTreeMap::new();
    for token in read_state(out.join(FILES[1])).1 {
        assert_eq!(token.word, vocab[token.typeindex as usize]);
        *drawn.entry((token.doc, token.typeindex)).or_default() += 1;
    }
    assert_eq!(listed, drawn);
}

#[test]
fn train_reads_it() {
    let folder = Folder::new();
    let out = folder.path("corpus");
    synth(&out, "--docs 60 --doc-length 40 --vocab-size 20 --beta 1").success();
    let run = folder.path("run");
    train(out.join(FILES[0]), &run, "--iterations 3").assert().success().stderr(contains("60 documents, "));
    // The true z is of the same tokens, row by row.
    let [read, drawn] = [run.join("state.gz"), out.join(FILES[1])].map(|state| read_state(state).1);
    let place = |token: &super::Token| (token.doc, token.pos, token.typeindex);
    assert_eq!(read.iter().map(place).collect::<Vec<_>>(), drawn.iter().map(place).collect::<Vec<_>>());
}

#[test]
fn the_same_seed_gives_the_same_corpus() {
    let folder = Folder::new();
    let outs = ["one", "two", "three"].map(|name| folder.path(name));
    for (out, seed) in outs.iter().zip([5, 5, 6]) {
        synth(out, &format!("--docs 20 --doc-length 30 --seed {seed}")).success();
    }
    let read = |out: &Path, name| std::fs::read(out.join(name)).expect("a file");
    for name in FILES {
        assert!(read(&outs[0], name) == read(&outs[1], name), "{name} differs");
    }
    assert!(read(&outs[0], FILES[0]) != read(&outs[2], FILES[0]));
}

#[test]
fn an_existing_folder_is_left_as_it_is() {
    let folder = Folder::new();
    let out = folder.path("corpus");
    std::fs::create_dir(&out).expect("a folder");
    folder.write("corpus/docword.synth.txt", "mine");
    synth(&out, "--docs 2").code(2).stderr(starts_with("error: --out: "));
    assert_eq!(names(&out), ["docword.synth.txt"]);
    assert_eq!(read(out.join("docword.synth.txt")), "mine");
    synth(&out, "--docs 2 --force").success();
    assert_eq!(names(&out), FILES);
}
