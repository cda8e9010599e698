//! Poisson variates: one look-up in an alias table for means below 256, rejection above.

use super::{alias, pmf};
use crate::rng::Stream;

/// Means below this have tables.
const TABLE_MEANS: u32 = 256;

/// Values less likely than this, 2^-64, are left out of a table.
const LEAST_MASS: f64 = 1.0 / (1u128 << 64) as f64;

/// The low bits of a cell that hold its alias; the largest table has 287 cells.
const ALIAS_MASK: u64 = (1 << 9) - 1;

/// The Poisson law of one mean.
#[derive(Clone, Debug)]
pub struct Poisson(Law);

#[derive(Clone, Debug)]
enum Law {
    Table { cells: Vec<u64>, span: Span },
    Rejection(Rejection),
}

impl Poisson {
    /// The law of `mean`, from 0 to 2^32.
    pub fn new(mean: f64) -> Self {
        debug_assert!((0.0..=4_294_967_296.0).contains(&mean), "a Poisson mean of {mean}");
        if mean >= f64::from(TABLE_MEANS) {
            return Self(Law::Rejection(Rejection::new(mean)));
        }
        let mut tables = Tables::default();
        let span = tables.push(mean);
        Self(Law::Table { cells: tables.cells, span })
    }

    /// One draw. Below a mean of 256 it takes 64 random bits, at a mean of 0 too.
    #[inline]
    pub fn sample(&self, stream: &mut Stream) -> u64 {
        match &self.0 {
            Law::Table { cells, span } => span.sample(cells, stream),
            Law::Rejection(rejection) => rejection.sample(stream),
        }
    }
}

/// The Poisson laws of all integer means: those below 256 have their tables side by side.
#[derive(Clone, Debug)]
pub struct PoissonByCount {
    spans: Vec<Span>,
    cells: Vec<u64>,
}

impl PoissonByCount {
    /// Builds the tables.
    pub fn new() -> Self {
        let mut tables = Tables::default();
        let spans = (0..TABLE_MEANS).map(|mean| tables.push(f64::from(mean))).collect();
        Self { spans, cells: tables.cells }
    }

    /// One draw of mean `mean`, the same as that of [`Poisson`]: 64 random bits below 256, at 0 too.
    #[inline]
    pub fn sample(&self, mean: u32, stream: &mut Stream) -> u64 {
        match self.spans.get(mean as usize) {
            Some(span) => span.sample(&self.cells, stream),
            None => Rejection::new(f64::from(mean)).sample(stream),
        }
    }
}

impl Default for PoissonByCount {
    fn default() -> Self {
        Self::new()
    }
}

/// Where a table lies in an array of cells, and the value that its first cell stands for.
#[derive(Clone, Copy, Debug)]
struct Span {
    first: u32,
    len: u16,
    least: u16,
}

impl Span {
    /// The high half of r·len is the cell, the low half the uniform inside it.
    ///
    /// A cell is one word, the threshold with the alias in its low bits: half the memory, and a law that is
    /// moved by less than 2^-55, which is below the rounding of the probabilities.
    #[inline]
    fn sample(self, cells: &[u64], stream: &mut Stream) -> u64 {
        let product = u128::from(stream.next_u64()) * u128::from(self.len);
        let (at, inside) = ((product >> 64) as u64, product as u64);
        let cell = cells[self.first as usize + at as usize];
        u64::from(self.least) + if inside < cell { at } else { cell & ALIAS_MASK }
    }
}

/// Tables in the making.
#[derive(Default)]
struct Tables {
    cells: Vec<u64>,
    masses: Vec<f64>,
    scratch: alias::Scratch,
}

impl Tables {
    /// Adds the table of `mean`.
    fn push(&mut self, mean: f64) -> Span {
        let mass = |k: u64| libm::exp(pmf::ln_poisson(k as f64, mean));
        let mode = mean as u64;
        let least = (0..mode).rev().find(|&k| mass(k) < LEAST_MASS).map_or(0, |k| k + 1);
        self.masses.clear();
        self.masses.extend((least..).map(mass).take_while(|&mass| mass >= LEAST_MASS));

        let (first, len) = (self.cells.len(), self.masses.len());
        debug_assert!(len as u64 <= ALIAS_MASK + 1, "an alias of the table of {mean} needs more bits");
        self.cells.resize(first + len, 0);
        let cells = &mut self.cells[first..];
        alias::build(&self.masses, &mut self.scratch, |cell, own, alias| {
            let threshold = (own * (1u128 << 64) as f64) as u64;
            cells[cell] = threshold & !ALIAS_MASK | alias as u64;
        });
        Span { first: first as u32, len: len as u16, least: least as u16 }
    }
}

