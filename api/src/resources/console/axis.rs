//! Draws steps on one time axis. Spans are to scale; where nothing happens for long, the axis is cut, with a note of
//! how much. Pure: from steps to SVG.

use super::life::{Step, StepKind};
use super::words::{exact, seconds, word};
use chrono::{DateTime, Utc};
use domain::verdict::span;
use maud::{Markup, html};

/// How large the parts of a drawing are.
struct Layout {
    /// The class of the windows that show it.
    class: &'static str,
    /// The width of the drawing.
    width: f64,
    /// The start of the axis.
    left: f64,
    /// The end of the axis. What is left of the drawing holds the duration of a step that lasts until there.
    right: f64,
    /// The height of a step.
    row: f64,
    /// How far below the start of its name the bar of a step begins.
    below: f64,
    /// The characters of a step's name that fit, however wide they are.
    fit: usize,
}

/// In windows from 52 rem on: the names stand left of the axis.
const ROOMY: Layout =
    Layout { class: "axis roomy", width: 1_100.0, left: 390.0, right: 1_015.0, row: 22.0, below: 0.0, fit: 48 };
/// In narrower ones, such as a phone's: each name stands above its bar.
const NARROW: Layout =
    Layout { class: "axis narrow", width: 360.0, left: 0.0, right: 275.0, row: 40.0, below: 16.0, fit: 44 };
/// The most that a character of a label is wide.
const CHARACTER: f64 = 8.0;
/// The characters of an id behind its prefix.
const ID_CHARACTERS: usize = 26;
/// The most steps that are drawn; the list beside the drawing has all of them.
const MOST: usize = 40;
/// The largest fraction of the axis for a stretch without work.
const LONGEST_GAP: f64 = 0.25;

/// A stretch of the axis: its start, its length in time, and the length that is drawn.
struct Stretch {
    from: DateTime<Utc>,
    length: f64,
    drawn: f64,
}

/// Draws the axis of these steps, which are ordered by their starts: once for each kind of window, of which the style
/// shows one.
pub(super) fn drawn(steps: &[Step]) -> Markup {
    html! { (drawn_as(&ROOMY, steps)) (drawn_as(&NARROW, steps)) }
}

fn drawn_as(layout: &Layout, steps: &[Step]) -> Markup {
    let &Layout { class, width, left, right, row, below, fit } = layout;
    let steps = &steps[..steps.len().min(MOST)];
    let Some(first) = steps.first() else { return html! {} };
    let axis = stretches(steps);
    let whole: f64 = axis.iter().map(|stretch| stretch.drawn).sum::<f64>().max(0.001);
    let place = |at: DateTime<Utc>| {
        let mut before = 0.0;
        for stretch in &axis {
            let into = seconds(at - stretch.from);
            if into <= stretch.length {
                let part = if stretch.length > 0.0 { into / stretch.length * stretch.drawn } else { 0.0 };
                return left + (right - left) * (before + part.max(0.0)) / whole;
            }
            before += stretch.drawn;
        }
        right
    };
    #[expect(clippy::cast_precision_loss, reason = "forty rows at most")]
    let rows: Vec<(f64, &Step)> = steps.iter().enumerate().map(|(nth, step)| (30.0 + nth as f64 * row, step)).collect();
    let cuts = axis.iter().filter(|stretch| stretch.drawn < stretch.length * 0.999);
    let cuts = cuts.map(|cut| (cut, place(cut.from), place(cut.from) + (right - left) * cut.drawn / whole));
    let begins = format!("{} UTC", first.at.format("%H:%M:%S"));
    // The time at which the axis begins stands left of it, where there is room.
    let (begins_at, anchor, free_from) =
        if left > 0.0 { (left - 5.0, "end", left) } else { (0.0, "start", width_of(&begins)) };
    let gaps = labelled(cuts, free_from);
    let height = rows.last().map_or(0.0, |(y, _)| y + row);
    let many = format!("{} {}", steps.len(), word(steps.len() == 1, "step", "steps"));
    let label = format!("{many} of the job on one axis of time; the list below has the same.");
    html! {
        svg class=(class) viewBox={ "0 0 " (width) " " (height) } role="img" aria-label=(label) {
            @for (cut, from, to, label) in &gaps {
                rect.gap x=(round(*from)) y="18" width=(round(to - from)) height=(height - 18.0) {
                    title { "Nothing for " (span(cut.length)) }
                }
                @if let Some(label) = label {
                    text.soft x=(round(f64::midpoint(*from, *to))) y="13" text-anchor="middle" { (label) }
                }
            }
            @for (y, step) in &rows {
                line.grid x1="0" x2=(width) y1=(y + below + 16.0) y2=(y + below + 16.0) {}
                text x="0" y=(y + 10.0) { (fitting(&step.name, fit)) }
                (shape(step, y + below, place(step.at), step.until.map(place)))
            }
            text.soft x=(begins_at) y="13" text-anchor=(anchor) { (begins) }
        }
    }
}

