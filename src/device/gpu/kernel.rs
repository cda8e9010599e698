//! The mappings of documents to the GPU, and the source of the shader for each.

use super::layout;
use crate::corpus::Corpus;
pub(super) use crate::device::Kernel;
use crate::rng;

/// Trips that all loops of an invocation may make in one dispatch. Mesa's lavapipe ends loops without a word
/// after 65,535.
pub(super) const WORKGROUP_BUDGET: u32 = 60_000;

/// The same where an invocation has a document of its own. A software device runs up to 16 invocations as one
/// vector, and a trip of any of them counts for all.
pub(super) const INVOCATION_BUDGET: u32 = WORKGROUP_BUDGET / 16;

/// The longest document whose counts fit 16 bits and whose sums of half weights fit 32; longer ones always
/// get a workgroup.
const MAX_NARROW_TOKENS: usize = (1 << 16) - 1;

/// Topics of a document that are listed beside its m, where an invocation has a document of its own.
const LIST_CAPACITY: u32 = 16;

/// Workgroup memory that every device has, in bytes.
const WORKGROUP_MEMORY: usize = 16 << 10;

/// The kernel that suits a corpus: an invocation a document only where there are enough short documents to
/// fill a GPU with.
pub(super) fn choose(corpus: &Corpus) -> Kernel {
    const MANY_DOCS: usize = 50_000;
    const SHORT_DOC: usize = 2048;
    let longest = corpus.doc_lengths().max().unwrap_or(0);
    if corpus.num_docs() >= MANY_DOCS && longest <= SHORT_DOC {
        Kernel::Invocation
    } else {
        Kernel::Workgroup
    }
}

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
            _ if tokens > MAX_NARROW_TOKENS => Self::WorkgroupStorage,
            Kernel::Invocation => Self::Invocation,
            Kernel::Workgroup if fits_workgroup_memory(k_star, lanes) => Self::WorkgroupMemory,
            Kernel::Workgroup => Self::WorkgroupStorage,
        }
    }

    /// The numbers that a slot takes in storage beside its position: m, and the list of its topics.
    pub(super) fn row(self, k_star: usize) -> usize {
        match self {
            Self::Invocation => k_star + 1 + LIST_CAPACITY as usize,
            Self::WorkgroupMemory => 0,
            Self::WorkgroupStorage => k_star,
        }
    }

    /// The loop trips of a token, but for those over its word's entries and its document's topics. A loop makes
    /// one more trip than its body, to find that it is over; Philox's rounds are loops too, for the token's
    /// bits and the alias table.
    fn fixed_trips(self, lanes: u32) -> u32 {
        let walks = 2;
        let philox = 2 * (rng::ROUNDS as u32 + 1);
        match self {
            // Changes of the list end twice, and a stuck token is looked up in its column.
            Self::Invocation => 1 + walks + philox + 2 + u16::BITS + 1,
            Self::WorkgroupMemory | Self::WorkgroupStorage => 1 + walks + philox + lanes.ilog2() + 1,
        }
    }

    /// The loop trips that a token of a word with `entries` entries takes at most, with all that a dispatch
    /// must do beside it in a document of `tokens` tokens.
    pub(super) fn token_trips(self, entries: u32, tokens: u32, lanes: u32) -> u32 {
        let fixed = self.fixed_trips(lanes);
        let shared = fixed + 2 * entries.div_ceil(lanes);
        match self {
            Self::Invocation => fixed + 2 * entries + 2 * LIST_CAPACITY,
            Self::WorkgroupMemory => shared + 2 * (tokens.div_ceil(lanes) + 1),
            Self::WorkgroupStorage => shared,
        }
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
        macro_rules! shader {
            ($name:literal) => {
                include_str!(concat!("../../../shaders/", $name, ".wgsl"))
            };
        }
        let parts: &[&str] = match self {
            Self::Invocation => &[
                shader!("m_storage"),
                shader!("sum_narrow"),
                shader!("topic_list"),
                shader!("sample_z_invocation"),
            ],
            Self::WorkgroupMemory => {
                &[shader!("m_workgroup"), shader!("sum_narrow"), shader!("sample_z_workgroup")]
            }
            Self::WorkgroupStorage => {
                &[shader!("m_storage"), shader!("sum_wide"), shader!("sample_z_workgroup")]
            }
        };
        let sizes = format!(
            "const LANES = {lanes}u;\nconst SUMS = {}u;\nconst TOKEN_TRIPS = {}u;\nconst K_STAR = {k_star}u;\n\
             const M_WORDS = {}u;\nconst M_IN_STORAGE = {};\nconst LIST_CAPACITY = {LIST_CAPACITY}u;\n",
            2 * lanes,
            self.fixed_trips(lanes),
            m_words(k_star),
            self != Self::WorkgroupMemory,
        );
        [&[layout::constants().as_str(), &sizes, shader!("common"), shader!("rng")], parts]
            .concat()
            .join("\n")
    }
}

/// Words of workgroup memory for K* counts of 16 bits.
fn m_words(k_star: usize) -> usize {
    k_star.div_ceil(2)
}

fn fits_workgroup_memory(k_star: usize, lanes: u32) -> bool {
    // Two 64-bit sums for each lane, and four numbers for all; each variable is counted in steps of 16 bytes.
    (4 * m_words(k_star)).next_multiple_of(16) + 2 * 8 * lanes as usize + 4 * 16 <= WORKGROUP_MEMORY
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invocation_a_document_is_for_many_short_ones() {
        let corpus = |docs: usize, tokens: usize| {
            let doc_start = (0..=docs).map(|d| d * tokens).collect();
            Corpus { doc_start, ..Corpus::new(Vec::new(), vec![0], Vec::new()).expect("an empty corpus") }
        };
        assert_eq!(choose(&corpus(60_000, 3)), Kernel::Invocation);
        assert_eq!(choose(&corpus(2000, 3)), Kernel::Workgroup);
        assert_eq!(choose(&corpus(50_000, 2100)), Kernel::Workgroup);
    }
}
