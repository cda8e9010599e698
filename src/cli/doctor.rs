//! `hdp-gpu doctor`: what this machine has, on one page that can be sent with a report of a problem.

use std::env;
use std::path::Path;

use console::Term;
use hdp_gpu::Result;
use hdp_gpu::machine::{Facts, Room};
use hdp_gpu::run::needs::size;

use super::devices::Listed;
use super::topics::print_all;

/// What changes how the program runs or what it shows. Whether they are set is told, and not to what: a path may name
/// a person.
const VARIABLES: [&str; 16] = [
    "RAYON_NUM_THREADS",
    "WGPU_BACKEND",
    "WGPU_ADAPTER_NAME",
    "VK_DRIVER_FILES",
    "VK_ICD_FILENAMES",
    "XDG_RUNTIME_DIR",
    "NO_COLOR",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLUMNS",
    "TERM",
    "LANG",
    "LC_ALL",
    "TMPDIR",
    "TEMP",
    "RUST_BACKTRACE",
];

/// Columns before what is said.
const INDENT: usize = 13;

pub(super) fn run() -> Result<()> {
    let machine = Facts::now();
    let Listed { devices, auto } = Listed::now(0)?;
    let (set, unset): (Vec<_>, Vec<_>) =
        VARIABLES.into_iter().partition(|variable| env::var_os(variable).is_some());
    let mut page = vec![
        ("program", program()),
        ("system", with("kernel", machine.system.clone(), machine.kernel.clone())),
        ("processor", processor(&machine)),
        ("memory", memory(&machine)),
    ];
    page.extend(devices.into_iter().map(|(index, device)| ("device", format!("{index}  {device}"))));
    page.push(("auto", auto.trim_start_matches("auto ").to_owned()));
    page.extend([
        ("folders", room("this folder", Path::new("."))),
        ("", room("the folder for temporary files", &env::temp_dir())),
        ("terminal", terminal("standard output", &Term::stdout())),
        ("", terminal("standard error", &Term::stderr())),
        ("variables", format!("set: {}", list(&set))),
        ("", format!("not set: {}", list(&unset))),
    ]);
    let lines: String = page.iter().map(|(head, text)| format!("{head:<INDENT$}{text}\n")).collect();
    // Names of devices come from drivers.
    print_all(&lines)
}

/// The version, what it was built for, and with what.
fn program() -> String {
    let features = [
        ("cli", true),
        ("gpu", cfg!(feature = "gpu")),
        ("parquet", cfg!(feature = "parquet")),
        ("segmentation", cfg!(feature = "segmentation")),
        ("testing", cfg!(feature = "testing")),
    ];
    let features: Vec<_> = features.iter().filter(|(_, is_on)| *is_on).map(|(name, _)| *name).collect();
    let library = [
        (cfg!(target_env = "gnu"), " gnu"),
        (cfg!(target_env = "msvc"), " msvc"),
        (cfg!(target_env = "musl"), " musl"),
    ];
    let library = library.iter().find(|(is_it, _)| *is_it).map_or("", |(_, name)| name);
    let checks = if cfg!(debug_assertions) { ", with debug assertions" } else { "" };
    format!(
        "{} {} for {} {}{library}, features {}{checks}",
        env!("CARGO_PKG_NAME"),
        env!("CARGO_PKG_VERSION"),
        env::consts::ARCH,
        env::consts::OS,
        features.join(" "),
    )
}

fn processor(machine: &Facts) -> String {
    let name = machine.processor.clone().unwrap_or_else(|| "unknown".to_owned());
    let cores = machine.cores.map(|cores| cores.to_string());
    let known = machine.instructions.iter();
    known.fold(with("cores:", name, cores), |text, (name, has)| {
        format!("{text}, {name}: {}", if *has { "yes" } else { "no" })
    })
}

fn memory(machine: &Facts) -> String {
    let total = machine.memory_total.map_or_else(|| "unknown".to_owned(), size);
    machine.memory_free.map_or(total.clone(), |free| format!("{total}, {} free", size(free)))
}

/// Whether files can be made in `folder`, which is told by what it is for and not by its path.
fn room(what: &str, folder: &Path) -> String {
    let Room { refused, free } = Room::of(folder);
    let writable = refused.map_or_else(|| "writable".to_owned(), |why| format!("NOT writable ({why})"));
    let free = free.map_or_else(String::new, |free| format!(", {} free", size(free)));
    format!("{what}: {writable}{free}")
}

fn terminal(what: &str, terminal: &Term) -> String {
    if !terminal.is_term() {
        return format!("{what}: no terminal");
    }
    let columns =
        terminal.size_checked().map_or_else(String::new, |(_, columns)| format!(", {columns} columns"));
    let colours = if terminal.features().colors_supported() { "colours" } else { "no colours" };
    format!(
        "{what}: a terminal{columns}, {colours}, {}",
        if shows_unicode() { "Unicode" } else { "no Unicode" }
    )
}

/// Whether all characters can be shown: Windows takes any, other systems say so in the first of these that is set.
fn shows_unicode() -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(|name| env::var(name).ok().filter(|it| !it.is_empty()));
    cfg!(windows) || locale.is_some_and(|locale| locale.to_lowercase().replace('-', "").contains("utf8"))
}

/// `text` and something more of it, if that is known.
fn with(what: &str, text: String, more: Option<String>) -> String {
    more.map_or(text.clone(), |more| format!("{text}, {what} {more}"))
}

fn list(names: &[&str]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(" ") }
}
