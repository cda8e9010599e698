//! The distributions that the host draws from, on [`crate::rng::Stream`].
//!
//! Draws from lists of weights are rand's and rand_distr's. Draws that a chain hangs on are written here:
//! - The same seed must give the same bits on every operating system. Logarithms, exponentials and ln Γ are the pure-Rust `libm`
//!   crate's here; in `rand_distr` they are the system's as soon as any crate of a build switches on its features `std` or
//!   `std_math`, or `std` of `num-traits`. And a new minor version of it may draw other values.
//! - Small parameters are usual in these models, and so gamma and beta variates are drawn as logarithms. As numbers they
//!   lose all their digits: `rand_distr`'s Gamma(0.003) is 0 in 10.7 % of draws, its Beta(1, 0.01) exactly 1 in 69 %.
//! - Poisson variates of means from 1 to 255 come from tables in 4 ns, 4 to 9 times as fast. Larger means, and gamma variates
//!   of shapes from 0.5, are faster there, by up to a third and by 3 to 4 times.
//!
//! tests/distributions has `rand_distr` as a second opinion.

pub mod alias;
pub mod beta;
pub mod binomial;
pub mod dirichlet;
pub mod gamma;
mod pmf;
pub mod poisson;
pub mod slice;
pub mod urn;
