//! The house's own rules: the api's floors, where its transactions begin, circles of files, one style of modules and of
//! their tests, how long a file and a line may be. Tests of a file are not held to the floors and circles, since a test
//! may well look at the whole.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The api's floors, the ground first. A file uses what is on its own floor or below it.
const FLOORS: [&str; 10] =
    ["http", "contract", "oauth", "app", "auth", "usecases", "resources", "routes", "openapi", "server"];

/// The crates whose modules are `name/mod.rs` where they have files of their own, and never `name.rs` beside `name/`.
const CRATES: [&str; 13] = [
    "api",
    "bench",
    "cli",
    "common/domain",
    "common/embedded-postgres",
    "common/feeds",
    "common/picture",
    "common/runtime",
    "common/store",
    "scheduler",
    "signature",
    "tests",
    "worker",
];

/// The crates that have no SQL: all of it is the store's.
const WITHOUT_SQL: [&str; 9] = [
    "api",
    "cli",
    "common/domain",
    "common/feeds",
    "common/picture",
    "common/runtime",
    "scheduler",
    "signature",
    "worker",
];

/// What of the database's crate those may name: connections, pools, errors and types, and no way to ask anything.
const SQLX_WITHOUT_SQL: [&str; 17] = [
    "Acquire",
    "Connection",
    "Decode",
    "Encode",
    "Error",
    "PgConnection",
    "PgPool",
    "Postgres",
    "Result",
    "Transaction",
    "Type",
    "encode",
    "error",
    "migrate",
    "pool",
    "postgres",
    "types",
];

pub(super) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_owned).unwrap_or_default()
}

/// The Rust files of a folder and of those in it.
pub(super) fn sources(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(sources(&path)?);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            found.push(path);
        }
    }
    Ok(found)
}

/// The module of a file, as its path within the crate: `resources::webhooks` for `resources/webhooks/mod.rs`.
pub(super) fn module(crate_src: &Path, file: &Path) -> anyhow::Result<Vec<String>> {
    let within = file.strip_prefix(crate_src)?.with_extension("");
    let mut parts: Vec<String> = within.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if parts.last().is_some_and(|last| last == "mod") {
        parts.pop();
    }
    Ok(parts)
}

/// The paths that a module's text imports or names within its crate, each as its parts.
fn used_paths(text: &str, module: &[String]) -> Vec<Vec<String>> {
    let mut paths = named_paths(text, "crate::");
    let mut up = 0;
    for rest in text.split("super::").skip(1) {
        up += 1;
        // Behind another `super::` the path begins.
        if !rest.is_empty() {
            let above = &module[..module.len().saturating_sub(up)];
            take_path(rest, above.to_vec(), &mut paths);
            up = 0;
        }
    }
    paths
}

/// The paths behind this word, each as its parts. Groups in braces are taken apart.
fn named_paths(text: &str, word: &str) -> Vec<Vec<String>> {
    let mut paths = Vec::new();
    for rest in text.split(word).skip(1) {
        take_path(rest, Vec::new(), &mut paths);
    }
    paths
}

/// Takes a path, or a group of them in braces, off the text, and returns what is left behind it.
fn take_path<'a>(text: &'a str, mut stem: Vec<String>, paths: &mut Vec<Vec<String>>) -> &'a str {
    let text = text.trim_start();
    if let Some(mut rest) = text.strip_prefix('{') {
        loop {
            rest = take_path(rest, stem.clone(), paths).trim_start();
            match rest.strip_prefix(',') {
                Some(more) => rest = more,
                None => return rest.strip_prefix('}').unwrap_or(rest),
            }
        }
    }
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    if !word.is_empty() {
        stem.push(word.to_owned());
    }
    if let Some(rest) = rest.strip_prefix("::") {
        return take_path(rest, stem, paths);
    }
    if !stem.is_empty() {
        paths.push(stem);
    }
    // Past a name that it is given here.
    match rest.trim_start().strip_prefix("as ") {
        Some(renamed) => renamed.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_'),
        None => rest,
    }
}

