//! The tests' own rules: each one with a database ends in the invariants, and none lets time pass by itself. And rules
//! that only the text of the sources can tell.

use api::contract::idempotency::Repeat;
use api::contract::table::TABLE;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The folders whose tests have a database of the service, and a number of tests that each has at least.
const WITH_DATABASES: [(&str, usize); 2] = [("tests/tests", 500), ("cli/tests", 10)];
/// Tests that end otherwise: of templates of databases, of a schema without rows, of a start that fails, of packages,
/// of generated files, one that reads the log to its end, and three of `mws up`, whose database stops with it.
const OTHERS: [&str; 16] = [
    "a_newer_schema_is_left_as_it_is_and_one_with_a_foreign_migration_is_refused",
    "a_test_database_has_the_schema_and_is_nobody_elses",
    "a_database_is_dropped_even_while_it_is_in_use",
    "its_url_leads_to_it",
    "many_databases_at_once_are_no_trouble",
    "the_release_before_finds_all_that_its_statements_name_beside_newer_migrations",
    "what_a_migration_takes_from_statements_is_noticed_and_what_it_adds_is_not",
    "a_file_of_roots_that_holds_none_stops_the_start_and_is_named",
    "no_secret_is_logged_whatever_is_done_and_however_much_is_logged",
    "the_python_package_holds_its_own_tests",
    "the_typescript_package_holds_its_own_tests",
    "what_is_generated_of_the_libraries_is_of_this_document",
    "the_pages_of_the_tools_are_of_this_document",
    "up_says_that_it_is_ready_gives_the_other_commands_their_key_and_stops_cleanly",
    "up_in_the_background_goes_on_without_its_caller_until_it_is_told_to_stop",
    "make_demo_shows_that_everything_works_and_a_film_about_the_river_in_its_length",
];

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
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut others = 0;
    for (folder, least) in WITH_DATABASES {
        let mut tests = 0;
        for path in files(&root.join(folder))? {
            let text = fs::read_to_string(&path)?;
            // In pieces, so that this file does not find itself.
            for test in text.split(&["#[tokio", "::test"].concat()).skip(1) {
                let name = test.split("async fn ").nth(1).and_then(|rest| rest.split('(').next()).unwrap_or_default();
                let body = test.split("\n}\n").next().unwrap_or_default();
                let ends = body.trim_end().ends_with(".end().await");
                assert!(ends || OTHERS.contains(&name), "{}: `{name}` does not end in the invariants", path.display());
                others += usize::from(!ends);
                tests += 1;
            }
            let sleeps = ["sl", "eep("].concat();
            assert!(!text.contains(&sleeps), "{} sleeps: wait with `until`, or move the clock", path.display());
        }
        assert!(tests >= least, "only {tests} tests were found in {folder}");
    }
    assert_eq!(others, OTHERS.len(), "a test that `OTHERS` names is not there, or ends in the invariants");
    Ok(())
}

#[test]
fn no_page_and_no_source_holds_a_merge_that_was_not_settled() -> anyhow::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    for folder in ["api", "bench", "cli", "common", "deploy", "docs", "migrations", "scheduler", "tests", "worker"] {
        found.extend(files(&root.join(folder))?);
    }
    found.extend(["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(|page| root.join(page)));
    let mut texts = 0;
    for path in found {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let is_marker = |line: &&str| ["<<<<<<< ", ">>>>>>> "].iter().any(|marker| line.starts_with(marker));
        assert_eq!(text.lines().find(is_marker), None, "{}", path.display());
        texts += 1;
    }
    assert!(texts > 1_000, "only {texts} texts were looked at");
    Ok(())
}

#[test]
fn the_store_has_no_tests_of_its_own_since_none_would_be_run() -> anyhow::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let sources = files(&root.join("common/store/src"))?;
    assert!(sources.len() > 50, "only {} files were looked at", sources.len());
    for path in sources.iter().filter(|path| path.extension().is_some_and(|kind| kind == "rs")) {
        let text = fs::read_to_string(path)?;
        let tests = ["cfg(test)", "#[test]"].into_iter().find(|mark| text.contains(mark));
        assert_eq!(tests, None, "{}: its tests belong into `tests`, see the store's Cargo.toml", path.display());
    }
    Ok(())
}

#[test]
fn no_library_has_tests_in_its_comments_since_none_would_be_run() -> anyhow::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let workspace = fs::read_to_string(root.join("Cargo.toml"))?;
    let members = workspace.lines().find(|line| line.starts_with("members = ")).unwrap_or_default();
    let is_library = |member: &&str| root.join(member).join("src/lib.rs").is_file();
    let mut libraries = 0;
    // `scripts/suite` runs programs of tests, and cargo makes none of these.
    for member in members.split('"').skip(1).step_by(2).filter(is_library) {
        let manifest = fs::read_to_string(root.join(member).join("Cargo.toml"))?;
        assert!(manifest.contains("doctest = false"), "{member}: its Cargo.toml has to say doctest = false");
        libraries += 1;
    }
    assert!(libraries > 8, "only {libraries} libraries were looked at");
    Ok(())
}

/// The path of a handler as the document has it: `/keys/{id}` of `/keys/:id`.
fn documented(path: &str) -> String {
    let part = |part: &str| part.strip_prefix(':').map_or_else(|| part.to_owned(), |name| format!("{{{name}}}"));
    path.split('/').map(part).collect::<Vec<_>>().join("/")
}

#[test]
fn a_handler_takes_the_key_where_the_table_says_that_its_answer_is_kept_and_nowhere_else() -> anyhow::Result<()> {
    let mut take = BTreeSet::new();
    for path in files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../api/src/resources"))? {
        let text = fs::read_to_string(&path)?;
        for handler in text.split("#[oai(path = \"").skip(1) {
            let (template, rest) = handler.split_once('"').unwrap_or_default();
            let signature = rest.split("->").next().unwrap_or_default();
            if signature.starts_with(", method = \"post\"") && signature.contains("IdempotencyKey") {
                take.insert(format!("POST {}", documented(template)));
            }
        }
    }
    let kept = TABLE.iter().filter(|row| row.repeat == Some(Repeat::Kept)).map(|row| row.operation.to_owned());
    assert_eq!(take, kept.collect::<BTreeSet<_>>());
    Ok(())
}
