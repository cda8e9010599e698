//! Walker's alias method: a table of n cells from which a draw proportional to n weights costs one look-up.

use crate::heap::Heap;

/// Room for [`build`], kept between tables so that nothing is allocated.
#[derive(Debug, Default)]
pub struct Scratch {
    /// Weights scaled so that an even share is 1; a cell's own part once it is settled.
    share: Vec<f64>,
    /// Two stacks of cells that grow towards each other: small ones from the front, large ones from the end.
    stacks: Vec<u32>,
}

impl Scratch {
    /// What it takes for tables of up to so many cells.
    pub(crate) fn bytes(cells: f64) -> Heap {
        Heap::grown::<f64>(1.0, cells) + Heap::grown::<u32>(1.0, cells)
    }

    #[cfg(test)]
    pub(crate) fn heap_bytes(&self) -> Heap {
        let Self { share, stacks } = self;
        crate::heap::held(share) + crate::heap::held(stacks)
    }
}

/// Builds the table of `weights` and hands every cell to `emit(cell, own, alias)`, once each: a draw that
/// falls into `cell` returns `cell` with probability `own`, else `alias`.
///
/// Weights are finite and not negative, and their sum is a normal number: one over a smaller sum is infinite.
pub fn build(weights: &[f64], scratch: &mut Scratch, mut emit: impl FnMut(usize, f64, usize)) {
    let total: f64 = weights.iter().sum();
    debug_assert!(total > 0.0 && total.is_normal(), "an alias table needs mass, not {total}");
    let Scratch { share, stacks } = scratch;
    let even = weights.len() as f64 / total;
    share.clear();
    share.extend(weights.iter().map(|weight| weight * even));
    stacks.resize(weights.len(), 0);
    let (mut small_end, mut large_start) = (0, stacks.len());
    for (cell, &part) in share.iter().enumerate() {
        let is_small = part < 1.0;
        large_start -= usize::from(!is_small);
        stacks[if is_small { small_end } else { large_start }] = cell as u32;
        small_end += usize::from(is_small);
    }
    // A large cell is only looked at here, and popped when it has shrunk: popping both stacks at once would
    // lose a cell when the other one is empty.
    while small_end > 0 && large_start < stacks.len() {
        small_end -= 1;
        let (cell, alias) = (stacks[small_end] as usize, stacks[large_start] as usize);
        emit(cell, share[cell], alias);
        share[alias] -= 1.0 - share[cell];
        if share[alias] < 1.0 {
            stacks[small_end] = alias as u32;
            (small_end, large_start) = (small_end + 1, large_start + 1);
        }
    }
    // What is left on either stack is a full cell but for rounding.
    for &cell in stacks[..small_end].iter().chain(&stacks[large_start..]) {
        emit(cell as usize, 1.0, cell as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The law that the cells add up to.
    fn law(weights: &[f64]) -> Vec<f64> {
        let mut law = vec![0.0; weights.len()];
        let mut emitted = 0;
        build(weights, &mut Scratch::default(), |cell, own, alias| {
            law[cell] += own / weights.len() as f64;
            law[alias] += (1.0 - own) / weights.len() as f64;
            emitted += 1;
        });
        assert_eq!(emitted, weights.len(), "every cell is settled once");
        law
    }

    #[test]
    fn the_law_of_the_table_is_that_of_the_weights() {
        let geometric: Vec<f64> = (0..700).map(|k| (-f64::from(k)).exp()).collect();
        let cases: [&[f64]; 6] =
            [&[3.0], &[1.0, 1.0, 1.0], &[0.0, 5.0, 0.0], &[1e-300, 1.0], &[0.1, 0.7, 0.2], &geometric];
        for weights in cases {
            let total: f64 = weights.iter().sum();
            for (cell, (&weight, mass)) in weights.iter().zip(law(weights)).enumerate() {
                assert!((mass - weight / total).abs() < 1e-13, "cell {cell} of {weights:?}: {mass}");
            }
        }
    }
}
