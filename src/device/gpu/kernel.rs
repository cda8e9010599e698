//! The kernels of the z step: how documents are given to a GPU, and the source of the shader for each.

use super::layout;
use crate::device::TEAMS;

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

    /// The team size for tokens that walk so many entries in the mean.
    pub(super) fn team_for(mean_walk: f64, width: u32) -> u32 {
        let fits = |lanes: &u32| f64::from(*lanes) >= mean_walk || *lanes >= width;
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

    /// The loop trips of a token at most, where columns without blocks have up to `column` active entries: two walks, a scan, and
    /// listing a topic. In a workgroup with a document of its own: the same without the walks.
    pub(super) fn token_trips(self, width: u32, column: u32) -> u32 {
        match self {
            Self::Team(lanes) => {
                let scan = if lanes <= FEW_LANES { lanes / 4 } else { lanes.ilog2() };
                let share = (2 * SLOTS_PER_LANE).max(column.div_ceil(lanes));
                1 + 2 * (share + 1) + scan + 1 + SLOTS_PER_LANE + 1
            }
            // A token ends its two walks, its scan and two searches, each in at most 17 trips.
            Self::Whole => 1 + 2 + width.ilog2() + 1 + 2 * 17,
        }
    }

    /// The loop trips before the first token of a dispatch, for documents of up to `tokens` tokens: counting m.
    pub(super) fn first_trips(self, tokens: u32) -> u32 {
        match self {
            Self::Team(lanes) => {
                2 * (tokens + 1).div_ceil(lanes) + SLOTS_PER_LANE * lanes * (SLOTS_PER_LANE + 2)
            }
            Self::Whole => 0,
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
    pub(super) fn source(self, width: u32) -> String {
        macro_rules! shader {
            ($name:literal) => {
                include_str!(concat!("../../../shaders/", $name, ".wgsl"))
            };
        }
        let lanes = self.lanes(width);
        let (team, parts): (u32, &[&str]) = match self {
            Self::Team(team) if team <= FEW_LANES => (
                team,
                &[
                    shader!("sum_narrow"),
                    shader!("scan_few"),
                    shader!("team_slots"),
                    shader!("sample_z_team"),
                ],
            ),
            Self::Team(team) => (
                team,
                &[
                    shader!("sum_narrow"),
                    shader!("scan_steps"),
                    shader!("team_slots"),
                    shader!("sample_z_team"),
                ],
            ),
            Self::Whole => (lanes, &[shader!("sum_wide"), shader!("scan_steps"), shader!("sample_z_whole")]),
        };
        let sizes: String = [
            ("LANES", lanes),
            ("TWICE_LANES", 2 * lanes),
            ("TEAM", team),
            ("TEAMS", lanes / team),
            ("TWICE_TEAMS", 2 * lanes / team),
            ("SLOTS", SLOTS_PER_LANE * team),
            ("ALL_SLOTS", SLOTS_PER_LANE * lanes),
            ("TOKEN_TRIPS", self.token_trips(width, 0)),
            ("LIST_TRIPS", lanes.ilog2() + 2),
        ]
        .iter()
        .map(|(name, value)| format!("const {name} = {value}u;\n"))
        .collect();
        [&[layout::constants().as_str(), &sizes, shader!("common"), shader!("rng")], parts]
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
    fn the_team_follows_the_walk_up_to_the_width() {
        let teams = [0.0, 5.0, 11.0, 40.0, 500.0].map(|walk| Mapping::team_for(walk, 32));
        assert_eq!(teams, [4, 8, 16, 32, 32]);
        assert_eq!(Mapping::team_for(40.0, 64), 64);
    }
}
