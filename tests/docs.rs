//! The documentation holds: links lead somewhere, pages are as long as they may be, and the guide's commands work.
//!
//! The fenced blocks of a page in docs/guide, by the words after the fence:
//! - `sh`: commands of hdp-gpu, a line each, which are run. Each must succeed;
//! - a language and `file=NAME`: a file that the page's commands find;
//! - all others (`console`, `text`, `python`, …) are shown only.
//!
//! A file of docs/guide/data that a page links to is beside its commands.
//!
//! The blocks of a page are done in order, in a folder of the page's own.

use std::collections::HashMap;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

#[cfg(unix)]
use rayon::prelude::*;
use regex::Regex;

/// A page of Markdown.
struct Page {
    /// From the top of the project.
    path: PathBuf,
    lines: Vec<String>,
}

/// A fenced block: the words after the fence, the number of its first line, and its lines.
#[cfg(unix)]
struct Block<'a> {
    info: &'a str,
    first_line: usize,
    lines: &'a [String],
}

impl Page {
    fn read(path: PathBuf) -> Self {
        let text = fs::read_to_string(root().join(&path))
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self { path, lines: text.lines().map(str::to_owned).collect() }
    }

    #[cfg(unix)]
    fn blocks(&self) -> Vec<Block<'_>> {
        let fences: Vec<usize> =
            (0..self.lines.len()).filter(|&i| self.lines[i].starts_with("```")).collect();
        assert_eq!(fences.len() % 2, 0, "{}: a block without an end", self.path.display());
        fences
            .chunks(2)
            .map(|ends| Block {
                info: self.lines[ends[0]].trim_start_matches('`').trim(),
                first_line: ends[0] + 2,
                lines: &self.lines[ends[0] + 1..ends[1]],
            })
            .collect()
    }

    /// Lines that are in no block, with their numbers.
    fn prose(&self) -> impl Iterator<Item = (usize, &str)> {
        let mut inside = false;
        (1..).zip(&self.lines).filter_map(move |(number, line)| {
            let fence = line.starts_with("```");
            inside ^= fence;
            (!inside && !fence).then_some((number, line.as_str()))
        })
    }

    /// The names by which links find the headings, as GitHub and mdBook make them.
    fn anchors(&self) -> Vec<String> {
        let mut seen = HashMap::new();
        let headings = self.prose().filter(|(_, line)| line.starts_with('#'));
        headings
            .map(|(_, line)| {
                let slug = slug(line.trim_start_matches('#').trim());
                let before = seen.entry(slug.clone()).and_modify(|n| *n += 1).or_insert(0);
                if *before == 0 { slug } else { format!("{slug}-{before}") }
            })
            .collect()
    }

    /// Links to places in the project, with the numbers of their lines.
    fn links(&self) -> Vec<(usize, String)> {
        let code = Regex::new("`[^`]*`").expect("a pattern");
        let link = Regex::new(r"\]\(([^)\s]+)\)").expect("a pattern");
        let mut links = Vec::new();
        for (number, line) in self.prose() {
            let plain = code.replace_all(line, "");
            links.extend(link.captures_iter(&plain).map(|found| (number, found[1].to_owned())));
        }
        links.retain(|(_, target)| !target.contains("://"));
        links
    }

    /// What is wrong with a link to `target`.
    fn broken(&self, target: &str) -> Option<String> {
        let (file, anchor) = target.split_once('#').map_or((target, None), |(file, a)| (file, Some(a)));
        let path = match file {
            "" => self.path.clone(),
            _ => normal(&self.path.parent().expect("a folder").join(file)),
        };
        if !root().join(&path).exists() {
            return Some(format!("there is no {}", path.display()));
        }
        if self.path.starts_with("docs/guide") && !path.starts_with("docs/guide") {
            return Some("it leads out of the guide, where the site has no page".to_owned());
        }
        let anchor = anchor?;
        let found = Self::read(path).anchors().iter().any(|slug| slug == anchor);
        (!found).then(|| format!("there is no heading #{anchor}"))
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// `path` without `..`.
fn normal(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut path, part| {
        match part {
            Component::ParentDir => assert!(path.pop(), "{} leads out of the project", path.display()),
            part => path.push(part),
        }
        path
    })
}

