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
    pub(super) budget: u32,
    pub(super) doc_begin: u32,
    pub(super) doc_end: u32,
    pub(super) m_at: u32,
    pub(super) m_stride: u32,
    pub(super) d_at: u32,
    pub(super) d_dense: u32,
    pub(super) list_at: u32,
    pub(super) list_capacity: u32,
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
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(super) struct Word {
    pub(super) start: u32,
    pub(super) entries: u32,
    pub(super) mass: [u32; 2],
}

/// Twin of `Entry` in shaders/common.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(super) struct Entry {
    pub(super) weight: u32,
    pub(super) threshold: u32,
    pub(super) topic_alias: u32,
}

const _: () = assert!(size_of::<Params>() == 48);
const _: () = assert!(size_of::<Doc>() == 16);
const _: () = assert!(size_of::<Word>() == 16);
const _: () = assert!(size_of::<Entry>() == 12);

/// The low and the high half of a 64-bit number, as shaders have it.
pub(super) fn halves(number: u64) -> [u32; 2] {
    [number as u32, (number >> 32) as u32]
}

/// Places of single numbers at the head of the results.
pub(super) const RESULT_DONE: usize = 0;
pub(super) const RESULT_STUCK: usize = 1;
pub(super) const RESULT_LIST_LENGTH: usize = 2;
/// Where the row of each topic in d starts.
pub(super) const RESULT_ROWS: usize = 4;
/// The row of a topic that d has none for.
pub(super) const NO_ROW: u32 = u32::MAX;

/// The bindings in their order, and whether shaders write them.
pub(super) const STORAGE_BINDINGS: [(&str, bool); 8] = [
    ("docs", false),
    ("w", false),
    ("z", true),
    ("words", false),
    ("entries", false),
    ("entry_count", true),
    ("results", true),
    ("state", true),
];

/// The constants as WGSL.
pub(super) fn constants() -> String {
    let [multiplier_0, multiplier_1] = rng::MULTIPLIER;
    let [weyl_0, weyl_1] = rng::WEYL;
    [
        ("PHILOX_ROUNDS", rng::ROUNDS as u32),
        ("PHILOX_MULTIPLIER_0", multiplier_0),
        ("PHILOX_MULTIPLIER_1", multiplier_1),
        ("PHILOX_WEYL_0", weyl_0),
        ("PHILOX_WEYL_1", weyl_1),
        ("STEP_Z", Step::Z as u32),
        ("STEP_Z_ALIAS", Step::ZAlias as u32),
        ("RESULT_DONE", RESULT_DONE as u32),
        ("RESULT_STUCK", RESULT_STUCK as u32),
        ("RESULT_LIST_LENGTH", RESULT_LIST_LENGTH as u32),
        ("RESULT_ROWS", RESULT_ROWS as u32),
        ("NO_ROW", NO_ROW),
    ]
    .iter()
    .map(|(name, value)| format!("const {name} = {value}u;\n"))
    .collect()
}