fn shape(step: &Step, y: f64, from: f64, to: Option<f64>) -> Markup {
    let class = match step.kind {
        StepKind::Mark | StepKind::Work => "bar",
        StepKind::Wait => "wait",
        StepKind::Good => "ok",
        StepKind::Bad => "failed",
    };
    let Some(to) = to else {
        return html! { circle class=(class) cx=(round(from)) cy=(y + 6.0) r="4" {} };
    };
    let took = step.until.map(|until| exact(seconds(until - step.at))).unwrap_or_default();
    let width = (to - from).max(2.0);
    html! {
        rect class=(class) x=(round(from)) y=(y) width=(round(width)) height="12" rx="2" {}
        text.soft x=(round(from + width + 5.0)) y=(y + 10.0) { (took) }
    }
}

/// Gives each gap, from its place to its end, a label with its length, unless that would lie over the label before it,
/// or begin before `free_from`.
fn labelled<'a>(
    gaps: impl Iterator<Item = (&'a Stretch, f64, f64)>,
    mut free_from: f64,
) -> Vec<(&'a Stretch, f64, f64, Option<String>)> {
    let labelled = gaps.map(|(cut, from, to)| {
        let label = format!("// {}", span(cut.length));
        let (middle, half) = (f64::midpoint(from, to), width_of(&label) / 2.0);
        if middle - half < free_from {
            return (cut, from, to, None);
        }
        free_from = middle + half;
        (cut, from, to, Some(label))
    });
    labelled.collect()
}

/// Returns about how wide a label is, rather more than less.
#[expect(clippy::cast_precision_loss, reason = "labels have a handful of characters")]
fn width_of(label: &str) -> f64 {
    label.chars().count() as f64 * CHARACTER
}

/// Returns the stretches of the axis, which is cut where no work happens for long.
fn stretches(steps: &[Step]) -> Vec<Stretch> {
    let mut times: Vec<DateTime<Utc>> = steps.iter().flat_map(|step| [Some(step.at), step.until]).flatten().collect();
    times.sort_unstable();
    times.dedup();
    let is_worked_on = |from: DateTime<Utc>, to: DateTime<Utc>| {
        let mut work = steps.iter().filter(|step| step.kind != StepKind::Wait);
        work.any(|step| step.at <= from && step.until.is_some_and(|until| until >= to))
    };
    let pairs: Vec<(DateTime<Utc>, f64, bool)> =
        times.windows(2).map(|pair| (pair[0], seconds(pair[1] - pair[0]), is_worked_on(pair[0], pair[1]))).collect();
    let worked: f64 = pairs.iter().filter(|(_, _, is_worked_on)| *is_worked_on).map(|(_, length, _)| length).sum();
    let most = (worked * LONGEST_GAP).max(0.2);
    let stretch = |(from, length, is_worked_on): (DateTime<Utc>, f64, bool)| {
        let drawn = if is_worked_on { length } else { length.min(most) };
        Stretch { from, length, drawn }
    };
    pairs.into_iter().map(stretch).collect()
}

