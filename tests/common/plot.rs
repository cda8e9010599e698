//! Pictures of results as SVG: a histogram with the level that its bars should have, and lines.
//!
//! The tests below use every item, so that a test file or an example may take only what it needs.

use std::error::Error;
use std::ops::Range;
use std::path::Path;

use plotters::coord::Shift;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;

const SIZE: (u32, u32) = (720, 400);
const FONT: &str = "sans-serif";
const GRID: RGBColor = RGBColor(225, 225, 225);

/// Colours that are told apart in print and by the colour-blind (Okabe and Ito).
pub(crate) const BLUE: RGBColor = RGBColor(0, 114, 178);
pub(crate) const ORANGE: RGBColor = RGBColor(213, 94, 0);
pub(crate) const GREEN: RGBColor = RGBColor(0, 158, 115);

pub(crate) type Drawn = Result<(), Box<dyn Error>>;

/// What is written around a picture.
pub(crate) struct Titles<'a> {
    pub(crate) title: &'a str,
    pub(crate) x: &'a str,
    pub(crate) y: &'a str,
}

/// Where the legend is.
#[derive(Clone, Copy)]
pub(crate) enum Corner {
    UpperLeft,
    UpperRight,
}

impl From<Corner> for SeriesLabelPosition {
    fn from(corner: Corner) -> Self {
        match corner {
            Corner::UpperLeft => Self::UpperLeft,
            Corner::UpperRight => Self::UpperRight,
        }
    }
}

/// Whether an axis is linear or logarithmic.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Scale {
    Linear,
    Log,
}

/// A kind of run: single runs are drawn faint, their mean bold.
pub(crate) struct Series<'a> {
    pub(crate) name: &'a str,
    pub(crate) color: RGBColor,
    pub(crate) runs: &'a [Vec<(f64, f64)>],
    pub(crate) mean: &'a [(f64, f64)],
}

/// An axis over a range of values.
struct Axis {
    scale: Scale,
    range: Range<f64>,
}

impl Axis {
    /// The range of `values`, with a little room at both ends.
    fn around(scale: Scale, values: impl Iterator<Item = f64> + Clone) -> Self {
        let least = values.clone().fold(f64::INFINITY, f64::min);
        let most = values.fold(f64::NEG_INFINITY, f64::max);
        let range = match scale {
            Scale::Linear => {
                let room = if most > least { 0.03 * (most - least) } else { 1.0 };
                least - room..most + room
            }
            Scale::Log => {
                let room = if most > least { (most / least).powf(0.03) } else { 2.0 };
                least / room..most * room
            }
        };
        Self { scale, range }
    }

    fn place(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => value,
            Scale::Log => value.ln(),
        }
    }
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, &value: &f64, (first, last): (i32, i32)) -> i32 {
        let (low, high) = (self.place(self.range.start), self.place(self.range.end));
        first + (f64::from(last - first) * (self.place(value) - low) / (high - low)).round() as i32
    }

    /// Round numbers; on a logarithmic axis 1, 2, 5 times the powers of ten, or the powers alone where they are many.
    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        let Range { start, end } = self.range;
        if self.scale == Scale::Linear {
            return RangedCoordf64::from(start..end).key_points(hint);
        }
        let digits: &[f64] = if end / start > 1e4 { &[1.0] } else { &[1.0, 2.0, 5.0] };
        let decades = start.log10().floor() as i32..=end.log10().ceil() as i32;
        let points = decades.flat_map(|decade| digits.iter().map(move |digit| digit * 10f64.powi(decade)));
        points.filter(|point| self.range.contains(point)).collect()
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

impl ValueFormatter<f64> for Axis {
    /// Thousands are set apart; digits after the point are as few as the number needs.
    fn format_ext(&self, value: &f64) -> String {
        let rounded = (value * 1e6).round() / 1e6;
        let text = rounded.abs().to_string();
        let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
        let mut grouped = String::new();
        for (at, digit) in whole.chars().enumerate() {
            if at > 0 && (whole.len() - at).is_multiple_of(3) {
                grouped.push(',');
            }
            grouped.push(digit);
        }
        format!("{}{grouped}{rest}", if rounded < 0.0 { "−" } else { "" })
    }
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Axis, Axis>>;

fn area(path: &Path) -> Result<Area<'_>, Box<dyn Error>> {
    let area = SVGBackend::new(path, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    Ok(area)
}

/// Titles, axes and grid.
fn chart<'a, 'b>(
    area: &'a Area<'b>,
    titles: &Titles,
    x: Axis,
    y: Axis,
) -> Result<Chart<'a, 'b>, Box<dyn Error>> {
    let longest = y.key_points(10).iter().map(|point| y.format_ext(point).chars().count()).max();
    let mut chart = ChartBuilder::on(area)
        .caption(titles.title, (FONT, 22))
        .margin(14)
        .x_label_area_size(50)
        .y_label_area_size(40 + 9 * longest.unwrap_or(0) as u32)
        .build_cartesian_2d(x, y)?;
    chart
        .configure_mesh()
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT)
        .axis_style(BLACK)
        .label_style((FONT, 16))
        .axis_desc_style((FONT, 17))
        .x_desc(titles.x)
        .y_desc(titles.y)
        .draw()?;
    Ok(chart)
}

