//! A month's statement as a file for spreadsheets: what stood before the month, each entry with what it left, oldest
//! first, and what stands after them. The sums are made here anew, from the entries alone.

use domain::credits::Credits;
use domain::minutes::Minutes;
use poem::Response;
use poem::http::header;

/// What there is of each kind, or by how much it changes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Amounts {
    /// The month's own minutes.
    pub minutes: Minutes,
    /// Bought minutes.
    pub bought: Minutes,
    /// AI credits.
    pub credits: Credits,
}

/// An entry.
#[derive(Debug, Clone, Default)]
pub struct Line {
    /// When it was written.
    pub at: String,
    /// The word for its kind.
    pub kind: String,
    /// The job's id; empty for an entry without a job.
    pub job: String,
    /// The operator's own name for it; empty without one.
    pub reference: String,
    /// What it changed.
    pub change: Amounts,
}

const HEAD: &str =
    "at,kind,job_id,reference,minutes,bought_minutes,credits,minutes_after,bought_minutes_after,credits_after";

/// Returns the file of these entries, which are newest first.
pub fn csv(before: Amounts, lines: &[Line]) -> String {
    let mut left = before;
    let mut rows = vec![HEAD.to_owned(), format!(",before,,,,,,{}", amounts(left))];
    for line in lines.iter().rev() {
        left.minutes += line.change.minutes;
        left.bought += line.change.bought;
        left.credits += line.change.credits;
        let Line { at, kind, job, reference, change } = line;
        rows.push(format!("{at},{kind},{job},{},{},{}", quoted(reference), amounts(*change), amounts(left)));
    }
    rows.push(format!(",after,,,,,,{}", amounts(left)));
    rows.push(String::new());
    rows.join("\r\n")
}

fn amounts(amounts: Amounts) -> String {
    format!("{},{},{}", amounts.minutes, amounts.bought, amounts.credits)
}

/// Returns a text as one field, which no spreadsheet takes for a formula.
fn quoted(text: &str) -> String {
    let plain = if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { "'" } else { "" };
    if text.is_empty() { String::new() } else { format!("\"{plain}{}\"", text.replace('"', "\"\"")) }
}

/// Returns the answer that a browser saves under the month's name.
pub fn saved_as(month: &str, csv: String) -> Response {
    let disposition = format!("attachment; filename=\"statement-{month}.csv\"");
    Response::builder()
        .content_type("text/csv; charset=utf-8")
        .header(header::CONTENT_DISPOSITION, disposition)
        .header(header::CACHE_CONTROL, "no-store")
        .body(csv)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_before_and_the_entries_are_what_is_after() {
        let of = |minutes, bought| Amounts {
            minutes: Minutes::from_hundredths(minutes),
            bought: Minutes::from_hundredths(bought),
            credits: Credits::ZERO,
        };
        let line = |kind: &str, reference: &str, change| Line {
            at: "2026-11-01T00:00:00.000Z".to_owned(),
            kind: kind.to_owned(),
            reference: reference.to_owned(),
            change,
            ..Line::default()
        };
        let newest_first =
            [line("charge", "", of(-231, 0)), line("purchase", "=a\"b", of(0, 500)), line("grant", "", of(10_000, 0))];
        assert_eq!(
            csv(of(0, 250), &newest_first).lines().collect::<Vec<_>>(),
            [
                HEAD,
                ",before,,,,,,0.00,2.50,0.00",
                "2026-11-01T00:00:00.000Z,grant,,,100.00,0.00,0.00,100.00,2.50,0.00",
                "2026-11-01T00:00:00.000Z,purchase,,\"'=a\"\"b\",0.00,5.00,0.00,100.00,7.50,0.00",
                "2026-11-01T00:00:00.000Z,charge,,,-2.31,0.00,0.00,97.69,7.50,0.00",
                ",after,,,,,,97.69,7.50,0.00",
            ]
        );
    }
}
