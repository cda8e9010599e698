//! The mappings of documents to the GPU, and the source of the shader for each.

use super::layout;
pub(super) use crate::device::Kernel;

/// Trips that all loops of an invocation may make in one dispatch. Mesa's lavapipe ends loops without a word
/// after 65,535.
pub(super) const WORKGROUP_BUDGET: u32 = 60_000;

/// The same where an invocation has a document of its own. A software device runs up to 16 invocations as one
/// vector, and a trip of any of them counts for all.
pub(super) const INVOCATION_BUDGET: u32 = WORKGROUP_BUDGET / 16;

/// Tokens of a document that 16-bit counts in workgroup memory are sure to hold.
pub(super) const MAX_PACKED_TOKENS: usize = (1 << 16) - 1;

/// Workgroup memory that every device has, in bytes.
const WORKGROUP_MEMORY: usize = 16 << 10;

/// A kernel with the place of m_d.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mapping {
    Invocation,
    WorkgroupMemory,
    WorkgroupStorage,
}

impl Mapping {
    pub(super) const ALL: [Self; 3] = [Self::Invocation, Self::WorkgroupMemory, Self::WorkgroupStorage];

    /// The mapping of a document with `tokens` tokens.
    pub(super) fn of(kernel: Kernel, tokens: usize, k_star: usize, lanes: u32) -> Self {
        match kernel {
            Kernel::Invocation => Self::Invocation,
            Kernel::Workgroup if tokens <= MAX_PACKED_TOKENS && fits_workgroup_memory(k_star, lanes) => {
                Self::WorkgroupMemory
            }
            Kernel::Workgroup => Self::WorkgroupStorage,
        }
    }

    /// Whether a slot has a row of m in storage.
    pub(super) fn has_rows(self) -> bool {
        self != Self::WorkgroupMemory
    }

    /// The loop trips that an invocation may make.
    pub(super) fn budget(self) -> u32 {
        match self {
            Self::Invocation => INVOCATION_BUDGET,
            Self::WorkgroupMemory | Self::WorkgroupStorage => WORKGROUP_BUDGET,
        }
    }

    /// The workgroups that `docs` documents take.
    pub(super) fn workgroups(self, docs: usize, lanes: u32) -> u32 {
        match self {
            Self::Invocation => docs.div_ceil(lanes as usize) as u32,
            Self::WorkgroupMemory | Self::WorkgroupStorage => docs as u32,
        }
    }

    /// The shader, whole: constants, then the files of shaders/.
    pub(super) fn source(self, lanes: u32, k_star: usize) -> String {
        let m = match self {
            Self::WorkgroupMemory => include_str!("../../../shaders/m_workgroup.wgsl"),
            Self::Invocation | Self::WorkgroupStorage => include_str!("../../../shaders/m_storage.wgsl"),
        };
        let sample_z = match self {
            Self::Invocation => include_str!("../../../shaders/sample_z_invocation.wgsl"),
            Self::WorkgroupMemory | Self::WorkgroupStorage => {
                include_str!("../../../shaders/sample_z_workgroup.wgsl")
            }
        };
        let sizes = format!(
            "const LANES = {lanes}u;\nconst SUMS = {}u;\nconst SCAN_STEPS = {}u;\nconst M_WORDS = {}u;\n\
             const M_IN_STORAGE = {};\n",
            2 * lanes,
            lanes.ilog2(),
            m_words(k_star),
            self.has_rows(),
        );
        let files = [include_str!("../../../shaders/common.wgsl"), include_str!("../../../shaders/rng.wgsl")];
        [&layout::constants(), &sizes, files[0], files[1], m, sample_z].join("\n")
    }
}

/// Words of workgroup memory for K* counts of 16 bits.
fn m_words(k_star: usize) -> usize {
    k_star.div_ceil(2)
}

fn fits_workgroup_memory(k_star: usize, lanes: u32) -> bool {
    // Two 64-bit sums and the random bits of a token for each lane, and two numbers for all.
    4 * m_words(k_star) + 3 * 8 * lanes as usize + 16 <= WORKGROUP_MEMORY
}
