//! The pages of the console and of the portal, as a browser that is signed in gets them: when the first byte comes, and
//! how large the page and its scripts are, gzipped.
//!
//! `places` has the pages. The filters of a list are those of its form, with each of their words, so that a new filter
//! is measured without a line here. Nothing is compressed by the service, so what a proxy would make of a page is
//! made here (decision 615).

mod browser;
mod html;
mod places;
mod subjects;

use crate::load::{COMPUTED, Scene};
use crate::table::{Bar, Table, percentile};
use crate::{Bench, lists};
use browser::{Browser, Page};
use domain::read::Read;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::collections::BTreeSet;
use std::io::Write;
use subjects::Subjects;

/// How often each page is asked for, and at least.
const TIMES: usize = 40;
const LEAST: usize = 20;
/// Requests before that, so that connections and plans are warm.
const WARM: usize = 5;
/// The bars, on full tables too: milliseconds until the first byte, and kilobytes of a page and of all scripts.
const FIRST_BYTE_MS: f64 = 150.0;
const PAGE_KB: f64 = 15.0;
const SCRIPTS_KB: f64 = 25.0;

/// Measures once: each page is asked for often.
pub async fn measure(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    eprintln!("pages:");
    let scene = Scene::new(bench).await?;
    let made;
    let large = if let Some(grown) = &bench.grown {
        grown.large()
    } else {
        made = lists::small(&scene).await?;
        &made
    };
    let subjects = Subjects::make(&scene, large).await?;
    // On empty tables too, what is queued has to wait.
    let reads = [format!("--reads={}", COMPUTED.map(Read::name).join(","))];
    let settings: Vec<&str> = reads.iter().map(String::as_str).filter(|_| bench.is_empty()).collect();
    let service = scene.service(&settings).await?;
    let base = format!("http://{}", service.said);
    let mut asker = Asker { bench, subjects: &subjects, table, seen: Seen::default() };
    asker.site(&Browser::operator(&scene.http, &base).await?, &places::CONSOLE).await?;
    let customer = Browser::customer(&scene.http, &base, &subjects.account.key).await?;
    asker.site(&customer, &places::PORTAL).await?;
    asker.end()?;
    scene.end(service).await
}

/// A request for a page.
struct Ask {
    name: String,
    path: String,
}

impl Ask {
    /// Returns the request for the same page with this filter. Ids differ from run to run, so names of rows lack them.
    fn by(&self, filter: &str, value: &str) -> Self {
        let sign = if self.path.contains('?') { '&' } else { '?' };
        let is_of_this_run = filter.ends_with("_id") || filter == "month";
        let shown = if is_of_this_run { String::new() } else { format!("={value}") };
        Self { name: format!("{} by {filter}{shown}", self.name), path: format!("{}{sign}{filter}={value}", self.path) }
    }
}

/// What was seen of all pages.
#[derive(Default)]
struct Seen {
    asked: usize,
    refused: Vec<String>,
    with_a_failed_part: Vec<String>,
    loading_more: Vec<String>,
    scripts: BTreeSet<String>,
}

/// Makes the requests.
struct Asker<'a> {
    bench: &'a Bench,
    subjects: &'a Subjects,
    table: &'a mut Table,
    seen: Seen,
}

impl Asker<'_> {
    /// Measures these pages, each with its filters and its second page.
    async fn site(&mut self, browser: &Browser<'_>, places: &[&str]) -> anyhow::Result<()> {
        for place in places {
            let path = self.subjects.path(place).replace("{code}", &browser.code);
            let first = Ask { name: (*place).to_owned(), path };
            let Some(page) = self.page(browser, &first).await? else { continue };
            for ask in self.more(&first, &page) {
                self.page(browser, &ask).await?;
            }
        }
        Ok(())
    }

    /// Returns the requests that a page leads to: with each of its filters, and for the page after it.
    fn more(&self, first: &Ask, page: &str) -> Vec<Ask> {
        let mut asks = Vec::new();
        for filter in html::filters(page) {
            let words: Vec<String> = filter.words.iter().map(|word| (*word).to_owned()).collect();
            let values = if words.is_empty() { self.subjects.values(filter.name) } else { words };
            asks.extend(values.iter().map(|value| first.by(filter.name, value)));
        }
        let name = format!("{}, the second page", first.name);
        asks.extend(html::next(page).map(|path| Ask { name, path }));
        asks
    }

    /// Measures one page and returns it; none if it was refused.
    async fn page(&mut self, browser: &Browser<'_>, ask: &Ask) -> anyhow::Result<Option<String>> {
        let times = self.bench.share(TIMES).max(LEAST);
        let (mut first_bytes, mut last) = (Vec::with_capacity(times), String::new());
        self.seen.asked += 1;
        for n in 0..WARM + times {
            match browser.get(&ask.path).await {
                Ok(Page { first_byte_ms, text }) => {
                    first_bytes.extend((n >= WARM).then_some(first_byte_ms));
                    last = text;
                }
                Err(error) => {
                    self.seen.refused.push(format!("{}: {error:#}", ask.name));
                    return Ok(None);
                }
            }
        }
        self.add(format!("{}: first byte, p95", ask.name), percentile(&first_bytes, 95), "ms", FIRST_BYTE_MS);
        self.add(format!("{}: gzipped", ask.name), gzipped_kb(&last)?, "kB", PAGE_KB);
        self.note(&ask.name, &last);
        Ok(Some(last))
    }

    /// Notes what a page has that it should not, and its scripts.
    fn note(&mut self, name: &str, page: &str) {
        if html::has_a_failed_part(page) {
            self.seen.with_a_failed_part.push(name.to_owned());
        }
        if html::loads_more(page) {
            self.seen.loading_more.push(name.to_owned());
        }
        self.seen.scripts.extend(html::scripts(page).map(str::to_owned));
    }

    /// Adds a figure, on full tables beside the same on empty ones.
    fn add(&mut self, name: String, value: f64, unit: &'static str, most: f64) {
        let bar = Bar::AtMost(most);
        if self.bench.is_empty() {
            self.table.add(name, value, unit, None, bar);
        } else {
            let beside = self.table.on_empty(&name);
            self.table.add_as_is(name, value, unit, beside, bar);
        }
    }

    /// Adds the figures of all pages together, and names those that have what none should have.
    fn end(mut self) -> anyhow::Result<()> {
        let mut scripts = 0.0;
        for script in &self.seen.scripts {
            scripts += gzipped_kb(script)?;
        }
        self.add("scripts of all pages, gzipped".to_owned(), scripts, "kB", SCRIPTS_KB);
        let Seen { asked, refused, with_a_failed_part, loading_more, .. } = std::mem::take(&mut self.seen);
        self.table.add_as_is("pages with their filters", size(asked), "", None, Bar::None);
        for (what, which) in [
            ("pages that were refused", refused),
            ("pages with a part that failed", with_a_failed_part),
            ("pages that load a script, a style or a font", loading_more),
        ] {
            for name in &which {
                eprintln!("  {what}: {name}");
            }
            self.table.add_as_is(what, size(which.len()), "", None, Bar::AtMost(0.0));
        }
        Ok(())
    }
}

/// Returns the kilobytes of a text, gzipped at the usual level.
fn gzipped_kb(text: &str) -> anyhow::Result<f64> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes())?;
    Ok(size(encoder.finish()?.len()) / 1_000.0)
}

#[expect(clippy::cast_precision_loss, reason = "a count of pages, or of a page's bytes")]
fn size(many: usize) -> f64 {
    many as f64
}
