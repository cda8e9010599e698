//! The kernels of the z step: how documents are given to a GPU, and the source of the shader for each.

use super::layout;
use crate::device::{Exchange, TEAMS};

/// Trips that all loops of an invocation may make in one dispatch of a software GPU. Mesa's lavapipe ends loops without a
/// word after 65,535.
pub(super) const SOFTWARE_TRIPS: u32 = 60_000;

/// The longest document whose counts fit 16 bits and whose sums of half weights fit 32.
const MAX_NARROW_TOKENS: usize = (1 << 16) - 1;

/// Slots for a document's topics that a team has for each of its lanes: 32 bytes a lane, so that what a workgroup takes of
/// its memory depends neither on the team nor on K*, and leaves room for half of the subgroups that GPUs can hold.
const SLOTS_PER_LANE: u32 = 8;

/// Up to this size a team's lanes add up all sums themselves.
const FEW_LANES: u32 = 16;

/// The largest team whose lanes can each have all slots.
const OWN_SLOTS_LANES: u32 = 8;

/// How documents are given to a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mapping {
    /// A team of so many lanes for a document, as many teams in a workgroup as it has room for.
    Team(u32),
    /// A workgroup for a document, with m in storage: any length, any number of topics.
    Whole,
}

impl Mapping {
    /// The mapping of a document with so many tokens in so many topics, by teams of `team` lanes or larger ones: the slots are to
    /// be enough for half as many topics again.
    pub(super) fn of(tokens: usize, topics: usize, team: u32) -> Self {
        let slots = tokens.min(topics + topics / 2 + 4);
        let has_room = |&lanes: &u32| lanes >= team && slots < (SLOTS_PER_LANE * lanes) as usize;
        match TEAMS.into_iter().find(has_room) {
            Some(lanes) if tokens <= MAX_NARROW_TOKENS => Self::Team(lanes),
            _ => Self::Whole,
        }
    }

    /// The team size for tokens that walk so many entries in the mean: two for each lane, since more documents in a workgroup are
    /// worth more than shorter walks (docs/GPU.md).
    pub(super) fn team_for(mean_walk: f64, width: u32) -> u32 {
        let fits = |lanes: &u32| f64::from(2 * *lanes) >= mean_walk || *lanes >= width;
        TEAMS.into_iter().find(fits).unwrap_or(TEAMS[TEAMS.len() - 1])
    }

    /// The lanes of a workgroup on a device that runs `width` of them together.
    pub(super) fn lanes(self, width: u32) -> u32 {
        match self {
            Self::Team(lanes) => lanes.max(width),
            Self::Whole => width,
        }
    }

    /// The workgroups that `docs` documents take.
    pub(super) fn workgroups(self, docs: usize, width: u32) -> u32 {
        match self {
            Self::Team(lanes) => docs.div_ceil((self.lanes(width) / lanes) as usize) as u32,
            Self::Whole => docs as u32,
        }
    }

    /// Whether lanes can exchange in this way where subgroups have `width` lanes: a workgroup is one subgroup then.
    pub(super) fn can_exchange(self, exchange: Exchange, width: u32) -> bool {
        match (self, exchange) {
            (_, Exchange::Memory) => true,
            (Self::Team(team), Exchange::Subgroup) => team <= width,
            (Self::Team(team), Exchange::OwnSlots) => team <= width.min(OWN_SLOTS_LANES),
            (Self::Whole, _) => false,
        }
    }

    /// How lanes exchange what they know that could do it in this way, for documents of up to `tokens` tokens: to count a long one
    /// into slots of its own takes a lane too many trips.
    pub(super) fn exchange_for(self, exchange: Exchange, width: u32, tokens: u32) -> Exchange {
        let is_long = self.first_trips(exchange, width, tokens) > SOFTWARE_TRIPS / 2;
        if exchange == Exchange::OwnSlots && is_long { Exchange::Memory } else { exchange }
    }

    /// The loop trips of a token at most, where columns without blocks have up to `column` active entries: three loops that go
    /// over tokens, two walks, a scan, and listing a topic. In a workgroup with a document of its own: the same without the walks.
    pub(super) fn token_trips(self, exchange: Exchange, width: u32, column: u32) -> u32 {
        match self {
            Self::Team(team) => {
                let share = (2 * SLOTS_PER_LANE).max(column.div_ceil(team));
                let rest = match exchange {
                    Exchange::Memory if team <= FEW_LANES => team / 4 + 1 + SLOTS_PER_LANE + 1,
                    Exchange::Memory => team.ilog2() + 1 + SLOTS_PER_LANE + 1,
                    Exchange::Subgroup => SLOTS_PER_LANE + 1,
                    // What listing takes beside is among the first trips.
                    Exchange::OwnSlots => 1,
                };
                3 + 2 * (share + 1) + rest
            }
            // A token ends its two walks, its scan and two searches, each in at most 17 trips.
            Self::Whole => 1 + 2 + width.ilog2() + 1 + 2 * 17,
        }
    }