fn slug(heading: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    heading.to_lowercase().chars().filter(kept).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The Markdown files of `folder` and of the folders in it.
fn pages_of(folder: &str) -> Vec<Page> {
    let mut entries: Vec<PathBuf> = fs::read_dir(root().join(folder))
        .expect("a folder")
        .map(|entry| Path::new(folder).join(entry.expect("an entry").file_name()))
        .collect();
    entries.sort();
    let mut pages = Vec::new();
    for path in entries {
        if root().join(&path).is_dir() {
            pages.extend(pages_of(path.to_str().expect("a name in UTF-8")));
        } else if path.extension().is_some_and(|extension| extension == "md") {
            pages.push(Page::read(path));
        }
    }
    pages
}

#[test]
fn every_link_leads_to_a_file_and_a_heading() {
    let top = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md"].map(|name| Page::read(name.into()));
    let pages = top.into_iter().chain(pages_of("docs"));
    let mut wrong = Vec::new();
    for page in pages {
        for (line, target) in page.links() {
            let problem = page.broken(&target);
            wrong.extend(
                problem.map(|problem| format!("{}:{line}: {target}: {problem}", page.path.display())),
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_summary_has_every_page_of_the_guide() {
    let pages = pages_of("docs/guide");
    let (summary, pages): (Vec<_>, Vec<_>) = pages.iter().partition(|page| page.path.ends_with("SUMMARY.md"));
    let linked: Vec<PathBuf> =
        summary[0].links().iter().map(|(_, target)| Path::new("docs/guide").join(target)).collect();
    for page in pages {
        assert!(linked.contains(&page.path), "SUMMARY.md lacks {}", page.path.display());
    }
}

#[test]
fn the_readme_and_the_architecture_stay_short() {
    for (name, most) in [("README.md", 150), ("docs/ARCHITECTURE.md", 250)] {
        let lines = Page::read(name.into()).lines.len();
        assert!(lines <= most, "{name} has {lines} lines, of at most {most}");
    }
}

/// The program under test, as tests/cli has it.
fn program() -> PathBuf {
    std::env::var_os("HDP_GPU_PROGRAM").map_or(assert_cmd::cargo::cargo_bin!("hdp-gpu").into(), PathBuf::from)
}

/// Flags that the pages name and that are not the program's.
const FLAGS_OF_OTHERS: [&str; 4] = ["--features", "--from", "--no-default-features", "--signal"];

#[test]
fn every_flag_that_is_named_exists() {
    let help = |command: &str| {
        let output = Command::new(program()).args([command, "--help"]).output().expect("the program");
        String::from_utf8(output.stdout).expect("text")
    };
    let commands = ["train", "topics", "infer", "evaluate", "report", "prepare", "synth", "selftest"];
    let help = commands.map(help).concat();
    let flag = Regex::new("--[a-z][a-z-]*").expect("a pattern");
    let known: Vec<&str> = flag.find_iter(&help).map(|found| found.as_str()).chain(FLAGS_OF_OTHERS).collect();
    let code = Regex::new("`(?:hdp-gpu )?[^`]*`").expect("a pattern");
    for page in pages_of("docs/guide") {
        for (line, text) in page.prose() {
            let spans = code.find_iter(text).filter(|span| !span.as_str().starts_with("`cargo"));
            for named in spans.flat_map(|span| flag.find_iter(span.as_str())) {
                let named = named.as_str();
                assert!(known.contains(&named), "{}:{line}: no {named}", page.path.display());
            }
        }
    }
}

/// Lines of a shell need one, and Windows has none.
#[cfg(unix)]
#[test]
fn the_commands_of_the_guide_work() {
    let bin = tempfile::tempdir().expect("a folder");
    std::os::unix::fs::symlink(program(), bin.path().join("hdp-gpu")).expect("a link");
    let commands: usize = pages_of("docs/guide").par_iter().map(|page| run_page(page, bin.path())).sum();
    assert!(commands > 20, "the guide's commands were not found: {commands}");
}

/// Does what the blocks of `page` say, in a folder of its own, and counts the commands.
#[cfg(unix)]
fn run_page(page: &Page, bin: &Path) -> usize {
    let folder = tempfile::tempdir().expect("a folder");
    for (_, target) in page.links() {
        if let Some(name) = target.strip_prefix("data/") {
            let file = root().join(page.path.parent().expect("a folder")).join(&target);
            fs::copy(file, folder.path().join(name)).expect("a file");
        }
    }
    let mut commands = 0;
    for block in page.blocks() {
        if let Some((_, name)) = block.info.split_once("file=") {
            let told = page.prose().any(|(_, line)| line.contains(&format!("`{name}`")));
            assert!(told, "{}: readers are not told that {name} is its name", page.path.display());
            fs::write(folder.path().join(name), block.lines.join("\n") + "\n").expect("a file");
        }
        let lines = if block.info == "sh" { block.lines } else { &[] };
        for (line, command) in (block.first_line..).zip(lines) {
            let place = format!("{}:{line}", page.path.display());
            assert!(command.starts_with("hdp-gpu "), "{place}: only hdp-gpu is run: {command}");
            run(command, folder.path(), bin, &place);
            commands += 1;
        }
    }
    commands
}

/// Runs `command` as a shell does, with the `hdp-gpu` in `bin`.
#[cfg(unix)]
fn run(command: &str, folder: &Path, bin: &Path, place: &str) {
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new("sh")
        .args(["-c", command])
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", bin.display()))
        // Mesa complains on standard error when it is not set.
        .env("XDG_RUNTIME_DIR", std::env::temp_dir())
        .output()
        .expect("a shell");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{place}: {command}\n{}\n{said}", output.status);
}
