//! A run on several ranks: the first one reads, decides and writes, and the others do what it orders.

mod led;
mod meeting;
mod memory;
pub mod new_docs;
mod order;
mod packed;
mod processors;
mod serve;

use crate::ranks::Ranks;

pub use self::led::meet;
pub(super) use self::led::{At, check_memory, divide};
pub use self::meeting::RankRecord;
use self::order::Order;
pub use self::serve::serve;

/// Lets the other ranks go.
pub fn dismiss(ranks: &Ranks) {
    Order::End.give(ranks);
}
