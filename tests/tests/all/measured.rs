//! Every page of the console and of the portal is one that the bench asks for (`bench/src/pages`).

use crate::floors::root;
use std::collections::BTreeSet;
use std::fs;

/// Where the pages are routed, and where the bench has them.
const ROUTED: [&str; 2] = ["api/src/resources/console/mod.rs", "api/src/resources/portal/mod.rs"];
const MEASURED: &str = "bench/src/pages/places.rs";
/// What has a path and is no page: what takes forms alone, leads elsewhere or nowhere, and files.
const NO_PAGES: [&str; 13] = [
    "/console/in",
    "/console/out",
    "/console/*rest",
    "/console/accounts/:/minutes.csv",
    "/console/items/:/captions.vtt",
    "/console/items/:/lanes.svg",
    "/console/items/:/media",
    "/console/items/:/still",
    "/portal",
    "/portal/out",
    "/portal/secret",
    "/portal/usage/statement.csv",
    "/portal/*rest",
];

/// Returns the paths of pages that a file has as texts, with a colon in the place of each id.
fn paths(file: &str) -> anyhow::Result<BTreeSet<String>> {
    let text = fs::read_to_string(root().join(file))?;
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    let is_page = |text: &&str| ["/console", "/portal"].iter().any(|site| text.starts_with(site));
    let place = |part: &str| if part.starts_with([':', '{']) { ":".to_owned() } else { part.to_owned() };
    let path = |text: &str| text.split('?').next().unwrap_or_default().split('/').map(place).collect::<Vec<_>>();
    Ok(code.split('"').skip(1).step_by(2).filter(is_page).map(|text| path(text).join("/")).collect())
}

#[test]
fn every_page_of_the_console_and_of_the_portal_is_one_that_the_bench_asks_for() -> anyhow::Result<()> {
    let mut routed = BTreeSet::new();
    for file in ROUTED {
        routed.extend(paths(file)?);
    }
    for path in NO_PAGES {
        assert!(routed.remove(path), "`NO_PAGES` names `{path}`, which is not there");
    }
    let measured = paths(MEASURED)?;
    assert!(measured.len() > 30, "only {} pages were found in {MEASURED}", measured.len());
    assert_eq!(measured, routed, "on the left what {MEASURED} has, on the right what is routed");
    Ok(())
}
