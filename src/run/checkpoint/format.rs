//! A checkpoint as bytes.
//!
//! All numbers are little-endian.
//!
//! | part | bytes |
//! |---|---|
//! | [`MAGIC`] | 8 |
//! | format version, tokens of the chain, K*, bytes of the sums, of the three logs and of the information | 8 · 8 |
//! | information: [`Kept`] as JSON | |
//! | z | 2 · tokens |
//! | l | 8 · K* |
//! | ln Ψ | 8 · K* |
//! | sums over samples, if there are any | |
//! | trace.csv, timing.csv, tokens_per_topic.csv | |
//! | SHA-256 of all of the above | 32 |

use std::io::{self, Write};

use crate::chain::Start;
use crate::corpus::Topics;
use crate::estimate::Samples;
use crate::files::checked_file::{Hashing, checked, write_numbers};
use crate::heap::{Heap, Sizes};
use crate::model::psi::Psi;
use crate::params::{Concentrations, MAX_CONCENTRATION, MAX_TOPICS, MIN_CONCENTRATION};
use crate::run::logs::Rows;
use crate::run::trace::History;

use super::{Checkpoint, Kept};

/// How a checkpoint begins: no text does, and what changes line ends destroys it.
const MAGIC: &[u8; 8] = b"\x89HDPRUN\n";

/// The version of the format that is written, and the only one that is read. It is also raised when draws change under
/// a fixed seed, so that no run is half of one and half of the other.
pub(in crate::run) const VERSION: u64 = 4;

/// Bytes before the information.
const HEADER: usize = MAGIC.len() + 8 * 8;

/// Why a file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unusable {
    /// It is whole, and of another version of the format.
    OtherVersion(u64),
    /// It is not what was written.
    Damaged(String),
}

/// Bytes of the parts that every checkpoint has: z, l and ln Ψ.
pub(in crate::run) fn state_bytes(sizes: &Sizes) -> f64 {
    let topics = Heap::exact::<u64>(sizes.k_star) + Heap::exact::<f64>(sizes.k_star);
    (Heap::exact::<u16>(sizes.tokens) + topics).least
}

/// Writes a checkpoint.
pub(super) fn write(
    out: &mut impl Write,
    kept: &Kept,
    start: &Start<Topics>,
    rows: &Rows,
    samples: Option<&Samples>,
) -> io::Result<()> {
    let info = serde_json::to_vec(kept)?;
    let sums = samples.map_or(0, Samples::file_bytes);
    let mut out = Hashing::new(out);
    out.write_all(MAGIC)?;
    out.write_all(&VERSION.to_le_bytes())?;
    let logs = [&rows.trace, &rows.timing, &rows.tokens_per_topic];
    let [trace, timing, tokens_per_topic] = logs.map(Vec::len);
    for size in [start.z.len(), start.l.len(), sums, trace, timing, tokens_per_topic, info.len()] {
        out.write_all(&(size as u64).to_le_bytes())?;
    }
    out.write_all(&info)?;
    write_numbers(&mut out, &start.z, |z| z.to_le_bytes())?;
    write_numbers(&mut out, &start.l, |l| l.to_le_bytes())?;
    write_numbers(&mut out, &start.psi.ln_psi, |ln| ln.to_le_bytes())?;
    samples.map_or(Ok(()), |samples| samples.write(&mut out))?;
    logs.into_iter().try_for_each(|log| out.write_all(log))?;
    out.finish()
}

/// Reads a checkpoint: its checksum first, then every number, so that no file can mislead what follows.
///
/// # Errors
/// [`Unusable`].
pub fn read(bytes: &[u8]) -> Result<Checkpoint, Unusable> {
    let content = checked(bytes).ok_or_else(|| Unusable::Damaged("its checksum is wrong".into()))?;
    let (numbers, _) = content.get(MAGIC.len()..HEADER).unwrap_or_default().as_chunks();
    let Some([version, sizes @ ..]) = numbers.as_array::<8>().copied() else {
        return Err(Unusable::Damaged("it ends in its header".into()));
    };
    if !content.starts_with(MAGIC) {
        return Err(Unusable::Damaged("it is not a checkpoint".into()));
    }
    let version = u64::from_le_bytes(version);
    if version != VERSION {
        return Err(Unusable::OtherVersion(version));
    }
    let sizes = sizes.map(u64::from_le_bytes);
    parts(&content[HEADER..], sizes).and_then(Parts::checkpoint).map_err(Unusable::Damaged)
}

