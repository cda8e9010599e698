//! Doubly sparse: a token touches about as many entries as the shorter of its word's column and its document's topics has.

use std::sync::Arc;

use hdp_gpu::device::{Hooks, OpenOptions, ZStep};
use hdp_gpu::model::alias::TableBuilder;
use hdp_gpu::model::counts::ColumnBlock;
use hdp_gpu::model::phi::Phi;
use hdp_gpu::model::psi::Psi;
use hdp_gpu::{Corpus, Settings};
use libtest_mimic::Trial;

use crate::agree::{WAYS, Way};
use crate::gpu::place;
use crate::trial;

/// Entries that a token touches at most for each of min(K_d, K_v), beside one for each lane. A column of up to twice as many
/// entries as the document has topics is walked; a look-up touches two words; the lane that chooses walks its part again.
const TOUCHED: f64 = 2.5;

const SIZES: [usize; 3] = [4, 64, 1000];
const K_STAR: usize = 1001;

pub(crate) fn trials() -> Vec<Trial> {
    WAYS.map(|way| trial(way.named("entries_touched"), move || entries_touched(way))).into()
}

fn entries_touched(way: Way) {
    let options = way.options();
    let alone = options.with_hooks(Hooks { alter_shader: Some(columns_alone), ..options.hooks });
    assert!(touched(alone, 4, 1000) > 8 * 1000, "the count sees no columns");
    let options = options.with_hooks(Hooks { alter_shader: Some(counting), ..options.hooks });
    for topics in SIZES {
        for column in SIZES {
            // Each of the document's topics has two tokens.
            let tokens = 2 * topics;
            let touched = touched(options, topics, column) as f64 / tokens as f64;
            let most = TOUCHED * topics.min(column) as f64 + f64::from(way.team.max(8));
            assert!(touched <= most, "{touched} entries with {topics} topics and {column} entries");
            assert!(touched > 0.0, "nothing is counted");
        }
    }
}

/// With columns walked alone, a token of few topics touches far more: the count would tell.
fn columns_alone(source: String) -> String {
    let both = "&& 2u * topics < column";
    assert!(source.contains(both) || source.contains("fn list_topics("));
    counting(source.replace(both, "&& false"))
}

/// The shader with every entry counted that a token touches, as if it were a stuck token.
fn counting(source: String) -> String {
    let touch = |entries: u32| format!("atomicAdd(&results[params.k_star + RESULT_STUCK], {entries}u);");
    let mut source = source;
    let places =
        [("let block = entries[", 2), ("let weight = entries[entry];", 1), ("let e = entry_at(word, j);", 1)];
    let mut found = 0;
    for (place, entries) in places {
        found += source.matches(place).count();
        source = source.replace(place, &format!("{} {place}", touch(entries)));
    }
    assert!(found > 0, "the shader touches entries elsewhere");
    source
}

/// The entries that all tokens of a document touch, which has so many topics, with words of so many entries.
fn touched(options: OpenOptions, topics: usize, column: usize) -> u64 {
    let z: Vec<u16> = (0..2 * topics).map(|i| (i % topics) as u16).collect();
    let words = vec!["ash".to_owned()];
    let corpus = Arc::new(Corpus::new(vec![0; z.len()], vec![0, z.len()], words).unwrap());
    let mut block = ColumnBlock::new(0..1);
    (0..column as u16).for_each(|k| block.push(k, 5));
    block.end_column();
    let phi = Phi { blocks: vec![block], row_sum: vec![5.0; K_STAR] };
    let psi = Psi { psi: vec![1.0 / K_STAR as f64; K_STAR], ln_psi: vec![-(K_STAR as f64).ln(); K_STAR] };
    let mut builder = TableBuilder::default();
    // So small an α that no token draws from an alias table.
    let tables = builder.build(&phi, &psi, 1e-12);
    let params = Settings { max_topics: K_STAR as u32, ..Settings::paper() }.check().unwrap();
    let mut device = place().with_options(options).open(Arc::clone(&corpus), &params, z).unwrap();
    let is_active: Vec<bool> = (0..K_STAR).map(|k| k < topics.max(column)).collect();
    let step = ZStep { tables, iteration: 1, is_active: &is_active, docs: 0..1 };
    device.submit_z(&step).unwrap();
    device.collect_z(&step, None).unwrap().stuck_tokens
}
