//! The run card: what run.json says, in words for a reader.

use serde_json::Value;

use crate::run::record::shell_line;

/// Flags of a run that one which went on after a stop may have changed, and their settings.
const CHANGED: [(&str, &str); 3] =
    [("--iterations", "iterations"), ("--samples", "samples"), ("--thin", "thin")];

/// The command line that repeats a run, quoted for a shell.
pub(super) fn command(info: &Value) -> String {
    let words = info["command"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let mut words: Vec<String> = words.map(str::to_owned).collect();
    if info["resumed"].as_array().is_some_and(|times| !times.is_empty()) {
        for (flag, setting) in CHANGED {
            replace(&mut words, flag, &text(&info["settings"][setting]));
        }
        if info["settings"]["chains"].as_u64().is_some_and(|chains| chains > 1) {
            for (flag, setting) in [("--chains", "chains"), ("--until", "until")] {
                replace(&mut words, flag, &text(&info["settings"][setting]));
            }
        }
    }
    if let Some(program) = words.first_mut() {
        *program = env!("CARGO_PKG_NAME").to_owned();
    }
    shell_line(&words)
}

/// Gives `flag` the value `value`.
fn replace(words: &mut Vec<String>, flag: &str, value: &str) {
    if let Some(at) = words.iter().position(|word| word == flag).filter(|at| at + 1 < words.len()) {
        value.clone_into(&mut words[at + 1]);
    } else if let Some(word) = words.iter_mut().find(|word| word.starts_with(&format!("{flag}="))) {
        *word = format!("{flag}={value}");
    } else {
        words.extend([flag, value].map(str::to_owned));
    }
}

/// What a run was made of, as names and values.
pub(super) fn card(info: &Value) -> Vec<(&'static str, String)> {
    let (settings, corpus) = (&info["settings"], &info["corpus"]);
    let mut card = vec![
        (
            "Corpus",
            format!(
                "{} ({}): {} documents, {} tokens, {} words",
                text(&corpus["source"]),
                text(&corpus["format"]),
                grouped(&corpus["documents"]),
                grouped(&corpus["tokens"]),
                grouped(&corpus["words"])
            ),
        ),
        ("Left out", dropped(&corpus["preparation"]["dropped"])),
        ("Sampler", sampler(settings)),
        (
            "Priors",
            format!(
                "α {}, β {}, γ {}",
                concentration(info, "alpha"),
                concentration(info, "beta"),
                concentration(info, "gamma")
            ),
        ),
        ("Topics", format!("K* {}, start {}, Ψ {}", k_star(info), text(&settings["init"]), psi(settings))),
        ("Seed", text(&settings["seed"])),
        ("Chains", chains(info)),
        (
            "Iterations",
            format!(
                "{} of {}{}, {}",
                grouped(&info["iterations_done"]),
                if settings["until"] == "settled" { "at most " } else { "" },
                grouped(&settings["iterations"]),
                text(&info["status"])
            ),
        ),
        (
            "Time",
            format!("{:.1} s on {}", info["wall_seconds"].as_f64().unwrap_or(0.0), text(&info["device"])),
        ),
        ("Version", format!("{} {}", text(&info["program"]), text(&info["version"]))),
    ];
    let score = &info["holdout"]["completion"];
    if let Some(per_word) = score["per_word"].as_f64() {
        let error =
            score["standard_error"].as_f64().map_or_else(String::new, |error| format!(" ± {error:.4}"));
        let documents = text(&info["holdout"]["documents"]);
        card.push(("Held out", format!("{per_word:.4}{error} nats a word, {documents} documents")));
    }
    card.retain(|(_, value)| !value.is_empty());
    card
}

/// What a further chain of a run has of its own.
pub(super) fn of_chain(info: &Value) -> Vec<(&'static str, String)> {
    let mut card = card(info);
    let is_learned =
        info["settings"]["learn"].as_object().is_some_and(|learn| learn.values().any(Value::is_object));
    card.retain(|(name, _)| match *name {
        "Priors" => is_learned,
        name => ["Seed", "Iterations", "Time", "Held out"].contains(&name),
    });
    card
}

/// A concentration, and where it has come to if it is learned.
fn concentration(info: &Value, name: &str) -> String {
    let settings = &info["settings"];
    let prior = &settings["learn"][name];
    if prior.is_object() {
        let last = info["concentrations"][name].as_f64().unwrap_or(f64::NAN);
        format!("learned, {last:.4} at the end (prior Gamma({}, {}))", prior["shape"], prior["rate"])
    } else {
        format!("= {}", text(&settings[name]))
    }
}

/// K*, and where it has come to if it grows.
fn k_star(info: &Value) -> String {
    let (first, last) = (&info["settings"]["max_topics"], &info["max_topics"]);
    if info["settings"]["grow"] == true { format!("from {first} to {last}") } else { format!("= {first}") }
}

/// The chains, if there are several, and the seeds of the others.
fn chains(info: &Value) -> String {
    let (count, seed) = (&info["settings"]["chains"], &info["settings"]["seed"]);
    match (count.as_u64(), seed.as_u64()) {
        (Some(count), Some(seed)) if count > 1 => {
            format!("{count}, with seeds {seed} to {}", seed.saturating_add(count - 1))
        }
        _ => String::new(),
    }
}

/// The law of Ψ.
fn psi(settings: &Value) -> String {
    match settings["discount"].as_f64() {
        Some(discount) if discount > 0.0 => format!("{}, discount {discount}", text(&settings["psi"])),
        _ => text(&settings["psi"]),
    }
}

/// A value without quotes.
fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A whole number in groups of three digits.
fn grouped(value: &Value) -> String {
    let digits = text(value);
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|group| std::str::from_utf8(group).unwrap_or_default())
        .collect();
    if digits.bytes().all(|byte| byte.is_ascii_digit()) { groups.join("\u{202f}") } else { digits }
}

fn sampler(settings: &Value) -> String {
    match (settings["sampler"].as_str(), settings["phi"].as_str()) {
        (Some("direct"), _) => "direct assignment".to_owned(),
        (_, Some("dirichlet")) => "sparse parallel, exact Φ".to_owned(),
        _ => "sparse parallel, Poisson Pólya urn".to_owned(),
    }
}

/// What preparation left out, in one line.
fn dropped(dropped: &Value) -> String {
    let kinds = [
        ("stop_words", "stop words"),
        ("short_words", "short words"),
        ("rare_words", "rare words"),
        ("common_words", "common words"),
    ];
    let mut parts: Vec<String> = kinds
        .iter()
        .filter(|(key, _)| dropped[key]["words"].as_u64().unwrap_or(0) > 0)
        .map(|(key, what)| {
            format!(
                "{} {what} ({} tokens)",
                grouped(&dropped[key]["words"]),
                grouped(&dropped[key]["tokens"])
            )
        })
        .collect();
    let documents = dropped["documents"].as_array().map_or(0, Vec::len);
    if documents > 0 {
        parts.push(format!("{documents} documents that were too short"));
    }
    parts.join(", ")
}