/// The parts after the header.
struct Parts<'a> {
    info: &'a [u8],
    z: &'a [u8],
    l: &'a [u8],
    ln_psi: &'a [u8],
    sums: &'a [u8],
    logs: [&'a [u8]; 3],
}

/// Cuts `rest` into its parts; nothing may be left.
fn parts(mut rest: &[u8], sizes: [u64; 7]) -> Result<Parts<'_>, String> {
    let [tokens, k_star, sums, trace, timing, tokens_per_topic, info] = sizes;
    let mut take = |count: u64, size: u64| {
        let length = count.checked_mul(size).and_then(|bytes| usize::try_from(bytes).ok());
        let (part, after) = rest.split_at_checked(length?)?;
        rest = after;
        Some(part)
    };
    let found = (|| {
        let [info, z] = [take(info, 1)?, take(tokens, 2)?];
        let [l, ln_psi, sums] = [take(k_star, 8)?, take(k_star, 8)?, take(sums, 1)?];
        let logs = [take(trace, 1)?, take(timing, 1)?, take(tokens_per_topic, 1)?];
        Some(Parts { info, z, l, ln_psi, sums, logs })
    })();
    found.filter(|_| rest.is_empty()).ok_or_else(|| "its length is not what its header says".into())
}

impl Parts<'_> {
    /// The checkpoint, if everything in it fits together.
    fn checkpoint(self) -> Result<Checkpoint, String> {
        let kept: Kept = serde_json::from_slice(self.info).map_err(|error| error.to_string())?;
        let params = kept.record.settings.model.clone().check().map_err(|error| error.to_string())?;
        let z: Vec<u16> = numbers(self.z, u16::from_le_bytes);
        let l: Vec<u64> = numbers(self.l, u64::from_le_bytes);
        let k_star = l.len();
        let has_k_star = if params.grows() {
            (params.k_star()..=MAX_TOPICS as usize).contains(&k_star)
        } else {
            k_star == params.k_star()
        };
        let Concentrations { alpha, beta, gamma } = kept.record.concentrations;
        let usable = |value: &f64| (MIN_CONCENTRATION..=MAX_CONCENTRATION).contains(value);
        let ln_psi: Vec<f64> = numbers(self.ln_psi, f64::from_le_bytes);
        let tokens = z.len() as u64;
        let psi = Psi::from_ln(ln_psi);
        let psi_sum: f64 = psi.psi.iter().sum();
        let (plan, sampling) = (kept.course(), kept.record.settings.plan.sampling);
        let checks = [
            (has_k_star, "it does not have K* topics"),
            (z.iter().all(|&z| usize::from(z) < k_star), "a token has a topic that is not below K*"),
            (l.iter().all(|&l| l <= tokens), "a topic has more draws than there are tokens"),
            ([alpha, beta, gamma].iter().all(usable), "its concentrations cannot be used"),
            (psi.ln_psi.iter().all(|ln| ln.is_finite()), "Ψ is not finite"),
            ((psi_sum - 1.0).abs() < 1e-6, "Ψ does not add up to 1"),
            (kept.iteration() <= plan.iterations, "it has more iterations than the run"),
            (plan.trace_every.min(sampling.samples).min(sampling.thin) > 0, "its plan is none"),
        ];
        if let Some((_, problem)) = checks.into_iter().find(|&(passed, _)| !passed) {
            return Err(problem.into());
        }
        let start =
            Start { iteration: kept.iteration(), z, l, psi, concentrations: kept.record.concentrations };
        let [trace, timing, tokens_per_topic] = self.logs.map(<[u8]>::to_vec);
        let rows = Rows { trace, timing, tokens_per_topic };
        let history =
            History::read(&rows).map_err(|(name, problem)| format!("its {name} is none: {problem}"))?;
        Ok(Checkpoint { kept, start, rows, history, sums: self.sums.to_vec() })
    }
}

fn numbers<T, const SIZE: usize>(bytes: &[u8], from_le_bytes: fn([u8; SIZE]) -> T) -> Vec<T> {
    bytes.as_chunks().0.iter().map(|&bytes| from_le_bytes(bytes)).collect()
}
