//! What the other ranks do: they wait for orders and do their part.

use super::meeting::meet;
use super::memory;
use super::new_docs;
use super::order::Order;
use crate::chain::over_ranks::give_z;
use crate::chain::{self, Chain, RankDevice, Start};
use crate::corpus::Portion;
use crate::device::Place;
use crate::error::{Error, Result};
use crate::infer::warm_start;
use crate::model::trained::Model;
use crate::params::{Init, Params, Settings};
use crate::ranks::Ranks;
use crate::run::advance::device_failure;
use crate::run::record::DeviceFailure;

/// Does what the first rank orders, until it lets this one go. `place` is where this rank samples, or
/// why it cannot, and `asked` what it was asked to do, which is compared.
///
/// # Errors
/// When this rank fails at something that the others wait for: they must be [ended](Ranks::abort).
pub fn serve(ranks: &Ranks, mut place: Result<Place>, asked: &str) -> Result<()> {
    let mut work = Work::default();
    loop {
        let order = Order::wait(ranks);
        let done = match order {
            Order::End => return Ok(()),
            Order::Meet => {
                let met = meet(ranks, place, asked);
                place = met.map(|(place, _)| place);
                Ok(())
            }
            order => {
                let place = place.as_ref().map_err(|_| out_of_order())?;
                ranks.together(|| work.obey(order, ranks, place))
            }
        };
        // What all ranks know of is for the first one to say.
        if !matches!(done, Ok(()) | Err(Error::Rank { .. } | Error::Interrupted)) {
            return done.map_err(|error| ranks.named(error));
        }
    }
}

/// What this rank has of a run.
#[derive(Default)]
struct Work {
    portion: Option<Portion>,
    start: Option<Start>,
    chain: Option<Box<dyn Chain>>,
    /// What the chain has found out about its device.
    found: RankDevice,
}

impl Work {
    fn obey(&mut self, order: Order, ranks: &Ranks, place: &Place) -> Result<()> {
        match order {
            Order::TakeDocuments => self.portion = Some(Portion::taken(ranks)),
            Order::CheckMemory(settings) => {
                memory::check(ranks, memory::least_of(self.portion()?, &settings.check()?, place))?;
            }
            // A chain that there was before a start has been left.
            Order::MakeStart(settings) => {
                self.chain = None;
                self.start = Some(first_start(self.portion()?, settings)?);
            }
            Order::TakeStart => {
                self.chain = None;
                self.start = Some(Start::taken(self.portion()?));
            }
            Order::Open(settings) => {
                let start = self.start.take().ok_or_else(out_of_order)?;
                // Ranks agree on it where it may fail on one of them.
                self.chain = Some(chain::open(self.portion()?.clone(), settings.check()?, start, place)?);
                self.found = RankDevice::default();
            }
            Order::Step => {
                self.chain()?.step()?;
                self.find_out(ranks)?;
            }
            Order::GiveZ => {
                let (state, z) = self.chain()?.state_and_z()?;
                give_z(state.portion(), &z);
                let name = self.chain()?.device_name();
                ranks.gather_told(&RankDevice { name, ..self.found.clone() });
            }
            Order::Infer(settings) => new_docs::infer_own(ranks, settings, place)?,
            Order::Complete(settings) => new_docs::complete_own(ranks, settings, place)?,
            Order::LeftToRight { particles, seed } => new_docs::left_to_right_own(ranks, particles, seed)?,
            Order::Meet | Order::End => return Err(out_of_order()),
        }
        Ok(())
    }

    /// Keeps what the chain has to tell of its device after an iteration.
    fn find_out(&mut self, ranks: &Ranks) -> Result<()> {
        let chain = self.chain()?;
        let (choice, failure) = (chain.take_device_choice(), device_failure(chain));
        self.found.choice = choice.or_else(|| self.found.choice.take());
        if let Some(DeviceFailure { iteration, error }) = failure {
            self.found.failure = Some((iteration, format!("{}: {error}", ranks.name())));
        }
        Ok(())
    }

    fn portion(&self) -> Result<&Portion> {
        self.portion.as_ref().ok_or_else(out_of_order)
    }

    fn chain(&mut self) -> Result<&mut (dyn Chain + 'static)> {
        self.chain.as_deref_mut().ok_or_else(out_of_order)
    }
}

/// This rank's part of the state before the first iteration.
fn first_start(portion: &Portion, settings: Settings) -> Result<Start> {
    let params: Params = settings.check()?;
    if !matches!(params.init(), Init::Run(_)) {
        return Ok(Start::first_of(portion, &params));
    }
    let model = Model::told(&portion.ranks, None);
    portion.ranks.agree(warm_start::start(&model, portion, &params))
}

fn out_of_order() -> Error {
    Error::internal("an order came before what it builds on")
}