fn round(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// Returns a name that fits: of one that is too long the middles of its ids are left out first, and then its end.
fn fitting(name: &str, fit: usize) -> String {
    if name.chars().count() <= fit {
        return name.to_owned();
    }
    let words: Vec<String> = name.split(' ').map(shortened).collect();
    let name = words.join(" ");
    if name.chars().count() <= fit {
        return name;
    }
    let start: String = name.chars().take(fit - 1).collect();
    format!("{start}…")
}

/// Returns a word with the middle of its id left out; any other word as it is.
fn shortened(word: &str) -> String {
    let id = word.trim_end_matches([':', ',']);
    let rest = word.strip_prefix(id).unwrap_or_default();
    match id.split_once('_') {
        Some((kind, code)) if code.len() == ID_CHARACTERS && code.bytes().all(|byte| byte.is_ascii_alphanumeric()) => {
            let end: String = code.chars().skip(ID_CHARACTERS - 6).collect();
            format!("{kind}_…{end}{rest}")
        }
        _ => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> DateTime<Utc> {
        DateTime::from_timestamp_millis(1_800_000_000_000 + ms).expect("a time")
    }

    fn step(name: &str, from: i64, to: Option<i64>, kind: StepKind) -> Step {
        Step { name: name.to_owned(), at: at(from), until: to.map(at), kind }
    }

    #[test]
    fn work_is_to_scale_and_a_long_pause_is_cut() {
        let steps = [
            step("asked for", 0, None, StepKind::Mark),
            step("claim 1", 0, Some(10_000), StepKind::Good),
            step("attempt 1", 10_000, Some(12_000), StepKind::Bad),
            step("attempt 2", 3_612_000, Some(3_614_000), StepKind::Good),
        ];
        let axis = stretches(&steps);
        let drawn: Vec<f64> = axis.iter().map(|one| one.drawn).collect();
        assert_eq!(drawn, [10.0, 2.0, 3.5, 2.0]);
        let svg = super::drawn(&steps).0;
        assert!(svg.contains("// 60 min") && svg.contains("10.000 s"), "{svg}");
        assert!(super::drawn(&[]).0.is_empty());
    }

    #[test]
    fn the_duration_of_a_claim_that_fills_the_axis_stands_behind_it_and_within_the_drawing() {
        let steps = [step("asked for", 0, None, StepKind::Mark), step("claim 1", 0, Some(59_999), StepKind::Good)];
        let svg = drawn(&steps).0;
        let label = svg.split("<text class=\"soft\"").find(|text| text.contains("59.999 s")).expect("a duration");
        let x: f64 = label.split('"').nth(1).and_then(|x| x.parse().ok()).expect("a place");
        assert!(x > ROOMY.right && x + width_of("59.999 s") <= ROOMY.width, "{label}");
        assert!(!label.contains("text-anchor"), "{label}");
    }

    #[test]
    fn of_two_gaps_beside_each_other_the_second_has_no_label_over_the_first_ones() {
        let stretch = |length: f64| Stretch { from: at(0), length, drawn: 1.0 };
        let (one, two, three) = (stretch(3_600.0), stretch(7_200.0), stretch(80.0));
        let gaps = [(&one, 500.0, 510.0), (&two, 520.0, 530.0), (&three, 700.0, 720.0)];
        let labels: Vec<Option<String>> =
            labelled(gaps.into_iter(), ROOMY.left).into_iter().map(|(.., label)| label).collect();
        assert_eq!(labels, [Some("// 60 min".to_owned()), None, Some("// 80 s".to_owned())]);
        // One at the start of the axis lies over no name.
        assert_eq!(labelled([(&one, ROOMY.left, ROOMY.left + 10.0)].into_iter(), ROOMY.left)[0].3, None);
    }

    #[test]
    fn a_name_is_plain_text_and_no_longer_than_fits() {
        let svg = drawn(&[step("<script>alert(1)</script>", 0, None, StepKind::Mark)]).0;
        assert!(svg.contains("&lt;script&gt;") && !svg.contains("<script>"), "{svg}");
        assert_eq!(fitting(&"x".repeat(80), ROOMY.fit).chars().count(), ROOMY.fit);
    }

    #[test]
    fn what_became_of_an_attempt_stands_in_the_drawing_though_its_endpoint_has_a_long_id() {
        let endpoint = "whe_01JD3M5N7P9Q1R3S5T7V9W1X3Y";
        for (name, drawn) in [
            (format!("attempt 1 to {endpoint}: connect_failed"), "attempt 1 to whe_…9W1X3Y: connect_failed"),
            (format!("attempt 10 to {endpoint}: invalid_response"), "attempt 10 to whe_…9W1X3Y: invalid_response"),
            (format!("next attempt to {endpoint} is due"), "next attempt to whe_…9W1X3Y is due"),
        ] {
            assert_eq!(fitting(&name, NARROW.fit), drawn);
            let steps = [step("asked for", 0, None, StepKind::Mark), step(&name, 1_000, None, StepKind::Mark)];
            assert!(drawn_as(&NARROW, &steps).0.contains(drawn), "{name}");
        }
        let fits = format!("attempt 1 to {endpoint}: 200");
        assert_eq!(fitting(&fits, ROOMY.fit), fits, "an id stays whole where it fits");
        assert_eq!(shortened("a_word_that_is_no_id_of_any:"), "a_word_that_is_no_id_of_any:");
    }

    #[test]
    fn a_phone_gets_the_same_steps_each_with_its_name_above_its_bar_and_nothing_beyond_the_drawing() {
        let steps = [
            step("asked for", 0, None, StepKind::Mark),
            step(&"claim 1, by a worker with a long name ".repeat(3), 0, Some(10_000), StepKind::Good),
            step("attempt 1", 3_612_000, Some(3_671_999), StepKind::Bad),
        ];
        let svg = drawn_as(&NARROW, &steps).0;
        assert!(
            drawn(&steps).0.ends_with(&svg) && svg.contains("<svg class=\"axis narrow\" viewBox=\"0 0 360 "),
            "{svg}"
        );
        let number = |tag: &str, name: &str| -> f64 {
            let value = tag.split(&format!(" {name}=\"")).nth(1).and_then(|rest| rest.split('"').next());
            value.and_then(|value| value.parse().ok()).unwrap_or_default()
        };
        for text in svg.split("<text").skip(1) {
            let (tag, rest) = text.split_once('>').expect("a tag");
            let said = rest.split('<').next().unwrap_or_default();
            // A centred label reaches half its width to each side.
            let width = width_of(said);
            let (x, half) = (number(tag, "x"), if tag.contains("middle") { 0.5 } else { 0.0 });
            assert!(x - width * half >= 0.0 && x + width * (1.0 - half) <= NARROW.width, "{tag}: {said}");
            assert!(said.chars().count() <= NARROW.fit, "{said}");
        }
        let bars: Vec<f64> = svg.split("<rect").filter(|tag| tag.contains("rx=")).map(|tag| number(tag, "y")).collect();
        assert_eq!(bars, [86.0, 126.0], "names begin at 70 and 110: {svg}");
        assert!(svg.contains("08:00:00 UTC"), "{svg}");
    }
}
