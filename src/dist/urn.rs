//! The Pólya urn over a finite list of weights.

use rand::distr::Distribution;

use crate::rng::Stream;

/// The next draw of a Pólya urn: one of the `drawn` again, each with weight 1, or a fresh one from `base`
/// with weight `concentration`. This is z_i given the document's earlier z, with θ_d integrated out.
pub fn polya_urn(
    drawn: &[u16],
    concentration: f64,
    base: &impl Distribution<usize>,
    stream: &mut Stream,
) -> u16 {
    let at = stream.uniform() * (drawn.len() as f64 + concentration);
    match drawn.get(at as usize) {
        Some(&again) => again,
        None => base.sample(stream) as u16,
    }
}

#[cfg(test)]
mod tests {
    use rand::distr::weighted::WeightedIndex;
    use statrs::distribution::{ChiSquared, ContinuousCDF};

    use super::*;
    use crate::rng::Step;

    const DRAWS: u32 = 200_000;

    /// Pearson's test of `DRAWS` draws; cells of probability 0 must stay empty.
    fn assert_law(probability: &[f64], draw: impl Fn(&mut Stream) -> usize) {
        let mut count = vec![0u32; probability.len()];
        for item in 0..DRAWS {
            count[draw(&mut Stream::new(5, Step::SynthDocument, 0, item))] += 1;
        }
        let (mut statistic, mut cells) = (0.0, 0.0);
        for (cell, (&count, &p)) in count.iter().zip(probability).enumerate() {
            let expected = p * f64::from(DRAWS);
            if p == 0.0 {
                assert_eq!(count, 0, "cell {cell} has no weight");
            } else {
                statistic += (f64::from(count) - expected) * (f64::from(count) - expected) / expected;
                cells += 1.0;
            }
        }
        let p_value = ChiSquared::new(cells - 1.0).unwrap().sf(statistic);
        assert!(p_value > 1e-6, "chi-square {statistic}: {count:?}");
    }

    #[test]
    fn the_urn_weighs_what_was_drawn_against_its_base() {
        let base = WeightedIndex::new([1.0, 3.0, 0.0, 4.0]).unwrap();
        let first = [1.0 / 8.0, 3.0 / 8.0, 0.0, 4.0 / 8.0];
        assert_law(&first, |stream| usize::from(polya_urn(&[], 1.5, &base, stream)));
        // Topics 2, 0, 2 are in the urn: weights 1 + 1.5/8, 1.5·3/8, 2 and 1.5·4/8 out of 4.5.
        let fourth = [1.1875 / 4.5, 0.5625 / 4.5, 2.0 / 4.5, 0.75 / 4.5];
        assert_law(&fourth, |stream| usize::from(polya_urn(&[2, 0, 2], 1.5, &base, stream)));
    }
}
