//! Laws of whole samplers: what a long run must look like if every step is right, and does not if one is wrong.
//!
//! Each law is a function of a way to make chains, and passes or fails with a reason. It must pass for the samplers
//! as they are, and fail for each of the [`mutations::Mutation`]s: a law that a wrong sampler obeys tests nothing.

mod calibration;
mod chains;
#[path = "../common/mod.rs"]
mod common;
mod estimate;
mod exact;
mod geweke;
#[cfg(feature = "gpu")]
#[path = "../common/gpu.rs"]
mod gpu;
mod law;
mod mutations;
#[path = "../common/plot.rs"]
mod plot;
mod prior;
mod quantities;
mod urn;