/// The legend, in a corner of the plot.
fn legend<'a, 'b: 'a>(chart: &mut Chart<'a, 'b>, corner: Corner) -> Drawn {
    chart
        .configure_series_labels()
        .position(corner.into())
        .background_style(WHITE.mix(0.85))
        .border_style(GRID)
        .label_font((FONT, 16))
        .draw()?;
    Ok(())
}

/// Bars for the counts of 0, 1, …, the level that they all should have, and the band that holds a bar with
/// `probability`.
pub(crate) fn histogram(
    path: &Path,
    titles: &Titles,
    counts: &[u64],
    level: f64,
    (band, probability): (Range<f64>, f64),
) -> Drawn {
    let most = counts.iter().map(|&count| count as f64).fold(band.end, f64::max);
    let x = Axis { scale: Scale::Linear, range: -0.75..counts.len() as f64 - 0.25 };
    let y = Axis { scale: Scale::Linear, range: 0.0..1.3 * most };
    let ends = (x.range.start, x.range.end);
    let area = area(path)?;
    let mut chart = chart(&area, titles, x, y)?;

    let grey = BLACK.mix(0.13).filled();
    chart
        .draw_series([Rectangle::new([(ends.0, band.start), (ends.1, band.end)], grey)])?
        .label(format!("{} % of counts", 100.0 * probability))
        .legend(move |(x, y)| Rectangle::new([(x, y - 6), (x + 18, y + 6)], grey));
    chart.draw_series((0..).zip(counts).map(|(rank, &count)| {
        let rank = f64::from(rank);
        Rectangle::new([(rank - 0.38, 0.0), (rank + 0.38, count as f64)], BLUE.mix(0.75).filled())
    }))?;
    chart
        .draw_series(LineSeries::new([(ends.0, level), (ends.1, level)], BLACK.stroke_width(2)))?
        .label(format!("expected: {level}"))
        .legend(|(x, y)| PathElement::new([(x, y), (x + 18, y)], BLACK.stroke_width(2)));
    legend(&mut chart, Corner::UpperRight)?;
    area.present()?;
    Ok(())
}

/// Lines through the points of several series, with the legend in a corner.
pub(crate) fn lines(
    path: &Path,
    titles: &Titles,
    (x, y): (Scale, Scale),
    corner: Corner,
    series: &[Series],
) -> Drawn {
    let runs = || series.iter().flat_map(|series| series.runs.iter().map(Vec::as_slice).chain([series.mean]));
    let points = runs().flatten();
    let x = Axis::around(x, points.clone().map(|point| point.0));
    let y = Axis::around(y, points.map(|point| point.1));
    let area = area(path)?;
    let mut chart = chart(&area, titles, x, y)?;
    for Series { color, runs, .. } in series {
        for run in *runs {
            chart.draw_series(LineSeries::new(run.iter().copied(), color.mix(0.3)))?;
        }
    }
    for &Series { name, color, mean, .. } in series {
        chart
            .draw_series(LineSeries::new(mean.iter().copied(), color.stroke_width(3)))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], color.stroke_width(3)));
    }
    legend(&mut chart, corner)?;
    area.present()?;
    Ok(())
}

#[test]
fn pictures_say_what_they_show() {
    let folder = tempfile::tempdir().expect("a folder");
    let written = |draw: &dyn Fn(&Path) -> Drawn| {
        let path = folder.path().join("picture.svg");
        draw(&path).expect("a picture");
        std::fs::read_to_string(&path).expect("it is there")
    };
    let titles = Titles { title: "Ranks of truth", x: "rank", y: "corpora" };
    let svg = written(&|path| histogram(path, &titles, &[12, 8, 10], 10.0, (1.0..21.0, 0.999)));
    for text in ["Ranks of truth", "rank", "corpora", "expected: 10", "99.9 % of counts"] {
        assert!(svg.contains(text), "{text} is not in {svg}");
    }
    let run: Vec<(f64, f64)> = (1..=1000).map(|i| (f64::from(i), -1e6 / f64::from(i))).collect();
    let named = |name, color| Series { name, color, runs: &[], mean: &run };
    let series = [Series { runs: std::slice::from_ref(&run), ..named("one", ORANGE) }, named("two", GREEN)];
    let svg = written(&|path| lines(path, &titles, (Scale::Log, Scale::Linear), Corner::UpperLeft, &series));
    for text in ["one", "two", "\n200\n", "1,000", "−500,000"] {
        assert!(svg.contains(text), "{text} is not in {svg}");
    }
}
