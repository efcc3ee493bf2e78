//! The tests' own rules: each one with a world ends in its invariants, and none lets time pass by itself.

use std::fs;
use std::path::{Path, PathBuf};

/// The files of a folder and of those in it.
fn files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else {
            found.push(path);
        }
    }
    Ok(found)
}

#[test]
fn every_test_ends_in_the_invariants_and_none_sleeps() -> anyhow::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all");
    let mut tests = 0;
    for path in files(&folder)? {
        let text = fs::read_to_string(&path)?;
        // In pieces, so that this file does not find itself.
        for test in text.split(&["#[tokio", "::test"].concat()).skip(1) {
            let name = test.split("async fn ").nth(1).and_then(|rest| rest.split('(').next()).unwrap_or_default();
            let body = test.split("\n}\n").next().unwrap_or_default();
            let ends = body.trim_end().ends_with("world.end().await");
            assert!(ends, "{}: `{name}` does not end in world.end()", path.display());
            tests += 1;
        }
        let sleeps = ["sl", "eep("].concat();
        assert!(!text.contains(&sleeps), "{} sleeps: wait with `until`, or move the clock", path.display());
    }
    assert!(tests > 40, "only {tests} tests were found");
    Ok(())
}
