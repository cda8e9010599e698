//! The files of the report's page, in the order in which they are put into it.

/// The template: gets `title`, `style`, `scripts` and `data`.
pub(super) const TEMPLATE: &str = include_str!("page.html");

/// The style sheet.
pub(super) const STYLE: &str = include_str!("style.css");

/// The scripts; each uses only what those before it define, until main.js starts the page.
pub(super) const SCRIPTS: &[&str] = &[
    include_str!("data.js"),
    include_str!("state.js"),
    include_str!("format.js"),
    include_str!("dom.js"),
    include_str!("csv.js"),
    include_str!("labels.js"),
    include_str!("svg.js"),
    include_str!("figure.js"),
    include_str!("plot.js"),
    include_str!("card.js"),
    include_str!("traces.js"),
    include_str!("order.js"),
    include_str!("map.js"),
    include_str!("bars.js"),
    include_str!("topic.js"),
    include_str!("search.js"),
    include_str!("table.js"),
    include_str!("found.js"),
    include_str!("stack.js"),
    include_str!("heat.js"),
    include_str!("times.js"),
    include_str!("groups.js"),
    include_str!("quantiles.js"),
    include_str!("theme.js"),
    include_str!("main.js"),
];
