//! A chain on several ranks, as the first one sees it: what it does with its own documents, the others do with theirs.

use std::borrow::Cow;
use std::sync::Arc;

use super::meeting::{self, RankRecord};
use super::memory;
use super::order::Order;
use crate::chain::over_ranks::gather_z;
use crate::chain::{self, Chain, Progress, RankDevice, Start, State};
use crate::corpus::{Corpus, Portion, Topics};
use crate::device::{AutoChoice, Place};
use crate::error::{Error, Result};
use crate::infer::warm_start;
use crate::model::trained::Model;
use crate::params::{Init, Params};
use crate::ranks::Ranks;
use crate::run::folder::Folder;
use crate::run::results::model_file::read_model;

/// Meets the other ranks, if there are any; returns the own place, and all ranks in their order. `asked` is what all of them are asked
/// for.
///
/// # Errors
/// [`Error::Rank`] when one of them cannot do its part, or is asked for something else.
pub fn meet(ranks: &Ranks, place: Place, asked: &str) -> Result<(Place, Vec<RankRecord>)> {
    if !ranks.are_several() {
        return Ok((place, Vec::new()));
    }
    Order::Meet.give(ranks);
    ranks.together(|| meeting::meet(ranks, Ok(place), asked))
}

/// Divides the documents between all ranks.
pub(in crate::run) fn divide(corpus: &Arc<Corpus>, ranks: &Ranks) -> Result<Portion> {
    if !ranks.are_several() {
        return Ok(Arc::clone(corpus).into());
    }
    Order::TakeDocuments.give(ranks);
    ranks.together(|| Ok(Portion::handed_out(corpus, ranks)))
}

/// Has every rank see whether its machine has memory for it; the first one needs at least so many bytes.
pub(in crate::run) fn check_memory(ranks: &Ranks, params: &Params, least: u64) -> Result<()> {
    if !ranks.are_several() {
        return Ok(());
    }
    Order::CheckMemory(params.settings().clone()).give(ranks);
    ranks.together(|| memory::check(ranks, least))
}

/// Tells the other ranks a model.
pub(super) fn tell_model(ranks: &Ranks, model: &Model) {
    if ranks.are_several() {
        Model::told(ranks, Some(model));
    }
}

/// Where a chain is opened.
pub(in crate::run) enum At {
    /// At a state with the topics of the first rank's tokens; the other ranks have theirs.
    Parts(Start),
    /// At a state with the topics of all tokens, which the first rank has.
    Whole(Start<Topics>),
}

impl At {
    /// The state before the first iteration.
    pub(in crate::run) fn first(portion: &Portion, params: &Params) -> Result<Self> {
        let ranks = &portion.ranks;
        let order = Order::MakeStart(params.settings().clone());
        let Init::Run(run) = params.init() else {
            order.give(ranks);
            return ranks.together(|| Ok(Self::Parts(Start::first_of(portion, params))));
        };
        let model = read_model(&Folder::open_run(run)?)?;
        order.give(ranks);
        ranks.together(|| {
            tell_model(ranks, &model);
            ranks.agree(warm_start::start(&model, portion, params)).map(Self::Parts)
        })
    }

    /// A chain there.
    pub(in crate::run) fn open(
        self,
        portion: &Portion,
        params: Params,
        place: &Place,
    ) -> Result<Box<dyn Chain>> {
        let ranks = &portion.ranks;
        let start = match self {
            Self::Parts(start) => start,
            Self::Whole(start) => {
                Order::TakeStart.give(ranks);
                ranks.together(|| Ok(start.handed_out(portion)))?
            }
        };
        if !ranks.are_several() {
            return chain::open(portion.clone(), params, start, place);
        }
        Order::Open(params.settings().clone()).give(ranks);
        let own = ranks.together(|| chain::open(portion.clone(), params, start, place))?;
        Ok(Box::new(Led { own, z: Vec::new().into(), found: RankDevice::default(), devices: Vec::new() }))
    }
}

/// A chain of which the first rank has its own part.
struct Led {
    own: Box<dyn Chain>,
    /// The topics of all tokens, as they were last asked for.
    z: Topics,
    /// What it has found out about its own device, and what all ranks have told of theirs.
    found: RankDevice,
    devices: Vec<RankDevice>,
}

impl Led {
    /// Gathers the topics of all tokens. A disk that refuses them is the first rank's own matter: the others are done, and may be asked again.
    fn gather(&mut self) -> Result<Topics> {
        let ranks = self.own.state().portion().ranks.clone();
        Order::GiveZ.give(&ranks);
        let (z, devices) = ranks.together(|| {
            let (state, own) = self.own.state_and_z()?;
            let z = gather_z(state.portion(), &own);
            let name = self.own.device_name();
            Ok((z, ranks.gather_told(&RankDevice { name, ..self.found.clone() })))
        })?;
        self.devices = devices;
        z
    }
}

impl Chain for Led {
    fn step(&mut self) -> Result<Progress> {
        let ranks = self.own.state().portion().ranks.clone();
        Order::Step.give(&ranks);
        ranks.together(|| self.own.step())
    }

    fn state(&self) -> &State {
        self.own.state()
    }

    fn state_and_z(&mut self) -> Result<(&State, Cow<'_, [u16]>)> {
        self.z = self.gather()?;
        Ok((self.own.state(), Cow::Borrowed(&self.z)))
    }

    fn start(&mut self) -> Result<Start<Topics>> {
        let z = self.gather()?;
        Ok(self.own.state().start_with(z))
    }

    fn device_name(&self) -> String {
        self.own.device_name()
    }

    fn device_driver(&self) -> Option<String> {
        self.own.device_driver()
    }

    fn take_device_choice(&mut self) -> Option<AutoChoice> {
        let choice = self.own.take_device_choice()?;
        self.found.choice = Some(choice.clone());
        Some(choice)
    }

    fn take_device_error(&mut self) -> Option<Error> {
        let error = self.own.take_device_error()?;
        self.found.failure = Some((self.state().iteration(), error.to_string()));
        Some(error)
    }

    fn devices_of_ranks(&self) -> &[RankDevice] {
        &self.devices
    }
}
