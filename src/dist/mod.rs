//! The distributions that the host draws from, on [`crate::rng::Stream`].
//!
//! Written here, and not taken from `rand_distr`, because the same seed must give the same bits on every
//! operating system: logarithms, exponentials and ln Γ come from the pure-Rust `libm` crate only, and the
//! number of random bits that a draw takes is ours to fix.

pub mod alias;
pub mod beta;
pub mod binomial;
pub mod dirichlet;
pub mod gamma;
mod pmf;
pub mod poisson;
pub mod slice;
pub mod urn;