    /// The loop trips before the first token of a dispatch, for documents of up to `tokens` tokens: counting m.
    pub(super) fn first_trips(self, exchange: Exchange, width: u32, tokens: u32) -> u32 {
        match (self, exchange) {
            (Self::Team(team), Exchange::OwnSlots) => {
                // Every team of a workgroup lists each of its topics once, and software counts the trips of all lanes together.
                let (slots, batches) = (SLOTS_PER_LANE * team, (tokens + 1).div_ceil(2 * team));
                slots + 1 + batches * (2 + 3 * team) + width / team * slots * slots
            }
            (Self::Team(team), _) => {
                SLOTS_PER_LANE
                    + 1
                    + 2 * (tokens + 1).div_ceil(team)
                    + SLOTS_PER_LANE * team * (SLOTS_PER_LANE + 2)
            }
            (Self::Whole, _) => 0,
        }
    }

    /// Token steps that a team takes before it fetches tokens again.
    pub(super) fn batch(self) -> u32 {
        match self {
            Self::Team(lanes) => 2 * lanes,
            Self::Whole => 1,
        }
    }

    /// The shader, whole: constants, then the files of shaders/.
    pub(super) fn source(self, exchange: Exchange, width: u32) -> String {
        macro_rules! shader {
            ($name:literal) => {
                include_str!(concat!("../../../shaders/", $name, ".wgsl"))
            };
        }
        let lanes = self.lanes(width);
        let (sizes, parts) = match self {
            Self::Team(team) => {
                let exchanged = match exchange {
                    Exchange::Memory if team <= FEW_LANES => {
                        [shader!("exchange_memory"), shader!("scan_few"), shader!("team_slots")]
                    }
                    Exchange::Memory => {
                        [shader!("exchange_memory"), shader!("scan_steps"), shader!("team_slots")]
                    }
                    Exchange::Subgroup => {
                        [shader!("exchange_subgroup"), shader!("scan_subgroup"), shader!("team_slots")]
                    }
                    Exchange::OwnSlots => {
                        [shader!("exchange_subgroup"), shader!("scan_subgroup"), shader!("own_slots")]
                    }
                };
                let parts = [&[shader!("sum_narrow")], &exchanged[..], &[shader!("sample_z_team")]].concat();
                (vec![("TEAM", team), ("TEAMS", lanes / team), ("SLOTS", SLOTS_PER_LANE * team)], parts)
            }
            Self::Whole => {
                let parts = vec![shader!("sum_wide"), shader!("scan_steps"), shader!("sample_z_whole")];
                let trips = self.token_trips(exchange, width, 0);
                (vec![("TEAM", lanes), ("TOKEN_TRIPS", trips), ("LIST_TRIPS", lanes.ilog2() + 2)], parts)
            }
        };
        let sizes: String = [vec![("LANES", lanes)], sizes]
            .concat()
            .iter()
            .map(|(name, value)| format!("const {name} = {value}u;\n"))
            .collect();
        [vec![layout::constants().as_str(), &sizes, shader!("common"), shader!("rng")], parts]
            .concat()
            .join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn teams_widen_with_the_topics_of_a_document() {
        assert_eq!(Mapping::of(200, 10, 8), Mapping::Team(8));
        assert_eq!(Mapping::of(200, 10, 32), Mapping::Team(32));
        assert_eq!(Mapping::of(200, 60, 8), Mapping::Team(16));
        assert_eq!(Mapping::of(30, 30, 4), Mapping::Team(4));
        assert_eq!(Mapping::of(60_000, 300, 4), Mapping::Team(64));
        assert_eq!(Mapping::of(60_000, 400, 4), Mapping::Whole);
        assert_eq!(Mapping::of(65_536, 1, 4), Mapping::Whole);
    }

    #[test]
    fn workgroups_are_subgroups_and_long_documents_have_no_own_slots() {
        let team = Mapping::Team(8);
        assert!(team.can_exchange(Exchange::Subgroup, 8) && !team.can_exchange(Exchange::Subgroup, 4));
        assert!(
            team.can_exchange(Exchange::OwnSlots, 8)
                && !Mapping::Team(16).can_exchange(Exchange::OwnSlots, 16)
        );
        assert_eq!(team.exchange_for(Exchange::OwnSlots, 8, 1000), Exchange::OwnSlots);
        assert_eq!(team.exchange_for(Exchange::OwnSlots, 8, 40_000), Exchange::Memory);
        assert_eq!(team.exchange_for(Exchange::Subgroup, 8, 40_000), Exchange::Subgroup);
    }

    /// The source has no constant that nothing in it uses.
    #[test]
    fn kernels_have_the_constants_that_they_use() {
        let sizes = ["LANES", "TEAM", "TEAMS", "SLOTS", "TOKEN_TRIPS", "LIST_TRIPS"];
        for mapping in TEAMS.map(Mapping::Team).into_iter().chain([Mapping::Whole]) {
            for exchange in Exchange::ALL.into_iter().filter(|&one| mapping.can_exchange(one, 64)) {
                let source = mapping.source(exchange, 64);
                let words: Vec<&str> = source.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
                for size in sizes.into_iter().filter(|size| source.contains(&format!("const {size} = "))) {
                    let uses = words.iter().filter(|&&word| word == size).count();
                    assert!(uses > 1, "{mapping:?} {exchange:?}: {size}");
                }
            }
        }
    }

    #[test]
    fn the_team_follows_the_walk_up_to_the_width() {
        let teams = [0.0, 9.0, 22.0, 60.0, 500.0].map(|walk| Mapping::team_for(walk, 32));
        assert_eq!(teams, [4, 8, 16, 32, 32]);
        assert_eq!(Mapping::team_for(80.0, 64), 64);
    }
}
