//! Topics over the values of a column of metadata: years, or groups.

use std::collections::BTreeMap;

use super::Shown;
use super::data::GroupData;
use crate::corpus::MetadataColumn;

/// Columns with more different values are no groups.
const MOST_VALUES: usize = 200;

/// Columns that are looked at.
const MOST_COLUMNS: usize = 8;

/// The columns whose values make groups, with the share of each of `topics` in each group.
pub(super) fn groups(shown: Shown<'_>, topics: &[u16]) -> Vec<GroupData> {
    let columns = shown.corpus.metadata.columns.iter();
    columns.filter_map(|column| group(shown, column, topics)).take(MOST_COLUMNS).collect()
}

fn group(shown: Shown<'_>, column: &MetadataColumn, topics: &[u16]) -> Option<GroupData> {
    let values = values(column)?;
    let mut positions = vec![usize::MAX; shown.model.psi.len()];
    topics.iter().enumerate().for_each(|(at, &k)| positions[usize::from(k)] = at);
    let mut counts = vec![vec![0u64; values.len()]; topics.len()];
    let mut tokens = vec![0u64; values.len()];
    let places: BTreeMap<&str, usize> = values.iter().map(String::as_str).zip(0..).collect();
    for (d, value) in column.values.iter().enumerate().take(shown.corpus.num_docs()) {
        let Some(&place) = places.get(value.trim()) else { continue };
        for &k in &shown.z[shown.corpus.doc(d)] {
            counts[positions[usize::from(k)]][place] += 1;
            tokens[place] += 1;
        }
    }
    let share =
        |(&count, &tokens): (&u64, &u64)| if tokens == 0 { 0.0 } else { count as f64 / tokens as f64 };
    let shares = counts.iter().map(|counts| counts.iter().zip(&tokens).map(share).collect()).collect();
    Some(GroupData { column: column.name.clone(), values, tokens, shares })
}

/// The different values, numbers by size and others in byte order; none when they are too many or all the same.
fn values(column: &MetadataColumn) -> Option<Vec<String>> {
    let mut values: Vec<&str> = Vec::new();
    for value in column.values.iter().map(|value| value.trim()).filter(|value| !value.is_empty()) {
        if let Err(at) = values.binary_search(&value) {
            values.insert(at, value);
            if values.len() > MOST_VALUES {
                return None;
            }
        }
    }
    let number = |value: &&str| value.parse::<f64>().ok().filter(|number| number.is_finite());
    if values.iter().all(|value| number(value).is_some()) {
        values.sort_by(|a, b| number(a).unwrap_or(0.0).total_cmp(&number(b).unwrap_or(0.0)));
    }
    (values.len() > 1).then(|| values.into_iter().map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(values: &[&str]) -> MetadataColumn {
        MetadataColumn { name: "year".into(), values: values.iter().map(|&value| value.to_owned()).collect() }
    }

    #[test]
    fn numbers_are_in_their_order_and_few_enough() {
        assert_eq!(
            values(&column(&["10", " 9", "", "10", "-1"])),
            Some(["-1", "9", "10"].map(str::to_owned).to_vec())
        );
        assert_eq!(values(&column(&["b", "a", "10"])), Some(["10", "a", "b"].map(str::to_owned).to_vec()));
        assert_eq!(values(&column(&["a", "a", ""])), None);
        let many: Vec<String> = (0..=MOST_VALUES).map(|value| value.to_string()).collect();
        assert_eq!(values(&column(&many.iter().map(String::as_str).collect::<Vec<_>>())), None);
    }
}
