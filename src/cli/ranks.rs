//! The processes that a launcher of MPI has started together: how they find each other, and how all of them end.

use std::path::Path;
use std::thread;
use std::time::Duration;

use hdp_gpu::chain::Progress;
use hdp_gpu::device::Place;
use hdp_gpu::ranks::Ranks;
use hdp_gpu::run::together::{self, RankRecord};
use hdp_gpu::{Error, Result};

use super::command::shared_words;
use super::device_args::DeviceArgs;
use super::signals;
#[cfg(feature = "mpi")]
use super::tell;

/// Where launchers tell a process how many they have started: Open MPI, and MPICH and its relatives.
const SIZES: [&str; 2] = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE"];

/// Where Slurm tells the same, the number of a step's tasks before that of a job's.
const SLURM_SIZES: [&str; 2] = ["SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"];

/// Where they all tell it which one it is.
const NUMBERS: [&str; 3] = ["OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"];

/// How long the others leave it to the first process to say what is wrong with the command that all were given.
const FIRST_SPEAKS: Duration = Duration::from_secs(3);

/// From here on Slurm's numbers of steps are those of the shells that it starts: that of a batch script, and others.
const FIRST_SHELL: u32 = 0xffff_fff0;

/// What a launcher has started.
#[derive(Debug, PartialEq, Eq)]
struct Launched {
    processes: usize,
    /// The variable that says so.
    by: &'static str,
}

impl Launched {
    /// As the environment says. Launchers know best: Slurm's variables are also those of a batch script, and of whatever is started in it.
    fn found(variable: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let size = |by: &'static str| Some(Self { processes: variable(by)?.parse().ok()?, by });
        if let Some(launched) = SIZES.into_iter().filter_map(size).max_by_key(|launched| launched.processes) {
            return Some(launched);
        }
        let step = variable("SLURM_STEP_ID").and_then(|step| step.parse().ok());
        let tasks = SLURM_SIZES.into_iter().find_map(size)?;
        let is_step = match step {
            Some(step) => (0..FIRST_SHELL).contains(&step),
            None => tasks.by == SLURM_SIZES[0],
        };
        (is_step && variable("SLURM_PROCID").is_some()).then_some(tasks)
    }

    /// Nothing is done rather than the same in every process.
    fn refusal(&self, problem: &str) -> Error {
        let Self { processes, by } = self;
        Error::Rank {
            name: "MPI".to_owned(),
            exit_code: 2,
            error: format!("{processes} processes were started together ({by}), and {problem}"),
        }
    }
}

/// Waits in a further process until the first one has said what is wrong with the command, after which the launcher ends all. Who is
/// still there was given another command.
pub(super) fn let_first_speak() {
    let variable = |name: &str| std::env::var(name).ok();
    let is_launched = Launched::found(variable).is_some_and(|launched| launched.processes > 1);
    if is_launched && number(variable).is_some_and(|number| number > 0) {
        signals::leave_to_others();
        thread::sleep(FIRST_SPEAKS);
    }
}

/// Which of the processes that a launcher has started this is.
fn number(variable: impl Fn(&str) -> Option<String>) -> Option<u32> {
    NUMBERS.into_iter().find_map(|name| variable(name)?.parse().ok())
}

/// The ranks of this process's job. Without a launcher, or with one process only, it is by itself.
pub(super) fn join() -> Result<Ranks> {
    match Launched::found(|name| std::env::var(name).ok()) {
        Some(launched) if launched.processes > 1 => find(&launched),
        _ => Ok(Ranks::alone()),
    }
}

/// The ranks that were started.
#[cfg(feature = "mpi")]
fn find(launched: &Launched) -> Result<Ranks> {
    let ranks = hdp_gpu::ranks::initialize(|error| {
        // The launcher is about to ask this process to end, and that is no interruption.
        signals::leave_to_others();
        tell(error);
    })?;
    if ranks.are_several() {
        return Ok(ranks);
    }
    Err(launched.refusal(
        "MPI finds one: have the launcher use the MPI that this program was built with (srun: `srun --mpi=pmix`)",
    ))
}

#[cfg(not(feature = "mpi"))]
fn find(launched: &Launched) -> Result<Ranks> {
    Err(launched
        .refusal("this program was built without MPI: build it with the feature mpi, or start one process"))
}

/// Waits on a further rank until the first one, which does all the work of some commands, has done it.
pub(super) fn wait(ranks: &Ranks) -> Result<()> {
    together::serve(ranks, Ok(Place::cpu()), "")
}

/// Does its part on a further rank, on the device and the threads that it was started with.
pub(super) fn serve(args: &DeviceArgs, ranks: &Ranks) -> Result<()> {
    // When to stop is the first one's to say.
    signals::leave_to_others();
    let place = args.choose_for_rank(ranks.rank_on_host());
    args.thread_pool()?.install(|| together::serve(ranks, place, &shared_words()))
}

