//! `train --chains` and `--until settled`: several chains of one model, each the run that its seed alone would have made.

use std::fs;
use std::path::{Path, PathBuf};

use predicates::prelude::*;
use serde_json::Value;

use super::determinism::{results, results_in};
use super::live::{Live, wait_for};
use super::report::data;
use super::{Folder, RUN_FILES, csv_rows, hdp_gpu, names, read, train, trained};

/// Documents of two kinds, with no word in common.
fn two_kinds(folder: &Folder) -> PathBuf {
    let words = |d: u32| (1..=20).filter(move |v| (*v <= 10) == d.is_multiple_of(2));
    let rows = (1..=40).flat_map(|d| words(d).map(move |v| (d, v, 1 + (d * 7 + v * 13) % 5)));
    let rows: Vec<String> = rows.map(|(d, v, count)| format!("{d} {v} {count}\n")).collect();
    folder.write("two-kinds", format!("40\n20\n{}\n{}", rows.len(), rows.concat()))
}

/// Flags with which chains on it soon come to the same, in some hundred iterations.
const EASY: &str = "--vocab none --gamma 1 --trace-every 1 --alpha 1 --beta 0.5 --max-topics 20 --init-topics 2 --phi dirichlet";

/// As long as that takes.
const SETTLED: &str = "--until settled --iterations 4000";

/// Flags with which they do not.
const HARD: &str = "--vocab none --trace-every 1 --iterations 90 --init-topics 5";

fn chain(run: &Path, number: u32) -> PathBuf {
    if number == 1 { run.to_owned() } else { run.join(format!("chains/{number}")) }
}

fn info(run: &Path) -> Value {
    serde_json::from_str(&read(run.join("run.json"))).expect("JSON")
}

