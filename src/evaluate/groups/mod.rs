//! Topics over groups of documents: those with the same value in a column of metadata, or with dates in the same stretch of time.

mod columns;
mod shares;

pub use columns::{Grouped, Grouping, Kind, grouped};
pub use shares::{GroupTopics, TopicInGroup, topics_of_groups};

/// Columns whose groups are looked at.
pub const MOST_COLUMNS: usize = 8;

/// So many values always make groups; more do when documents share them, and numbers that are no dates never.
const FEW_GROUPS: usize = 200;

/// The most groups of a column.
pub const MOST_GROUPS: usize = 10_000;

/// The most stretches of time.
const MOST_STRETCHES: usize = 600;

/// Standard deviations on either side of a share: 95 % of a normal law.
pub const WIDTH: f64 = 1.96;
