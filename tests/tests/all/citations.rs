//! What comments refer to is in this repository: sections of the contract, pages with their headings, and decisions.

use domain::minutes::Rates;
use domain::read::Read;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Where comments are read. Migrations are left out: what is applied can't be changed, not even in its comments.
const FOLDERS: [&str; 9] = ["api", "bench", "cli", "common", "scheduler", "signature", "tests", "worker", "docs"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_owned).unwrap_or_default()
}

/// The texts of a folder and of those in it: code, statements and pages, each on one line without comment marks.
fn texts(folder: &Path, found: &mut Vec<(PathBuf, String)>) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            texts(&path, found)?;
        } else if path.extension().is_some_and(|kind| kind == "rs" || kind == "sql" || kind == "md") {
            let text = fs::read_to_string(&path)?;
            let lines =
                text.lines().map(|line| line.trim().trim_start_matches("//").trim_start_matches(['!', '/', '-']));
            let joined = lines.map(str::trim).collect::<Vec<_>>().join(" ");
            found.push((path, joined));
        }
    }
    Ok(())
}

fn all_texts() -> anyhow::Result<Vec<(PathBuf, String)>> {
    let mut found = Vec::new();
    for folder in FOLDERS {
        texts(&root().join(folder), &mut found)?;
    }
    for page in ["ARCHITECTURE.md", "README.md", "CONTRIBUTING.md"] {
        found.push((root().join(page), fs::read_to_string(root().join(page))?.replace('\n', " ")));
    }
    found.retain(|(path, _)| !path.ends_with("citations.rs"));
    Ok(found)
}

/// The number that a text begins with: `4.2.6` of `4.2.6)`.
fn number(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    text[..end].trim_end_matches('.')
}

/// The sections of the contract, and the numbered rules within them.
fn sections() -> anyhow::Result<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    let mut section = String::new();
    for line in fs::read_to_string(root().join("docs/contract.md"))?.lines() {
        if let Some(heading) = line.strip_prefix("### ").or_else(|| line.strip_prefix("## ")) {
            number(heading).clone_into(&mut section);
            found.insert(section.clone());
        } else if !number(line).is_empty() && line[number(line).len()..].starts_with(". ") {
            found.insert(format!("{section}.{}", number(line)));
        }
    }
    Ok(found)
}

#[test]
fn every_section_of_the_contract_that_is_cited_is_there() -> anyhow::Result<()> {
    let sections = sections()?;
    let mut cited = 0;
    for (path, text) in all_texts()? {
        for citation in text.split("contract §").skip(1) {
            // `§4.1, §7` and `§6.1.8–10` are citations of several.
            let mut rest = citation;
            loop {
                let one = number(rest);
                assert!(sections.contains(one), "{}: the contract has no §{one}", path.display());
                cited += 1;
                let behind = &rest[one.len()..];
                match behind.strip_prefix(", §").or_else(|| behind.strip_prefix(" and §")) {
                    Some(next) => rest = next,
                    None => break,
                }
            }
        }
    }
    assert!(cited > 200, "only {cited} citations were found");
    Ok(())
}

#[test]
fn pages_that_comments_name_are_in_the_repository() -> anyhow::Result<()> {
    let mut named = 0;
    for (path, text) in all_texts()? {
        assert!(!text.contains("spec §"), "{}: the contract is cited as `contract §`", path.display());
        for (at, _) in text.match_indices(".md") {
            let behind = &text[at + 3..];
            if behind.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
                continue;
            }
            let begins = |c: char| !c.is_ascii_alphanumeric() && !"/_-.".contains(c);
            let name = &text[text[..at].rfind(begins).map_or(0, |space| space + 1)..at + 3];
            if name.len() == 3 {
                continue;
            }
            let folder = path.parent().unwrap_or(Path::new("."));
            let places = [folder.join(name), root().join(name), root().join("docs").join(name)];
            let page = places.iter().find(|place| place.is_file());
            let page = page.ok_or_else(|| anyhow::anyhow!("{} names {name}, which is nowhere", path.display()))?;
            if let Some(title) = behind.strip_prefix(", \"").and_then(|title| title.split('"').next()) {
                let headings = fs::read_to_string(page)?;
                let mut headings =
                    headings.lines().filter_map(|line| line.strip_prefix("## ").or(line.strip_prefix("### ")));
                let is_there = headings.any(|heading| {
                    let words = heading[number(heading).len()..].trim_start_matches(['.', ' ']);
                    words.trim_start_matches("**D** ").starts_with(title)
                });
                assert!(is_there, "{} names {name}, \"{title}\", which is no heading there", path.display());
            }
            named += 1;
        }
    }
    assert!(named > 30, "only {named} pages were named");
    Ok(())
}

