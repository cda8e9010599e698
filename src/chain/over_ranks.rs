//! Starts and z over ranks: handed out by the first one, and gathered there.

use std::io::{self, Write};

use crate::chain::Start;
use crate::corpus::{Portion, Topics};
use crate::error::Result;
use crate::files::checked_file::write_numbers;
use crate::model::psi::Psi;
use crate::params::Concentrations;

/// Bytes of a topic.
const TOPIC: usize = size_of::<u16>();

/// A start but for z, as the first rank tells it: iteration, l, ln Ψ, α, β and γ.
type Told = (u32, Vec<u64>, Vec<f64>, Concentrations);

impl Start<Topics> {
    /// The first rank's part of a start with all topics; it hands out those of the others, who take them with [`Start::taken`].
    pub(crate) fn handed_out(self, portion: &Portion) -> Start {
        if !portion.ranks.are_several() {
            return self.map_z(Topics::into_vec);
        }
        let Self { iteration, z, l, psi, concentrations } = self;
        let told: Told = (iteration, l, psi.ln_psi, concentrations);
        let told = portion.ranks.tell(Some(told));
        for rank in 1..portion.ranks.size() {
            portion.ranks.send(rank, bytemuck::cast_slice(&z[portion.tokens_of(rank)]));
        }
        Start::told(told, z[portion.tokens()].to_vec())
    }
}

impl Start {
    /// This rank's part of the start that the first one hands out.
    pub(crate) fn taken(portion: &Portion) -> Self {
        let told = portion.ranks.tell(None);
        let mut z = vec![0; portion.tokens().len()];
        portion.ranks.receive_into(0, &mut z);
        Self::told(told, z)
    }

    fn told((iteration, l, ln_psi, concentrations): Told, z: Vec<u16>) -> Self {
        Self { iteration, z, l, psi: Psi::from_ln(ln_psi), concentrations }
    }
}

/// The topics of all tokens in a file, on the first rank, which has `own`; the others [give](give_z) theirs. When this fails the others
/// know nothing of it, and it may be done again.
///
/// # Errors
/// [`crate::Error::Write`] when the folder for temporary files has no room.
pub(crate) fn gather_z(portion: &Portion, own: &[u16]) -> Result<Topics> {
    gather_z_into(portion, own, |write| Topics::put_away(write))
}

/// As [`gather_z`], where `put_away` keeps what is written.
fn gather_z_into<T>(
    portion: &Portion,
    own: &[u16],
    put_away: impl FnOnce(&mut dyn FnMut(&mut dyn Write) -> io::Result<()>) -> Result<T>,
) -> Result<T> {
    let ranks = &portion.ranks;
    let mut pieces =
        (1..ranks.size()).flat_map(|rank| ranks.pieces(rank, TOPIC * portion.tokens_of(rank).len()));
    let gathered = put_away(&mut |mut out| {
        write_numbers(&mut out, own, |z| z.to_le_bytes())?;
        pieces.try_for_each(|piece| {
            let z: Vec<u16> = bytemuck::pod_collect_to_vec(&piece);
            write_numbers(&mut out, &z, |z| z.to_le_bytes())
        })
    });
    // What could not be kept has been sent all the same.
    pieces.for_each(drop);
    gathered
}

/// Gives the topics of this rank's tokens to the first one, which gathers them.
pub(crate) fn give_z(portion: &Portion, own: &[u16]) {
    portion.ranks.send(0, bytemuck::cast_slice(own));
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::chain;
    use crate::corpus::sample::sample;
    use crate::device::choice::CpuPart;
    use crate::device::{Hooks, Place, StandIn, Work};
    use crate::error::Error;
    use crate::params::Settings;
    use crate::ranks::{PIECE, threads};

    /// A writer with room for so many bytes.
    struct Room(usize);

    impl Write for Room {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Topics of all tokens after some iterations more than it takes until the device of the last of `ranks` is left.
    fn until_its_gpu_is_left(script: StandIn) -> (u32, Vec<u16>) {
        let corpus = Arc::new(sample().corpus);
        let hooks = Hooks { stand_in: Some(script), patience: Some(0.05), ..Hooks::default() };
        let done = threads(2, |ranks| {
            let portion = match ranks.is_first() {
                true => Portion::handed_out(&corpus, &ranks),
                false => Portion::taken(&ranks),
            };
            let place = match ranks.is_first() {
                true => Place::cpu(),
                false => Place::with_stand_in(CpuPart::Measured, hooks).with_cpu_in_reserve(true),
            };
            let params = Settings::paper().check().expect("settings");
            let start = Start::first_of(&portion, &params);
            let mut chain = chain::open(portion.clone(), params, start, &place).expect("a chain");
            let mut left = false;
            while !left {
                chain.step().expect("nothing is lost");
                left = ranks.gather_told(&chain.take_device_error().is_some()).contains(&true);
            }
            for _ in 0..3 {
                chain.step().expect("nothing is lost");
            }
            assert!(chain.device_name().starts_with("cpu"), "{}", chain.device_name());
            (chain.state().iteration(), ranks.gather_told(&chain.z().expect("topics")).concat())
        });
        done.into_iter().next().expect("the first rank")
    }

    #[test]
    fn a_gpu_that_fails_its_trial_is_left_by_its_rank_alone() {
        let scripts = [
            StandIn { fails: Some((Work::Wait, 0)), ..StandIn::PLAIN },
            StandIn { hangs: Some(0), ..StandIn::PLAIN },
        ];
        for script in scripts {
            let (iterations, z) = until_its_gpu_is_left(script);
            let params = Settings::paper().check().expect("settings");
            let mut one = chain::Sampler::on_cpu(Arc::new(sample().corpus), params).expect("a chain");
            for _ in 0..iterations {
                chain::Chain::step(&mut one).expect("an iteration");
            }
            assert!(
                z == chain::Chain::z(&mut one).expect("topics"),
                "{script:?}: other topics after {iterations}"
            );
        }
    }

    #[test]
    fn topics_are_gathered_again_after_a_disk_has_refused_them() {
        let corpus = Arc::new(sample().corpus);
        let z: Vec<u16> = (0..corpus.num_tokens()).map(|token| token as u16).collect();
        let all = TOPIC * z.len();
        assert!(all > 30 * PIECE, "few pieces");
        // No file, none of the topics, not all of its own, pieces of the second rank, all but the last byte.
        let rooms = [None, Some(0), Some(all / 4), Some(all / 2), Some(all - 1)];
        threads(3, |ranks| {
            if !ranks.is_first() {
                let portion = Portion::taken(&ranks);
                (0..=rooms.len()).for_each(|_| give_z(&portion, &z[portion.tokens()]));
                return;
            }
            let portion = Portion::handed_out(&corpus, &ranks);
            let own = &z[portion.tokens()];
            for room in rooms {
                let refused = gather_z_into(&portion, own, |write| {
                    room.map_or(Err(io::ErrorKind::StorageFull.into()), |room| write(&mut Room(room)))
                        .map_err(Error::write("a file".as_ref()))
                });
                refused.expect_err("there is not room for all");
            }
            assert!(gather_z(&portion, own).expect("a file") == z, "other topics than ranks have");
        });
    }
}
