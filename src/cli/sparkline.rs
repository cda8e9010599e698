//! A trace in one line of a terminal.

const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Characters of a line.
const WIDTH: usize = 8;

/// The values of a trace.
#[derive(Debug, Default)]
pub(super) struct Sparkline(Vec<f64>);

impl Sparkline {
    pub(super) fn push(&mut self, value: f64) {
        self.0.push(value);
    }

    /// The second half so far, since the first steps of a run dwarf all others: means over stretches, from the smallest to the
    /// largest.
    pub(super) fn line(&self) -> String {
        let means = means(&self.0[self.0.len() / 2..], WIDTH);
        line_from(&means, means.iter().copied().fold(f64::INFINITY, f64::min))
    }
}

/// All of a trace, from nothing to its largest value.
pub(super) fn whole_line(values: impl Iterator<Item = f64>) -> String {
    line_from(&means(&values.collect::<Vec<_>>(), 3 * WIDTH), 0.0)
}

/// Means over stretches, of which there are at most `most`.
fn means(values: &[f64], most: usize) -> Vec<f64> {
    let stretch = values.len().div_ceil(most).max(1);
    values.chunks(stretch).map(|part| part.iter().sum::<f64>() / part.len() as f64).collect()
}

/// A bar for each value, the lowest of which stands for `least`.
fn line_from(means: &[f64], least: f64) -> String {
    let range = means.iter().copied().fold(f64::NEG_INFINITY, f64::max) - least;
    let bar = |mean: f64| if range > 0.0 { ((mean - least) / range * 7.0).round() as usize } else { 0 };
    means.iter().map(|&mean| BARS[bar(mean).min(7)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(values: impl IntoIterator<Item = f64>) -> String {
        let mut sparkline = Sparkline::default();
        values.into_iter().for_each(|value| sparkline.push(value));
        sparkline.line()
    }

    #[test]
    fn the_second_half_from_least_to_most() {
        assert_eq!(line([-100.0, 0.0, 7.0]), "▁█");
        assert_eq!(line((0..16).map(f64::from)), "▁▂▃▄▅▆▇█");
        assert_eq!(line((0..2400).map(f64::from)).chars().count(), WIDTH);
        assert_eq!(line([3.0; 4]), "▁▁");
        assert_eq!(line([]), "");
        assert_eq!(whole_line([7.0, 3.0, 0.0].into_iter()), "█▄▁");
    }
}
