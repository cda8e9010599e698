//! Topics over groups of documents and stretches of time, as much as the page can have of them.

use super::Shown;
use super::data::{GroupData, GroupView};
use super::run_files::RunFiles;
use crate::error::Result;
use crate::estimate::DocTopics;
use crate::evaluate::groups::{
    GroupTopics, Grouped, Grouping, Kind, TopicInGroup, grouped, topics_of_groups,
};
use crate::run::results::topics_by_group::{SharesRead, TopicsByGroup};

/// The most topics of groups that the page has: some 20 bytes each.
const MOST_CELLS: usize = 120_000;

/// The most characters of a group's name.
const MOST_NAME: usize = 200;

/// All groups of a page.
pub(super) struct Groups {
    pub(super) columns: Vec<GroupData>,
    /// Sentences on columns without groups.
    pub(super) others: Vec<String>,
    /// Whether intervals are the spread over samples.
    pub(super) has_samples: bool,
}

impl Groups {
    /// The groups of the documents of `shown` with the topics of `order`, the first of which is the largest. Shares of means over samples are
    /// those that the first of `runs` has written.
    pub(super) fn new(shown: Shown<'_>, runs: &[RunFiles], order: &[u16]) -> Result<Self> {
        let (found, others) = grouped(shown.corpus);
        let samples = match runs.first() {
            Some(run) if !found.is_empty() => run.samples_of_groups()?,
            _ => None,
        };
        let docs = DocTopics::of_state(shown.model, &shown.corpus.doc_start, shown.z);
        let views = found.iter().map(|column| column.groupings.len()).sum::<usize>();
        let page = Page { docs, samples, order, most_cells: MOST_CELLS / views.max(1) };
        let columns = found.into_iter().map(|column| page.column(column)).collect();
        Ok(Self { columns, others, has_samples: page.samples.is_some() })
    }
}

/// What views are made of.
struct Page<'a> {
    docs: DocTopics<'a>,
    samples: Option<TopicsByGroup>,
    order: &'a [u16],
    /// The most cells of a view.
    most_cells: usize,
}

impl Page<'_> {
    fn column(&self, column: Grouped) -> GroupData {
        let mut notes = column.notes.clone();
        let topics = topics_of_groups(&column.groupings, &self.docs);
        let view = |(grouping, groups): (_, Vec<_>)| self.view(&column, grouping, &groups, &mut notes);
        let views = column.groupings.iter().zip(topics).map(view).collect();
        let kind = match column.kind {
            Kind::Dates => "date",
            Kind::Numbers => "number",
            Kind::Names => "name",
        };
        GroupData { column: cut(&column.name), kind, notes, views }
    }

    fn view(
        &self,
        column: &Grouped,
        grouping: &Grouping,
        groups: &[GroupTopics],
        notes: &mut Vec<String>,
    ) -> GroupView {
        let mut shown: Vec<usize> = (0..groups.len()).filter(|&group| groups[group].tokens > 0).collect();
        let (all, mut topics) = (shown.len(), self.order.len());
        if column.kind == Kind::Names {
            let distinctiveness = distinctiveness(groups);
            shown.sort_by(|&a, &b| distinctiveness[b].total_cmp(&distinctiveness[a]));
            shown.truncate(count_within(
                shown.iter().map(|&group| groups[group].topics.len()),
                self.most_cells,
            ));
        } else {
            topics = count_within(self.order.iter().map(|&k| groups_with(groups, k)), self.most_cells);
        }
        notes.extend(left_out(grouping, [shown.len(), all], [topics, self.order.len()]));
        let of = |of_group: &dyn Fn(&GroupTopics) -> u64| {
            shown.iter().map(|&group| of_group(&groups[group])).collect()
        };
        GroupView {
            unit: grouping.unit.map(|unit| unit.name()),
            values: shown.iter().map(|&group| cut(&grouping.names[group])).collect(),
            at: shown.iter().filter_map(|&group| grouping.at.get(group).copied()).collect(),
            documents: of(&|group| group.documents),
            tokens: of(&|group| group.tokens),
            cells: self.cells(column, grouping, groups, &shown, topics),
        }
    }

    /// The cells of the first `topics` topics in the groups that are `shown`.
    fn cells(
        &self,
        column: &Grouped,
        grouping: &Grouping,
        groups: &[GroupTopics],
        shown: &[usize],
        topics: usize,
    ) -> Vec<Vec<i64>> {
        let last = self.order.iter().copied().max().map_or(0, usize::from);
        let mut places = vec![usize::MAX; last + 1];
        self.order.iter().take(topics).enumerate().for_each(|(at, &k)| places[usize::from(k)] = at);
        let mut cells = vec![Vec::new(); topics];
        let unit = grouping.unit.map_or("", |unit| unit.name());
        for (at, &group) in shown.iter().enumerate() {
            let read = self.samples.as_ref().and_then(|it| it.of(&column.name, unit, &grouping.names[group]));
            let own = || groups[group].topics.iter().map(of_state).collect();
            let shares: Vec<(u16, SharesRead)> = read.map_or_else(own, Iterator::collect);
            for (k, SharesRead { share, low, high }) in shares {
                let place = places.get(usize::from(k)).copied().unwrap_or(usize::MAX);
                if let Some(cells) = cells.get_mut(place) {
                    cells.push(at as i64);
                    cells.extend([share, low, high].map(millionths));
                }
            }
        }
        cells
    }
}