/// A file's text without its tests, which stand at its end, and its comments.
pub(super) fn code(file: &Path) -> anyhow::Result<String> {
    let text = fs::read_to_string(file)?;
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    assert!(!code.contains("crate::*"), "{} imports all of the crate", file.display());
    Ok(code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n"))
}

/// Whether a file of the repository is one of tests: by its own name, by a folder within `src`, or for want of `src`.
pub(super) fn is_test(file: &Path) -> bool {
    let name = file.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let within = file.strip_prefix(root()).unwrap_or(file);
    let mut parts = within.iter().skip_while(|part| *part != "src").skip(1).peekable();
    name == "tests" || parts.peek().is_none() || parts.any(|part| part == "tests")
}

#[test]
fn no_floor_of_the_api_uses_a_higher_one() -> anyhow::Result<()> {
    let src = root().join("api/src");
    let floor = |name: &str| FLOORS.iter().position(|floor| *floor == name);
    let mut seen = BTreeSet::new();
    for file in sources(&src)? {
        let module = module(&src, &file)?;
        let Some(own) = module.first().and_then(|first| floor(first)) else { continue };
        if is_test(&file) {
            continue;
        }
        seen.insert(own);
        for path in used_paths(&code(&file)?, &module) {
            let used = floor(&path[0]).unwrap_or(FLOORS.len());
            assert!(used <= own, "{} uses {}, which is above it", file.display(), path.join("::"));
        }
    }
    assert_eq!(seen.len(), FLOORS.len(), "a floor has no file");
    Ok(())
}

#[test]
fn a_transaction_of_the_api_begins_in_a_use_case_alone() -> anyhow::Result<()> {
    let src = root().join("api/src");
    let mut begin_one = 0;
    for file in sources(&src)?.into_iter().filter(|file| !is_test(file)) {
        let code = code(&file)?;
        let begins = [".begin()", ".begin_of(", ".begin_among(", ".begin_at(", ".begin_in_turn("];
        if !begins.iter().any(|begins| code.contains(begins)) {
            continue;
        }
        begin_one += 1;
        let floor = module(&src, &file)?.into_iter().next();
        assert_eq!(floor.as_deref(), Some("usecases"), "{} begins a transaction", file.display());
    }
    assert!(begin_one > 15, "only {begin_one} files that begin one were found");
    Ok(())
}

#[test]
fn no_transaction_begins_in_the_store() -> anyhow::Result<()> {
    let files = sources(&root().join("common/store/src"))?;
    for file in files.iter().filter(|file| !is_test(file)) {
        assert!(!code(file)?.contains(".begin()"), "{} begins a transaction", file.display());
    }
    assert!(files.len() > 50, "only {} files were looked at", files.len());
    Ok(())
}

/// The first way to ask a database that this code names.
fn sql(code: &str) -> Option<String> {
    let named = named_paths(code, "sqlx::").into_iter().map(|path| path[0].clone());
    let mut ways = named.filter(|name| !SQLX_WITHOUT_SQL.contains(&name.as_str()));
    ways.next().or_else(|| code.contains(".execute(\"").then(|| ".execute(\"".to_owned()))
}

#[test]
fn all_sql_is_the_stores() -> anyhow::Result<()> {
    for name in WITHOUT_SQL {
        for file in sources(&root().join(name).join("src"))?.into_iter().filter(|file| !is_test(file)) {
            assert_eq!(sql(&code(&file)?), None, "{} has SQL", file.display());
        }
    }
    assert!(sql(&code(&root().join("common/store/src/accounts.rs"))?).is_some(), "it is looked for as it is written");
    Ok(())
}

/// Which module a path names: the longest one that begins it.
fn longest<'a>(modules: &'a BTreeSet<Vec<String>>, path: &[String]) -> Option<&'a Vec<String>> {
    (0..=path.len()).rev().find_map(|length| modules.get(&path[..length]))
}

/// What a module hands on by `pub use`, whatever its visibility: each name, and the path within the crate behind it.
fn handed_on(text: &str, module: &[String], modules: &BTreeSet<Vec<String>>) -> BTreeMap<String, Vec<String>> {
    let parent = module.split_last().map_or(&[][..], |(_, parent)| parent);
    let mut names = BTreeMap::new();
    for statement in text.split("\npub").skip(1) {
        let Some((seen, path)) = statement.split_once(" use ") else { continue };
        if !(seen.is_empty() || seen.starts_with('(') && seen.find(')') == Some(seen.len() - 1)) {
            continue;
        }
        let mut paths = Vec::new();
        take_path(path, Vec::new(), &mut paths);
        for path in paths {
            let (first, rest) = (path[0].as_str(), path[1..].to_vec());
            let whole = match first {
                "crate" => rest,
                "super" => [parent, &rest].concat(),
                "self" => [module, &rest].concat(),
                child if modules.contains(&[module, &[child.to_owned()]].concat()) => [module, &path].concat(),
                _ => continue,
            };
            names.insert(path[path.len() - 1].clone(), whole);
        }
    }
    names
}