/// Hörmann's transformed rejection with squeeze (1993, "The transformed rejection method for generating
/// Poisson random variables", algorithm PTRS), for means of 10 and more.
#[derive(Clone, Debug)]
struct Rejection {
    mean: f64,
    a: f64,
    b: f64,
    squeeze: f64,
    inverse_alpha: f64,
}

impl Rejection {
    fn new(mean: f64) -> Self {
        let b = 0.931 + 2.53 * mean.sqrt();
        Self {
            mean,
            a: -0.059 + 0.02483 * b,
            b,
            squeeze: 0.9277 - 3.6224 / (b - 2.0),
            inverse_alpha: 1.1239 + 1.1328 / (b - 3.4),
        }
    }

    fn sample(&self, stream: &mut Stream) -> u64 {
        loop {
            let u = stream.uniform() - 0.5;
            let v = stream.uniform();
            let edge = 0.5 - u.abs();
            let k = ((2.0 * self.a / edge + self.b) * u + self.mean + 0.43).floor();
            if edge >= 0.07 && v <= self.squeeze {
                return k as u64;
            }
            if k < 0.0 || (edge < 0.013 && v > edge) {
                continue;
            }
            let hat = self.a / (edge * edge) + self.b;
            if libm::log(v * self.inverse_alpha / hat) <= pmf::ln_poisson(k, self.mean) {
                return k as u64;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Step;

    fn stream() -> Stream {
        Stream::new(1, Step::Phi, 2, 3)
    }

    #[test]
    fn known_draws() {
        for (mean, expected) in [
            (2.5, [1, 3, 2, 4, 4, 2]),
            (100.0, [91, 105, 117, 111, 108, 98]),
            (300.0, [274, 301, 322, 291, 307, 293]),
            (4e9, [3999906912, 4000004756, 4000080864, 3999968675, 4000025334, 3999973998]),
        ] {
            let (law, mut stream) = (Poisson::new(mean), stream());
            assert_eq!(expected.map(|_: u64| law.sample(&mut stream)), expected, "mean {mean}");
        }
    }

    #[test]
    fn counts_draw_what_their_mean_draws() {
        let by_count = PoissonByCount::new();
        for mean in [0, 1, 3, 255, 256, 1_000_000] {
            let law = Poisson::new(f64::from(mean));
            let (mut left, mut right) = (stream(), stream());
            for _ in 0..100 {
                assert_eq!(by_count.sample(mean, &mut left), law.sample(&mut right), "mean {mean}");
            }
            assert_eq!(left.next_u32(), right.next_u32(), "mean {mean}: as many bits taken");
        }
    }

    /// The law that the cells of a table add up to, value by value, is the Poisson law.
    #[test]
    fn tables_hold_the_law() {
        let by_count = PoissonByCount::new();
        for (mean, span) in by_count.spans.iter().enumerate() {
            let len = usize::from(span.len);
            let cells = &by_count.cells[span.first as usize..][..len];
            let mut law = vec![0.0; len];
            for (at, &cell) in cells.iter().enumerate() {
                let own = cell as f64 / (1u128 << 64) as f64;
                law[at] += own / len as f64;
                law[(cell & ALIAS_MASK) as usize] += (1.0 - own) / len as f64;
            }
            for (at, mass) in law.iter().enumerate() {
                let k = (usize::from(span.least) + at) as f64;
                let exact = libm::exp(pmf::ln_poisson(k, mean as f64));
                assert!((mass - exact).abs() < 1e-14, "mean {mean}, value {k}: {mass} for {exact}");
            }
            let total: f64 = law.iter().sum();
            assert!((total - 1.0).abs() < 1e-12, "mean {mean}: the law adds up to {total}");
        }
    }

    #[test]
    fn a_mean_of_zero_gives_zero_for_64_bits() {
        let (mut drawn, mut skipped) = (stream(), stream());
        assert_eq!(Poisson::new(0.0).sample(&mut drawn), 0);
        skipped.next_u64();
        assert_eq!(drawn.next_u32(), skipped.next_u32());
    }
}