/// Meets the other ranks before work on the threads of the current pool; returns the own place.
pub(super) fn meet(ranks: &Ranks, place: Place) -> Result<Place> {
    together::meet(ranks, place, &shared_words()).map(|(place, _)| place)
}

/// Ends all ranks with this one, which may have failed with an exit code.
pub(super) fn leave(ranks: &Ranks, failed: Option<u8>) {
    match failed {
        Some(exit_code) if ranks.are_several() && (ranks.is_torn() || !ranks.is_first()) => {
            ranks.abort(exit_code)
        }
        _ if ranks.is_first() => together::dismiss(ranks),
        _ => {}
    }
}

/// Bytes per token that the first rank has in temporary files, at most, and the tokens from which on it matters where these are.
const MOST_PER_TOKEN: f64 = 10.0;
const MANY_TOKENS: usize = 10_000_000;

/// Whether what is written to a folder takes memory.
#[cfg(target_os = "linux")]
fn is_in_memory(folder: &Path) -> bool {
    const TMPFS: u32 = 0x0102_1994;
    const RAMFS: u32 = 0x8584_58f6;
    let kind = rustix::fs::statfs(folder).ok().and_then(|system| u32::try_from(system.f_type).ok());
    kind.is_some_and(|kind| [TMPFS, RAMFS].contains(&kind))
}

#[cfg(not(target_os = "linux"))]
fn is_in_memory(_: &Path) -> bool {
    false
}

/// Iterations over which the balance of ranks is looked at, the first ones left out.
const BALANCE: std::ops::RangeInclusive<u32> = 4..=20;

/// The time of the slowest rank over the mean from which on a warning is worth it.
const UNBALANCED: f64 = 1.25;

/// What is shown of ranks while a run goes on.
#[derive(Default)]
pub(super) struct RanksShown {
    ranks: usize,
    hosts: usize,
    /// Iterations seen, and seconds of them and of communication.
    iterations: u32,
    seconds: f64,
    talk_seconds: f64,
    /// The sum of what the slowest rank took over the mean.
    slowest: f64,
}

impl RanksShown {
    /// Nothing, unless there are several.
    pub(super) fn of(ranks: &[RankRecord]) -> Self {
        Self { ranks: ranks.len(), hosts: hosts(ranks).len(), ..Self::default() }
    }

    /// What is amiss with how ranks were started to train on so many tokens.
    pub(super) fn warnings(ranks: &[RankRecord], tokens: usize) -> Vec<String> {
        let mut warnings = Self::bindings(ranks);
        let folder = std::env::temp_dir();
        if ranks.len() > 1 && tokens >= MANY_TOKENS && is_in_memory(&folder) {
            warnings.push(format!(
                "warning: {} is in memory, and the first rank keeps the words and topics of all documents there, up to {:.1} GB; set \
                 TMPDIR to a folder on a disk",
                folder.display(),
                MOST_PER_TOKEN * tokens as f64 / 1e9
            ));
        }
        warnings
    }

    /// A warning for each host whose ranks may not use all of its processors.
    fn bindings(ranks: &[RankRecord]) -> Vec<String> {
        let of_host = |host: &&str| {
            let there = || ranks.iter().filter(|rank| rank.host == **host);
            let (count, cores) = (there().count(), there().next()?.cores);
            let least = there().map(|rank| rank.processors).min()?;
            (least * count < cores).then(|| {
                format!(
                    "warning: a rank on {host} may use {least} of {cores} processors, and {count} run there; start them with \
                     --bind-to none (mpirun) or --cpus-per-task (srun)"
                )
            })
        };
        hosts(ranks).iter().filter_map(of_host).collect()
    }

    /// Adds an iteration; returns a warning when it has become clear that ranks wait for one of them.
    pub(super) fn add(&mut self, progress: &Progress) -> Option<String> {
        self.iterations += 1;
        self.seconds += progress.seconds;
        self.talk_seconds += progress.talk.seconds;
        if BALANCE.contains(&self.iterations) {
            self.slowest += progress.slowest_rank;
        }
        let slowest = self.slowest / f64::from(BALANCE.end() - BALANCE.start() + 1);
        (self.ranks > 1 && self.iterations == *BALANCE.end() && slowest > UNBALANCED).then(|| {
            format!(
                "warning: the slowest rank samples {slowest:.1} times as long as ranks do in the mean, and all wait for it; give \
                 ranks equal processors, or start fewer"
            )
        })
    }

    /// Ranks, hosts and the share of time in communication, if there are several.
    pub(super) fn part_of_line(&self) -> String {
        if self.ranks < 2 {
            return String::new();
        }
        let Self { ranks, hosts, .. } = self;
        let s = if *hosts == 1 { "" } else { "s" };
        let share = 100.0 * self.talk_seconds / self.seconds;
        format!(" of {ranks} ranks on {hosts} host{s}, {share:.0} % in communication")
    }
}