/// The numbers of a list such as `323, 325 and 328`, with which the text begins; empty when it begins with none.
fn listed(text: &str) -> Vec<&str> {
    let (mut found, mut rest) = (Vec::new(), text);
    loop {
        let one = number(rest);
        if one.is_empty() {
            return found;
        }
        found.push(one);
        let behind = &rest[one.len()..];
        match behind.strip_prefix(", ").or_else(|| behind.strip_prefix(" and ")) {
            Some(next) => rest = next,
            None => return found,
        }
    }
}

#[test]
fn each_decision_has_a_number_and_a_day_and_those_that_are_named_are_there() -> anyhow::Result<()> {
    let page = fs::read_to_string(root().join("docs/decisions.md"))?;
    let texts = all_texts()?;
    let (mut numbers, mut named) = (BTreeSet::new(), Vec::new());
    for entry in page.split("\n### ").skip(1) {
        let (title, rest) = entry.split_once('\n').unwrap_or_default();
        let own = number(title);
        assert!(!own.is_empty() && numbers.insert(own), "`{title}` has no number of its own");
        let below = rest.lines().next().unwrap_or_default();
        let dated = below.strip_prefix('*').and_then(|line| line.strip_suffix('*'));
        let (day, status) = dated.and_then(|line| line.split_at_checked(10)).unwrap_or_default();
        let is_day = day.len() == 10 && day.chars().all(|c| c.is_ascii_digit() || c == '-');
        assert!(is_day, "`{title}` has no day below it");
        for word in [" by ", "adds to "] {
            named.extend(status.split(word).skip(1).flat_map(listed));
        }
    }
    for (_, text) in &texts {
        for word in ["decision ", "decisions "] {
            named.extend(text.split(word).skip(1).flat_map(listed));
        }
    }
    assert!(named.len() > 50, "only {} decisions were named", named.len());
    let missing: Vec<_> = named.iter().filter(|one| !numbers.contains(**one)).collect();
    assert!(missing.is_empty(), "docs/decisions.md has no {missing:?}");
    Ok(())
}

/// A page, and what has to be in it of each read.
fn names_all_reads(page: &str, told: impl Fn(&str, Read) -> bool) -> anyhow::Result<()> {
    let text = fs::read_to_string(root().join(page))?;
    for read in Read::ALL {
        assert!(told(&text, read), "{page} does not tell of `{read}`");
    }
    Ok(())
}

#[test]
fn what_names_the_reads_names_all_of_them() -> anyhow::Result<()> {
    let line_of = |text: &str, begins: &str| text.lines().find(|line| line.starts_with(begins)).map(str::to_owned);
    let rates = Rates::default();
    names_all_reads("docs/contract.md", |text, read| {
        let kinds = line_of(text, "| read |").unwrap_or_default();
        let price = line_of(text, "| price |").unwrap_or_default();
        let rate = serde_json::to_string(&rates.of(read)).unwrap_or_default();
        kinds.contains(&format!("`{read}`")) && price.contains(&format!("{read} {rate}"))
    })?;
    // A row for how good it is, one for what it can't do, and one for what it stores.
    names_all_reads("docs/reads.md", |text, read| {
        let section = |title: &str| text.split("\n## ").find(|section| section.starts_with(title)).unwrap_or_default();
        let titles = ["How good they are", "What each engine can and can't do", "The stored result"];
        titles.into_iter().all(|title| section(title).contains(&format!("\n| {read} | ")))
    })?;
    // In words, and once for all.
    names_all_reads("README.md", |text, read| {
        let first = text.split("```").next().unwrap_or_default().replace('\n', " ");
        first.contains(&read.name().replace('_', " "))
    })?;
    let listed =
        |text: &str, read: Read| line_of(text, "READS = ").is_some_and(|line| line.contains(&format!("\"{read}\"")));
    names_all_reads("eval/hostile.py", listed)
}
