//! A run: what was asked, what happened, and everything in between.

mod advance;
pub mod checkpoint;
pub mod folder;
mod journal;
mod log;
pub mod logs;
pub mod needs;
pub mod plan;
pub mod record;
pub mod results;
pub mod settled;

pub use advance::*;
pub use journal::{Every, Journal};
pub use plan::{Plan, Sampling, Until};