/// The machines of ranks, each once.
fn hosts(ranks: &[RankRecord]) -> Vec<&str> {
    let mut hosts: Vec<&str> = ranks.iter().map(|rank| rank.host.as_str()).collect();
    hosts.sort_unstable();
    hosts.dedup();
    hosts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rank(host: &str, processors: usize) -> RankRecord {
        RankRecord {
            host: host.to_owned(),
            device: "cpu".to_owned(),
            chosen: None,
            device_error: None,
            threads: 1,
            processors,
            cores: 8,
        }
    }

    #[test]
    fn launchers_say_how_many_processes_they_have_started() {
        let found = |variables: &[(&str, &str)]| {
            let value = |name: &str| variables.iter().find(|(set, _)| *set == name);
            Launched::found(|name| value(name).map(|&(_, value)| value.to_owned()))
        };
        let of = |processes, by| Some(Launched { processes, by });
        let step = |id, tasks| [("SLURM_NTASKS", "8"), ("SLURM_PROCID", "3"), ("SLURM_STEP_ID", id), tasks];
        let tasks = ("SLURM_STEP_NUM_TASKS", "4");
        assert_eq!(found(&[]), None);
        assert_eq!(found(&[("OMPI_COMM_WORLD_SIZE", "3")]), of(3, "OMPI_COMM_WORLD_SIZE"));
        assert_eq!(found(&[("PMI_SIZE", "3")]), of(3, "PMI_SIZE"));
        assert_eq!(found(&[("PMI_SIZE", "many")]), None);
        // A step of srun, with what old and new ones set.
        assert_eq!(found(&step("0", tasks)), of(4, "SLURM_STEP_NUM_TASKS"));
        assert_eq!(found(&step("0", ("SLURM_JOB_ID", "77"))), of(8, "SLURM_NTASKS"));
        assert_eq!(found(&[("SLURM_PROCID", "3"), tasks]), of(4, "SLURM_STEP_NUM_TASKS"));
        // srun --pty, within a job of several tasks.
        assert_eq!(found(&step("1", ("SLURM_STEP_NUM_TASKS", "1"))), of(1, "SLURM_STEP_NUM_TASKS"));
        // A batch script, and the shells of salloc on the first machine or the one that it was typed on.
        assert_eq!(found(&[("SLURM_NTASKS", "8"), ("SLURM_PROCID", "0")]), None);
        for shell in ["4294967290", "4294967291"] {
            assert_eq!(found(&step(shell, tasks)), None);
        }
        assert_eq!(found(&[("SLURM_NTASKS", "8")]), None);
        // mpirun within one of them.
        let mut both = step("0", tasks).to_vec();
        both.push(("OMPI_COMM_WORLD_SIZE", "1"));
        assert_eq!(found(&both), of(1, "OMPI_COMM_WORLD_SIZE"));
    }

    #[test]
    fn launchers_say_which_process_this_is() {
        let number = |set: &[(&str, &str)]| {
            number(|name| set.iter().find(|(set, _)| *set == name).map(|&(_, value)| value.to_owned()))
        };
        assert_eq!(number(&[]), None);
        // mpirun within a job of Slurm.
        assert_eq!(number(&[("SLURM_PROCID", "0"), ("OMPI_COMM_WORLD_RANK", "2")]), Some(2));
        assert_eq!(number(&[("PMI_RANK", "1")]), Some(1));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_folder_in_memory_is_known() {
        assert!(!is_in_memory("/proc".as_ref()) && !is_in_memory("/no/such/folder".as_ref()));
        if std::fs::read_to_string("/proc/mounts").is_ok_and(|mounts| mounts.contains(" /dev/shm tmpfs ")) {
            assert!(is_in_memory("/dev/shm".as_ref()));
        }
    }

    #[test]
    fn ranks_that_may_not_use_their_share_are_told_of() {
        let bindings = |ranks: &[RankRecord]| RanksShown::bindings(ranks);
        assert!(bindings(&[]).is_empty());
        assert!(bindings(&[rank("a", 8), rank("b", 8)]).is_empty());
        assert!(bindings(&[rank("a", 4), rank("a", 4)]).is_empty());
        let told = bindings(&[rank("a", 1), rank("b", 8), rank("a", 8)]);
        assert_eq!(told.len(), 1);
        assert!(told[0].starts_with("warning: a rank on a may use 1 of 8 processors, and 2 run there"));
    }

    #[test]
    fn ranks_that_wait_for_one_are_told_of_once() {
        let warnings = |slowest_rank| {
            let mut shown = RanksShown::of(&[rank("a", 8), rank("b", 8)]);
            let progress = Progress { seconds: 2.0, slowest_rank, ..Progress::default() };
            let told = (0..50).filter_map(|_| shown.add(&progress)).count();
            (told, shown.part_of_line())
        };
        assert_eq!(warnings(1.1), (0, " of 2 ranks on 2 hosts, 0 % in communication".to_owned()));
        assert_eq!(warnings(1.6).0, 1);
    }
}