fn assert_same(found: &Path, expected: &[(&'static str, Vec<u8>)]) {
    for ((name, expected), (_, found_bytes)) in expected.iter().zip(&results_in(found)) {
        assert!(expected == found_bytes, "{name} of {} differs", found.display());
    }
}

/// All results of all chains.
fn all_results(run: &Path, chains: u32) -> Vec<Vec<(&'static str, Vec<u8>)>> {
    (1..=chains).map(|number| results_in(&chain(run, number))).collect()
}

/// The tokens that a run has held out.
fn held_out_tokens(run: &Path) -> u32 {
    info(run)["holdout"]["tokens"].as_u64().expect("a number") as u32
}

#[test]
fn each_is_the_run_of_its_seed() {
    let flags = "--iterations 20 --trace-every 1 --init-topics 10 --samples 3 --thin 2 --holdout 0.1";
    let folder = Folder::new();
    let run = folder.path("run");
    let output = train("sample", &run, &format!("{flags} --seed 7 --chains 3")).assert().success();
    let [said, progress] = [&output.get_output().stdout, &output.get_output().stderr]
        .map(|text| String::from_utf8_lossy(text).into_owned());
    // What is seen on the way is what is said at the end, held-out tokens left out of both.
    let last = csv_rows(run.join("trace.csv")).pop().expect("rows");
    let per_token = last[1].parse::<f64>().expect("a number") / f64::from(153_215 - held_out_tokens(&run));
    assert!(progress.contains(&format!("log-likelihood {per_token:.4} per token")), "{progress}");
    assert!(said.contains(&format!(" {per_token:.4} ")), "{said}");
    assert_eq!(names(&run.join("chains")), ["2", "3"]);
    let mut scores = Vec::new();
    for number in 1..=3 {
        let alone = trained("sample", &format!("{flags} --seed {}", 6 + number));
        let path = chain(&run, number);
        assert_same(&path, &results(&alone));
        let (chain, alone) = (info(&path), info(alone.0.path()));
        assert_eq!(chain["status"], "finished");
        assert_eq!(chain["holdout"], alone["holdout"]);
        scores.push(chain["holdout"]["completion"]["per_word"].as_f64().expect("a score"));
        hdp_gpu().arg("topics").arg(&path).assert().success();
    }
    assert!(RUN_FILES.iter().all(|name| chain(&run, 3).join(name).exists()));
    let chains = &info(&run)["chains"];
    let mean = chains["completion_mean"].as_f64().expect("a mean");
    assert!((mean - scores.iter().sum::<f64>() / 3.0).abs() < 1e-12);
    let sentence = chains["sentence"].as_str().expect("a sentence");
    assert!(said.contains(sentence) && said.contains(&format!("mean of 3 chains: {mean:.4}")), "{said}");

    // The report has all of them, and is the same when it is made again.
    let page = read(run.join("report.html"));
    let shown = data(&page);
    assert_eq!(shown["runs"].as_array().map(Vec::len), Some(3));
    assert_eq!(shown["runs"][2]["name"], "run, chain 3");
    assert_eq!(shown["settled"][0], sentence);
    assert_eq!(shown["diagnostics"][0]["rhat"], chains["traces"][0]["r_hat"]);
    hdp_gpu().arg("report").arg(&run).assert().success();
    assert!(read(run.join("report.html")) == page, "another page");
}

#[test]
fn they_stop_when_they_have_settled_on_any_number_of_threads() {
    let folder = Folder::new();
    let corpus = two_kinds(&folder);
    let runs = [("1", 1), ("2", 2)].map(|(name, threads)| {
        let run = folder.path(name);
        let flags = format!("{EASY} {SETTLED} --threads {threads}");
        let said = train(&corpus, &run, &flags).assert().success();
        let said = String::from_utf8_lossy(&said.get_output().stdout).into_owned();
        assert!(said.contains("The 4 chains agree since iteration "), "{said}");
        run
    });
    let chains = info(&runs[0])["chains"].clone();
    assert_eq!(chains["settled"], true);
    let end = chains["iteration"].as_u64().expect("an iteration");
    assert!(end < 4000, "the cap: {end}");
    let r_hat = chains["traces"][0]["r_hat"].as_f64().expect("R-hat");
    assert!((0.9..=1.05).contains(&r_hat), "{r_hat}");
    assert_eq!(chains["traces"], info(&runs[1])["chains"]["traces"]);
    assert_eq!(all_results(&runs[0], 4), all_results(&runs[1], 4));
    assert!(!chain(&runs[0], 5).exists());
    for number in 1..=4 {
        let path = chain(&runs[0], number);
        assert_same(
            &path,
            &results(&trained(&corpus, &format!("{EASY} --iterations {end} --seed {number}"))),
        );
        assert_eq!(info(&path)["iterations_done"], end);
    }

    // It has settled, whatever the cap; but it can be made to go on.
    let before = all_results(&runs[0], 4);
    let again = |flags: &str| train(&corpus, &runs[0], &format!("{EASY} --quiet --resume {flags}")).assert();
    again("--iterations 2500").success();
    assert_eq!(before, all_results(&runs[0], 4));
    again("--chains 3").code(2).stderr(predicate::str::contains("--chains: 3 are asked for, and the run in"));
    again(&format!("--until iterations --iterations {}", end + 5)).success();
    let longer = trained(&corpus, &format!("{EASY} --iterations {} --seed 3", end + 5));
    assert_same(&chain(&runs[0], 3), &results(&longer));
}

#[test]
fn samples_come_after_they_have_settled() {
    let folder = Folder::new();
    let corpus = two_kinds(&folder);
    let run = folder.path("run");
    let flags = format!("{EASY} --samples 3 --thin 2 --quiet");
    train(&corpus, &run, &format!("{flags} {SETTLED} --chains 3")).assert().success();
    let chains = info(&run)["chains"].clone();
    let end = chains["iteration"].as_u64().expect("an iteration") + 6;
    for number in 1..=3 {
        let alone =
            trained(&corpus, &format!("{EASY} --samples 3 --thin 2 --iterations {end} --seed {number}"));
        assert_same(&chain(&run, number), &results(&alone));
    }
    // What is written again has the samples.
    let before = all_results(&run, 3);
    train(&corpus, &run, &format!("{flags} --resume")).assert().success();
    assert_eq!(before, all_results(&run, 3));
}

#[test]
fn what_does_not_settle_ends_at_the_cap() {
    let folder = Folder::new();
    let corpus = two_kinds(&folder);
    let run = folder.path("run");
    let said = train(&corpus, &run, &format!("{HARD} --until settled")).assert().success();
    let said = String::from_utf8_lossy(&said.get_output().stdout).into_owned();
    let sentence = "By iteration 90, with none left, the 4 chains have not settled: the ";
    assert!(said.contains(sentence) && said.contains("R-hat"), "{said}");
    let info = info(&run);
    assert_eq!((&info["chains"]["settled"], &info["iterations_done"]), (&false.into(), &90.into()));
    for number in 1..=4 {
        assert_same(&chain(&run, number), &results(&trained(&corpus, &format!("{HARD} --seed {number}"))));
    }
}

/// The checkpoints of a chain.
fn checkpoints(run: &Path, number: u32) -> Vec<String> {
    let folder = chain(run, number).join("checkpoint");
    if folder.exists() { names(&folder) } else { Vec::new() }
}

/// Kills a run so often, each time when it has come to something else, and has it go on to its end; how often it was killed.
fn killed_and_resumed(corpus: &Path, run: &Path, flags: &str) -> u32 {
    const KILLS: u32 = 8;
    let mut killed = 0;
    for sitting in 0.. {
        let threads = 1 + sitting % 2;
        let flags = format!("{flags} --quiet --resume --checkpoint-every 1 --threads {threads}");
        let before = [1, 2].map(|number| checkpoints(run, number));
        let mut live = Live::train(corpus, run, &flags);
        if sitting == KILLS {
            assert_eq!(live.exit_code(), Some(0), "{}", live.stderr());
            return killed;
        }
        wait_for("the moment to kill it", || {
            let is_moment = match sitting % 4 {
                0 => run.exists(),
                1 => chain(run, 2).exists(),
                2 => checkpoints(run, 1) != before[0],
                _ => checkpoints(run, 2) != before[1],
            };
            (is_moment || live.ended().is_some()).then_some(())
        });
        killed += u32::from(live.ended().is_none());
        live.kill();
    }
    unreachable!("it ends")
}

#[test]
fn killed_at_any_moment_they_go_on() {
    let folder = Folder::new();
    let corpus = two_kinds(&folder);
    for (name, flags) in [
        ("settled", format!("{EASY} {SETTLED} --samples 3 --thin 2")),
        ("counted", format!("{EASY} --chains 4 --iterations 300 --holdout 0.2")),
    ] {
        let [undisturbed, run] = ["undisturbed", "killed"].map(|run| folder.path(format!("{name}-{run}")));
        train(&corpus, &undisturbed, &format!("{flags} --quiet")).assert().success();
        let kills = killed_and_resumed(&corpus, &run, &flags);
        assert!(kills > 1, "killed {kills} times");
        assert_eq!(all_results(&undisturbed, 4), all_results(&run, 4), "{name}");
        let verdict = |run: &Path| {
            let chains = info(run)["chains"].clone();
            ["settled", "iteration", "since", "traces", "sentence", "completion_mean"]
                .map(|key| chains[key].clone())
        };
        assert_eq!(verdict(&undisturbed), verdict(&run));
    }
}

#[cfg(unix)]
#[test]
fn interrupted_they_leave_results_and_go_on() {
    let folder = Folder::new();
    // Long enough that no machine is too busy to stop it on its way.
    for flags in ["--chains 3 --iterations 250", "--until settled --chains 3 --iterations 250"] {
        let flags = format!("{flags} --trace-every 1 --init-topics 10");
        let run = folder.path(flags.replace(' ', ""));
        let mut live = Live::train("sample", &run, &format!("{flags} --grace 1h"));
        let second = chain(&run, 2).join("trace.csv");
        wait_for("rows of the second chain", || {
            (fs::read_to_string(&second).unwrap_or_default().lines().count() > 5).then_some(())
        });
        live.signal("-TERM");
        assert_eq!(live.exit_code(), Some(130), "{}", live.stderr());
        let said = live.stderr();
        assert!(said.contains(" of chain 2 of 3; go on with: "), "{said}");
        assert_eq!(info(&run)["status"], "interrupted");
        assert_eq!(info(&chain(&run, 2))["status"], "interrupted");
        hdp_gpu().arg("topics").arg(chain(&run, 2)).assert().success();
        assert!(data(&read(run.join("report.html")))["runs"].as_array().is_some_and(|runs| runs.len() >= 2));
        train("sample", &run, "--resume --quiet").assert().success();
        let alone = trained("sample", "--iterations 250 --trace-every 1 --init-topics 10 --seed 2");
        assert_same(&chain(&run, 2), &results(&alone));
        assert_eq!(info(&run)["status"], "finished");
        assert_eq!(csv_rows(chain(&run, 3).join("trace.csv")).len(), 252);
    }
}

#[test]
fn force_replaces_all_and_nothing_else() {
    let folder = Folder::new();
    let corpus = two_kinds(&folder);
    let run = folder.path("run");
    let train =
        |flags: &str| train(&corpus, &run, &format!("--vocab none --quiet --iterations 3 {flags}")).assert();
    train("--chains 4").success();
    train("--chains 2").code(2).stderr(predicate::str::contains("exists and is left as it is"));
    fs::write(run.join("chains/2/letter.txt"), "Dear").expect("a file");
    train("--chains 2 --force --seed 9").success();
    assert_eq!(names(&run.join("chains")), ["2"]);
    assert_eq!(info(&chain(&run, 2))["settings"]["seed"], 10);
    assert!(run.join("chains/2/letter.txt").exists());
    train("--force").success();
    assert_eq!(names(&run.join("chains/2")), ["letter.txt"]);
    fs::remove_file(run.join("chains/2/letter.txt")).expect("a file");
    train("--force").success();
    assert!(!run.join("chains").exists());
    // A run of one chain gets more.
    train("--resume --chains 2").success();
    let alone = trained(&corpus, "--vocab none --iterations 3 --seed 2");
    assert_same(&chain(&run, 2), &results(&alone));
}

/// The iterations that each chain has done.
fn iterations_done(run: &Path, chains: u32) -> Vec<u64> {
    let done = (1..=chains).map(|number| info(&chain(run, number))["iterations_done"].as_u64());
    done.map(|done| done.expect("a number")).collect()
}

/// Chains that are added, or that have been trained farther than the others, leave nothing that cannot be gone on with.
#[test]
fn all_go_as_far_as_the_farthest() {
    let folder = Folder::new();
    let corpus = two_kinds(&folder);
    let flags = format!("{EASY} --samples 40 --thin 5");
    let more = folder.path("more");
    train(&corpus, &more, &format!("{flags} {SETTLED} --chains 2 --quiet")).assert().success();
    train(&corpus, &more, "--vocab none --quiet --resume --chains 4").assert().success();
    let farther = folder.path("farther");
    train(&corpus, &farther, &format!("{flags} --chains 3 --iterations 1500 --quiet")).assert().success();
    train(&corpus, &farther, "--vocab none --quiet --resume --chains 4 --until settled").assert().success();
    for run in [&more, &farther] {
        let done = iterations_done(run, 4);
        assert!(done.iter().all(|iterations| *iterations == done[0]), "{done:?}");
        let before = all_results(run, 4);
        let again = train(&corpus, run, "--vocab none --resume").assert().success();
        again.stderr(predicate::str::contains("cannot be used").not());
        assert_eq!(before, all_results(run, 4));
        for number in [1, 4] {
            let alone = trained(&corpus, &format!("{flags} --iterations {} --seed {number}", done[0]));
            assert_same(&chain(run, number), &results(&alone));
            let theta = |run: &Path| fs::read(run.join("theta.npz")).expect("a result");
            assert!(theta(&chain(run, number)) == theta(alone.0.path()), "θ of chain {number}");
        }
    }
    assert_eq!(iterations_done(&farther, 1), [1500]);
}

/// Where chains stop depends on their looks, and not on where they were stopped before.
#[test]
fn they_settle_at_looks_only() {
    let folder = Folder::new();
    let corpus = two_kinds(&folder);
    let [undisturbed, stopped] = ["undisturbed", "stopped"].map(|name| folder.path(name));
    let flags = format!("{EASY} --quiet --until settled --chains 3");
    train(&corpus, &undisturbed, &format!("{flags} --iterations 4000")).assert().success();
    let end = iterations_done(&undisturbed, 1)[0];
    train(&corpus, &stopped, &format!("{flags} --iterations {}", end - 1)).assert().success();
    train(&corpus, &stopped, "--vocab none --quiet --resume --iterations 4000").assert().success();
    assert_eq!(iterations_done(&stopped, 3), [end; 3]);
    assert_eq!(all_results(&undisturbed, 3), all_results(&stopped, 3));
}

/// A chain whose last checkpoint is damaged begins again, and the samples of the others are not lost.
#[test]
fn a_damaged_chain_does_not_harm_the_others() {
    let folder = Folder::new();
    let corpus = two_kinds(&folder);
    let run = folder.path("run");
    let flags = format!("{EASY} {SETTLED} --samples 7 --thin 5 --quiet --chains 3");
    train(&corpus, &run, &flags).assert().success();
    let before = all_results(&run, 3);
    let checkpoints = chain(&run, 3).join("checkpoint");
    let newest = names(&checkpoints).into_iter().filter(|name| name.ends_with(".checkpoint"));
    let number =
        |name: &String| name.trim_start_matches("iteration-").trim_end_matches(".checkpoint").parse::<u32>();
    let newest = newest.max_by_key(|name| number(name).expect("a number")).expect("a checkpoint");
    fs::write(checkpoints.join(newest), "damaged").expect("a file");
    let resumed = train(&corpus, &run, "--vocab none --resume").assert().success();
    resumed.stderr(predicate::str::contains("cannot be used"));
    assert_eq!(before, all_results(&run, 3));
    train(&corpus, &run, "--vocab none --resume --quiet").assert().success();
    assert_eq!(before, all_results(&run, 3));
}

/// What is wrong with a further chain is found before anything is trained or removed.
#[test]
fn all_chains_are_looked_at_first() {
    let folder = Folder::new();
    let corpus = two_kinds(&folder);
    let run = folder.path("run");
    let train = |flags: &str| train(&corpus, &run, &format!("--vocab none --quiet {flags}")).assert();
    train("--iterations 3 --chains 2").success();
    // Another process trains one of them.
    let flags = "--vocab none --resume --iterations 100000000 --checkpoint-every 1";
    let mut live = Live::train(&corpus, &chain(&run, 2), flags);
    let checkpoints = chain(&run, 2).join("checkpoint");
    wait_for("checkpoints of the other process", || {
        (!names(&checkpoints).contains(&"iteration-3.checkpoint".to_owned())).then_some(())
    });
    train("--force").code(2).stderr(predicate::str::contains("another process is training in"));
    train("--resume --iterations 5")
        .code(2)
        .stderr(predicate::str::contains("another process is training in"));
    live.kill();
    train("--resume --iterations 4").code(2).stderr(predicate::str::contains("and the run in"));
    assert_eq!(iterations_done(&run, 1), [3]);
    // It has results and nothing to go on from.
    let second = chain(&run, 2);
    fs::remove_dir_all(&second).expect("a folder");
    train("--resume").success();
    fs::remove_dir_all(second.join("checkpoint")).expect("a folder");
    let refused = train("--resume --iterations 5").code(2);
    refused.stderr(predicate::str::contains("remove this folder to train the chain again"));
    assert_eq!(iterations_done(&run, 1), [3]);
    // Somebody else's files, and a model that would be gone.
    fs::remove_dir_all(&second).expect("a folder");
    fs::create_dir_all(&second).expect("a folder");
    fs::write(second.join("topics.csv"), "mine").expect("a file");
    train("--force --chains 2").code(2).stderr(predicate::str::contains("has files and no run.json"));
    assert_eq!(read(second.join("topics.csv")), "mine");
    fs::remove_dir_all(&second).expect("a folder");
    let start = format!("--force --chains 2 --init run:{}", run.display());
    train(&start).code(2).stderr(predicate::str::contains("replaced before all chains have started"));
    train("--resume --iterations 4").success();
}

/// A run that is killed before its first checkpoint may have further chains already, with or without one.
#[test]
fn without_a_checkpoint_of_the_first_they_begin_again() {
    let folder = Folder::new();
    let corpus = two_kinds(&folder);
    for (name, flags) in
        [("settled", format!("{EASY} {SETTLED}")), ("counted", format!("{EASY} --iterations 60"))]
    {
        let run = folder.path(name);
        let train =
            |flags: &str| train(&corpus, &run, &format!("{flags} --chains 2 --quiet")).assert().success();
        train(&flags);
        let before = all_results(&run, 2);
        for (first, second) in [(true, true), (true, false), (false, true)] {
            for (number, _) in [(1, first), (2, second)].into_iter().filter(|&(_, is_cut)| is_cut) {
                let path = chain(&run, number);
                fs::remove_dir_all(path.join("checkpoint")).expect("a folder");
                let mut info = info(&path);
                info["status"] = "running".into();
                fs::write(path.join("run.json"), info.to_string()).expect("a file");
            }
            train(&format!("{flags} --resume"));
            assert_eq!(before, all_results(&run, 2), "{name}: {first} {second}");
        }
    }
}

#[test]
fn nonsense_is_refused() {
    let folder = Folder::new();
    let run = folder.path("run");
    for (flags, said) in [
        ("--chains 0", "invalid value '0' for '--chains <N>'"),
        ("--chains 1001", "invalid value '1001' for '--chains <N>'"),
        ("--until never", "--until"),
        ("--until settled --chains 1", "--chains: one chain has no other to agree with"),
        (
            "--chains 2 --seed 18446744073709551615",
            "--chains: there are no 2 seeds from 18446744073709551615 on",
        ),
        (
            "--until settled --iterations 399",
            "--until: chains with a row every 10 iterations are first looked at after iteration 400",
        ),
    ] {
        train("sample", &run, flags).assert().code(2).stderr(predicate::str::contains(said));
        assert!(!run.exists());
    }
}

/// Nobody's files are read or written by way of a link.
#[cfg(unix)]
#[test]
fn a_chain_that_lies_elsewhere_is_refused() {
    let run = trained("sample", "--iterations 1");
    let other = Folder::new();
    std::os::unix::fs::symlink(other.0.path(), run.path("chains")).expect("a link");
    for flags in ["--resume --chains 2", "--force --chains 2"] {
        let refused = train("sample", run.0.path(), &format!("{flags} --iterations 1")).assert().code(2);
        refused.stderr(predicate::str::contains("chains is not a folder of its own"));
    }
    assert!(names(other.0.path()).is_empty());
}