/// A module of the crate that imports itself by way of others that are not its parents or children, and these. A name
/// that a parent hands on is its own file's.
fn circle(crate_src: &Path) -> anyhow::Result<Option<String>> {
    let mut texts = BTreeMap::new();
    for file in sources(crate_src)?.into_iter().filter(|file| !is_test(file)) {
        texts.insert(module(crate_src, &file)?.into_iter().filter(|part| part != "lib").collect(), code(&file)?);
    }
    assert!(!texts.is_empty(), "{} has no file that is held to this", crate_src.display());
    let modules: BTreeSet<Vec<String>> = texts.keys().cloned().collect();
    let handed_on: BTreeMap<_, _> =
        texts.iter().map(|(module, text)| (module, handed_on(text, module, &modules))).collect();
    let named = |mut path: Vec<String>| loop {
        let module = longest(&modules, &path)?;
        let Some(behind) = path.get(module.len()).and_then(|name| handed_on[module].get(name)) else {
            return Some(module);
        };
        path = [behind, &path[module.len() + 1..]].concat();
    };
    let is_family = |one: &[String], other: &[String]| one.starts_with(other) || other.starts_with(one);
    let mut uses: BTreeMap<&Vec<String>, BTreeSet<&Vec<String>>> = BTreeMap::new();
    for (module, text) in &texts {
        let used = used_paths(text, module).into_iter().filter_map(named);
        uses.insert(module, used.filter(|used| !is_family(used, module)).collect());
    }
    for start in uses.keys() {
        let (mut reached, mut next) =
            (BTreeMap::new(), uses[start].iter().map(|used| (*used, *start)).collect::<Vec<_>>());
        while let Some((module, by)) = next.pop() {
            if module == *start {
                let mut way = vec![start.join("::")];
                let mut at = by;
                while at != *start {
                    way.push(at.join("::"));
                    at = reached[at];
                }
                way.reverse();
                return Ok(Some(way.join(" -> ")));
            }
            if !reached.contains_key(module) {
                reached.insert(module, by);
                next.extend(uses[module].iter().map(|used| (*used, module)));
            }
        }
    }
    Ok(None)
}

#[test]
fn files_import_each_other_in_no_circle_but_parent_and_child() -> anyhow::Result<()> {
    let mut circles = Vec::new();
    for name in CRATES {
        circles.extend(circle(&root().join(name).join("src"))?.map(|circle| format!("{name}: {circle}")));
    }
    assert!(circles.is_empty(), "{}", circles.join("; "));
    Ok(())
}

#[test]
fn a_module_with_files_or_tests_of_its_own_is_a_folder_with_mod_rs() -> anyhow::Result<()> {
    for folder in CRATES.iter().flat_map(|name| ["src", "tests"].map(|part| root().join(name).join(part))) {
        for file in if folder.is_dir() { sources(&folder)? } else { Vec::new() } {
            assert!(!file.with_extension("").is_dir(), "{} belongs into its folder, as mod.rs", file.display());
            // What `for_tests` has is asked by tests of several files.
            let is_of_one = file.to_string_lossy().ends_with("_tests.rs") && !file.ends_with("for_tests.rs");
            assert!(!is_of_one, "{} belongs into the folder of what it tests, as tests.rs", file.display());
        }
    }
    Ok(())
}

#[test]
fn a_file_has_at_most_373_lines_one_of_tests_400_and_a_comment_at_most_120_columns() -> anyhow::Result<()> {
    let mut files = 0;
    for name in CRATES {
        for part in ["src", "tests"] {
            let folder = root().join(name).join(part);
            for file in if folder.is_dir() { sources(&folder)? } else { Vec::new() } {
                let text = fs::read_to_string(&file)?;
                let lines = text.lines().count();
                let most = if is_test(&file) { 400 } else { 373 };
                assert!(lines <= most, "{} has {lines} lines: split it by subject", file.display());
                let wide = text.lines().find(|line| line.trim_start().starts_with("//") && line.chars().count() > 120);
                assert_eq!(wide, None, "{} has a comment of more than 120 columns", file.display());
                files += 1;
            }
        }
    }
    assert!(files > 500, "only {files} files were looked at");
    Ok(())
}

#[test]
fn what_the_glossary_names_is_there() -> anyhow::Result<()> {
    let mut all = String::new();
    for name in CRATES {
        for file in sources(&root().join(name).join("src"))? {
            all.push_str(&fs::read_to_string(file)?);
        }
    }
    for entry in fs::read_dir(root().join("migrations"))? {
        all.push_str(&fs::read_to_string(entry?.path())?);
    }
    let words: BTreeSet<&str> = all.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let glossary = fs::read_to_string(root().join("docs/glossary.md"))?;
    let rows = glossary.lines().filter(|line| line.starts_with("| ") && line.contains('`'));
    let mut named = 0;
    for row in rows {
        let last = row.trim_end_matches([' ', '|']).rsplit(" | ").next().unwrap_or_default();
        for path in last.split('`').skip(1).step_by(2) {
            for part in path.split(['.', ':']).filter(|part| !part.is_empty()) {
                assert!(words.contains(part), "`{path}` of docs/glossary.md names nothing: {part}");
                named += 1;
            }
        }
    }
    assert!(named > 60, "only {named} names were found");
    Ok(())
}

#[test]
fn the_domain_has_neither_a_runtime_nor_http_below_it() -> anyhow::Result<()> {
    let mut tree = Command::new(env!("CARGO"));
    tree.args(["tree", "--offline", "--locked", "--package", "mws-domain", "--edges", "normal", "--prefix", "none"]);
    let output = tree.current_dir(root()).output()?;
    let text = String::from_utf8(output.stdout)?;
    assert!(text.contains("serde "), "{}", String::from_utf8_lossy(&output.stderr));
    let found =
        text.lines().find(|line| ["tokio ", "hyper ", "reqwest ", "poem "].iter().any(|name| line.starts_with(name)));
    assert_eq!(found, None);
    Ok(())
}
