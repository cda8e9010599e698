//! What host and shaders agree on: the structs that cross, and the constants that both use.
//!
//! The structs are compared with the shaders' by a test; the constants are written into the shaders' source.

use bytemuck::{Pod, Zeroable};

use crate::rng::{self, Step};

/// Twin of `Params` in shaders/common.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(super) struct Params {
    pub(super) key: [u32; 2],
    pub(super) iteration: u32,
    pub(super) k_star: u32,
    pub(super) budget: u32,
    pub(super) doc_begin: u32,
    pub(super) doc_end: u32,
    pub(super) d_at: u32,
    pub(super) d_dense: u32,
    pub(super) topics_at: u32,
    pub(super) counts_at: u32,
    pub(super) list_at: u32,
    pub(super) list_capacity: u32,
    pub(super) whole_begin: u32,
    pub(super) whole_docs: u32,
    pub(super) progress_at: u32,
    pub(super) heads_at: u32,
    pub(super) slots_at: u32,
    pub(super) num_slots: u32,
    pub(super) stride: u32,
}

/// Twin of `Doc` in shaders/common.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(super) struct Doc {
    pub(super) first: u32,
    pub(super) tokens: u32,
    pub(super) index: [u32; 2],
}

/// Twin of `Word` in shaders/common.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub(super) struct Word {
    pub(super) mass: [u32; 2],
    pub(super) start: u32,
    pub(super) sizes: u32,
    pub(super) blocks: u32,
    pub(super) padding: u32,
}

/// A cell of an alias table: threshold, own and other entry.
pub(super) type Cell = [u32; 2];

const _: () = assert!(size_of::<Params>() == 80);
const _: () = assert!(size_of::<Doc>() == 16);
const _: () = assert!(size_of::<Word>() == 24);

/// The low and the high half of a 64-bit number, as shaders have it.
pub(super) fn halves(number: u64) -> [u32; 2] {
    [number as u32, (number >> 32) as u32]
}

/// Places of single numbers in the results, after the rows of topics.
pub(super) const RESULT_DONE: usize = 0;
pub(super) const RESULT_STUCK: usize = 1;
pub(super) const RESULT_LIST_LENGTH: usize = 2;
/// Documents that had more topics than their team has slots.
pub(super) const RESULT_FULL: usize = 3;
/// Documents that teams have left to a workgroup, for whatever reason.
pub(super) const RESULT_LEFT: usize = 4;
/// Whether a workgroup was not the subgroup that its kernel needs.
pub(super) const RESULT_APART: usize = 5;
pub(super) const RESULT_NUMBERS: usize = 8;
/// The row of a topic that d has none for.
pub(super) const NO_ROW: u32 = u32::MAX;
/// The blocks of a word that has none.
pub(super) const NO_BLOCKS: u32 = u32::MAX;
/// Numbers in the head of a slot.
pub(super) const HEAD_LENGTH: usize = 3;

/// The bindings in their order, and whether shaders write them.
pub(super) const STORAGE_BINDINGS: [(&str, bool); 8] = [
    ("docs", false),
    ("w", false),
    ("z", true),
    ("words", false),
    ("entries", false),
    ("cells", false),
    ("results", true),
    ("state", true),
];

/// The constants as WGSL.
pub(super) fn constants() -> String {
    let [multiplier_0, multiplier_1] = rng::MULTIPLIER;
    let [weyl_0, weyl_1] = rng::WEYL;
    const { assert!(rng::ROUNDS == 10, "shaders/rng.wgsl has ten rounds") };
    [
        ("PHILOX_MULTIPLIER_0", multiplier_0),
        ("PHILOX_MULTIPLIER_1", multiplier_1),
        ("PHILOX_WEYL_0", weyl_0),
        ("PHILOX_WEYL_1", weyl_1),
        ("STEP_Z", Step::Z as u32),
        ("STEP_Z_ALIAS", Step::ZAlias as u32),
        ("RESULT_DONE", RESULT_DONE as u32),
        ("RESULT_STUCK", RESULT_STUCK as u32),
        ("RESULT_LIST_LENGTH", RESULT_LIST_LENGTH as u32),
        ("RESULT_FULL", RESULT_FULL as u32),
        ("RESULT_LEFT", RESULT_LEFT as u32),
        ("RESULT_APART", RESULT_APART as u32),
        ("NO_ROW", NO_ROW),
        ("NO_BLOCKS", NO_BLOCKS),
        ("HEAD_LENGTH", HEAD_LENGTH as u32),
    ]
    .iter()
    .map(|(name, value)| format!("const {name} = {value}u;\n"))
    .collect()
}
