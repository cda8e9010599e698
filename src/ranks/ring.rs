//! Sums over ranks that stand in a ring, of which each talks to the next: nobody sends more than twice what is added up, however many there
//! are.

use std::ops::Range;

/// Replaces `values` by their sums over so many ranks, of which this is one. `exchange` gives numbers to the next rank, and takes as many
/// as there is room for from the one before; `room` is used on the way.
pub(super) fn sum(
    values: &mut [u32],
    (rank, size): (usize, usize),
    room: &mut Vec<u32>,
    mut exchange: impl FnMut(&[u32], &mut [u32]),
) {
    let length = values.len();
    let part = |at: usize| -> Range<usize> {
        let at = at % size;
        at * length / size..(at + 1) * length / size
    };
    room.resize(length.div_ceil(size), 0);
    let mut pass = |values: &mut [u32], given: usize, taken: usize, take: fn(&mut u32, u32)| {
        let room = &mut room[..part(taken).len()];
        exchange(&values[part(given)], room);
        values[part(taken)].iter_mut().zip(&*room).for_each(|(value, &more)| take(value, more));
    };
    // Each part goes around once and everybody adds what is theirs; who is the last has its sum, which goes around then.
    let last = rank + size;
    (0..size - 1).for_each(|step| pass(values, last - step, last - step - 1, |value, more| *value += more));
    (0..size - 1).for_each(|step| pass(values, last - step + 1, last - step, |value, sum| *value = sum));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranks::threads;

    #[test]
    fn sums_are_those_of_all_ranks() {
        for (size, length) in [(2, 10), (3, 10), (4, 3), (5, 0), (5, 64), (7, 100)] {
            let value = |rank: usize, at: usize| (1000 * rank + at * at) as u32;
            let sums = threads(size, |ranks| {
                let mut values: Vec<u32> = (0..length).map(|at| value(ranks.rank(), at)).collect();
                let (next, before) = ((ranks.rank() + 1) % size, (ranks.rank() + size - 1) % size);
                sum(&mut values, (ranks.rank(), size), &mut Vec::new(), |given, taken| {
                    ranks.send(next, bytemuck::cast_slice(given));
                    ranks.receive_into(before, taken);
                });
                values
            });
            let expected: Vec<u32> =
                (0..length).map(|at| (0..size).map(|rank| value(rank, at)).sum()).collect();
            assert!(sums.iter().all(|sums| *sums == expected), "{size} ranks, {length} numbers: {sums:?}");
        }
    }
}
