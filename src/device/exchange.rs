//! How the lanes of a GPU that share a document tell each other what they know.

/// How the lanes of a team exchange what they know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exchange {
    /// Through the memory of their workgroup, with barriers: on every device.
    Memory,
    /// By operations of the subgroup that their workgroup is; counts of topics are in its memory.
    Subgroup,
    /// The same, and each lane has all counts of its document in memory of its own: no barriers.
    OwnSlots,
}

impl Exchange {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Memory, Self::Subgroup, Self::OwnSlots];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Subgroup => "subgroup",
            Self::OwnSlots => "own-slots",
        }
    }
}
