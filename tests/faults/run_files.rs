//! What a run ends with, to be compared.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The files of a run that depend on nothing but the corpus, the flags and the seed, those of further chains too.
pub(crate) fn results(run: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let others = ["run.json", "timing.csv", "report.html"];
    for entry in fs::read_dir(run).expect("a run") {
        let entry = entry.expect("an entry");
        let name = entry.file_name().to_string_lossy().into_owned();
        if name == "chains" {
            for chain in fs::read_dir(entry.path()).expect("chains") {
                let chain = chain.expect("an entry");
                let number = chain.file_name().to_string_lossy().into_owned();
                found.extend(
                    results(&chain.path()).into_iter().map(|(name, it)| (format!("{number}/{name}"), it)),
                );
            }
        } else if entry.path().is_file() && !others.contains(&&*name) {
            found.insert(name, fs::read(entry.path()).expect("a result"));
        }
    }
    found
}

pub(crate) fn assert_same(
    found: &BTreeMap<String, Vec<u8>>,
    expected: &BTreeMap<String, Vec<u8>>,
    what: &str,
) {
    assert!(found.keys().eq(expected.keys()), "{what}: {:?}", found.keys());
    for (name, content) in expected {
        assert!(found[name] == *content, "{what}: {name} differs");
    }
}