/// A topic of a group as the state has it.
fn of_state(topic: &TopicInGroup) -> (u16, SharesRead) {
    (topic.topic, SharesRead { share: topic.share, low: topic.low, high: topic.high })
}

/// A share in millionths; -1 if it is none.
fn millionths(share: f64) -> i64 {
    if share.is_nan() { -1 } else { (1e6 * share).round() as i64 }
}

/// The beginning of a text of the corpus.
fn cut(text: &str) -> String {
    match text.char_indices().nth(MOST_NAME) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn groups_with(groups: &[GroupTopics], k: u16) -> usize {
    groups.iter().filter(|group| group.topics.binary_search_by_key(&k, |topic| topic.topic).is_ok()).count()
}

/// How many of these sizes, from the first on, are `most` together or less; one at least.
fn count_within(sizes: impl Iterator<Item = usize>, most: usize) -> usize {
    let mut sum = 0;
    let fitting = sizes.take_while(|size| {
        sum += size;
        sum <= most
    });
    fitting.count().max(1)
}

/// What is said of groups and topics that a page has no room for.
fn left_out(
    grouping: &Grouping,
    [groups, all_groups]: [usize; 2],
    [topics, all_topics]: [usize; 2],
) -> Option<String> {
    let by = grouping.unit.map_or_else(String::new, |unit| format!("By {unit}, the "));
    let file = "topics-by-group.csv has all";
    if groups < all_groups {
        return Some(format!("The page has the {groups} most distinctive of {all_groups} groups; {file}."));
    }
    let the = if by.is_empty() { "The ".to_owned() } else { by };
    (topics < all_topics)
        .then(|| format!("{the}page has the {topics} largest of {all_topics} topics; {file}."))
}

/// How far the topics of each group are from those of all: the Kullback-Leibler divergence in nats, after as many tokens of the whole have been
/// added to each group as groups have on average, so that a group of few tokens is not distinctive by chance.
fn distinctiveness(groups: &[GroupTopics]) -> Vec<f64> {
    let last =
        groups.iter().flat_map(|group| group.topics.last()).map(|topic| topic.topic).max().unwrap_or(0);
    let mut whole = vec![0.0; usize::from(last) + 1];
    for topic in groups.iter().flat_map(|group| &group.topics) {
        whole[usize::from(topic.topic)] += topic.tokens;
    }
    let total: f64 = whole.iter().sum();
    let added = total / groups.len().max(1) as f64;
    let of_group = |group: &GroupTopics| {
        let tokens = group.tokens as f64 + added;
        let (mut sum, mut others) = (0.0, 1.0);
        for topic in &group.topics {
            let share = whole[usize::from(topic.topic)] / total;
            let own = (topic.tokens + added * share) / tokens;
            sum += own * libm::log(own / share);
            others -= share;
        }
        let scale = added / tokens;
        // Rounding can leave less than nothing.
        sum + scale * f64::max(others, 0.0) * libm::log(scale)
    };
    groups.iter().map(|group| if group.tokens == 0 { 0.0 } else { of_group(group) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(tokens: &[(u16, f64)]) -> GroupTopics {
        let sum: f64 = tokens.iter().map(|&(_, tokens)| tokens).sum();
        let topic = |&(topic, tokens): &(u16, f64)| TopicInGroup {
            topic,
            tokens,
            documents: 1,
            share: tokens / sum,
            low: 0.0,
            high: 1.0,
        };
        GroupTopics { documents: 1, tokens: sum as u64, topics: tokens.iter().map(topic).collect() }
    }

    #[test]
    fn a_group_is_distinctive_by_its_topics_and_not_by_chance() {
        let like_all = group(&[(0, 500.0), (1, 500.0)]);
        let apart = group(&[(2, 400.0)]);
        let small = group(&[(2, 2.0)]);
        let empty = GroupTopics::default();
        let found = distinctiveness(&[like_all, apart, small, empty]);
        assert!(found[1] > found[0] && found[1] > found[2] && found[2] > found[3], "{found:?}");
        assert_eq!(found[3], 0.0);
        let alike = distinctiveness(&[group(&[(0, 30.0), (1, 10.0)]), group(&[(0, 3.0), (1, 1.0)])]);
        assert!(alike.iter().all(|divergence| divergence.abs() < 1e-12), "{alike:?}");
    }

    #[test]
    fn what_fits_is_counted_from_the_first_on() {
        assert_eq!(count_within([3, 4, 5].into_iter(), 7), 2);
        assert_eq!(count_within([3, 4, 5].into_iter(), 12), 3);
        assert_eq!(count_within([30, 1].into_iter(), 7), 1);
        assert_eq!(cut(&"é".repeat(1 << 20)).chars().count(), MOST_NAME + 1);
        assert_eq!([0.1234567, 1.0, f64::NAN].map(millionths), [123_457, 1_000_000, -1]);
    }
}
