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
    /// The height of a step whose name has one line.
    row: f64,
    /// How far below the start of the last line of its name the bar of a step begins.
    below: f64,
    /// How many characters fit into a line, also if all of them are wide.
    fit: usize,
    /// Whether a name that is longer goes on in a second line; otherwise its end is left out.
    wraps: bool,
}

/// In windows from 52 rem on: the names stand left of the axis.
const ROOMY: Layout = Layout {
    class: "axis roomy",
    width: 1_100.0,
    left: 390.0,
    right: 1_015.0,
    row: 22.0,
    below: 0.0,
    fit: 48,
    wraps: false,
};
/// In narrower ones, such as a phone's: each name stands above its bar.
const NARROW: Layout = Layout {
    class: "axis narrow",
    width: 360.0,
    left: 0.0,
    right: 275.0,
    row: 40.0,
    below: 16.0,
    fit: 44,
    wraps: true,
};
/// Where the first step begins, below the labels of the axis.
const TOP: f64 = 30.0;
/// The height of a line of a name.
const LINE: f64 = 14.0;
/// The most that a character of a label is wide.
const CHARACTER: f64 = 8.0;
/// The characters of an id behind its prefix.
const ID_CHARACTERS: usize = 26;
/// The most steps that are drawn; the list beside the drawing has all of them.
const MOST: usize = 40;
/// The largest fraction of the axis for a stretch without work.
const LONGEST_GAP: f64 = 0.25;

/// A step, with where its parts are drawn.
struct Row<'a> {
    step: &'a Step,
    /// The lines of its name, each with its baseline.
    name: Vec<(f64, String)>,
    /// The top of its bar.
    bar: f64,
}

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
    let &Layout { class, width, left, right, .. } = layout;
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
    let (rows, height) = below_each_other(layout, steps);
    let cuts = axis.iter().filter(|stretch| stretch.drawn < stretch.length * 0.999);
    let cuts = cuts.map(|cut| (cut, place(cut.from), place(cut.from) + (right - left) * cut.drawn / whole));
    let begins = format!("{} UTC", first.at.format("%H:%M:%S"));
    // The time at which the axis begins stands left of it, where there is room.
    let (begins_at, anchor, free_from) =
        if left > 0.0 { (left - 5.0, "end", left) } else { (0.0, "start", width_of(&begins)) };
    let gaps = labelled(cuts, free_from);
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
            @for Row { step, name, bar } in &rows {
                line.grid x1="0" x2=(width) y1=(bar + 16.0) y2=(bar + 16.0) {}
                @for (y, line) in name { text x="0" y=(y) { (line) } }
                (shape(step, *bar, place(step.at), step.until.map(place)))
            }
            text.soft x=(begins_at) y="13" text-anchor=(anchor) { (begins) }
        }
    }
}

/// Places the steps below each other. Returns them, and where the last one ends.
fn below_each_other<'a>(layout: &Layout, steps: &'a [Step]) -> (Vec<Row<'a>>, f64) {
    let mut top = TOP;
    let mut rows = Vec::new();
    for step in steps {
        let mut name = Vec::new();
        for line in lines_of(&step.name, layout) {
            if !name.is_empty() {
                top += LINE;
            }
            name.push((top + 10.0, line));
        }
        rows.push(Row { step, name, bar: top + layout.below });
        top += layout.row;
    }
    (rows, top)
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

/// Returns the lines of a name, each of which fits. Of a name that is too long the middles of its ids are left out
/// first; if it is still too long, it goes on in more lines where the layout wraps, and its end is left out elsewhere.
fn lines_of(name: &str, layout: &Layout) -> Vec<String> {
    let fits = |name: &str| name.chars().count() <= layout.fit;
    if fits(name) {
        return vec![name.to_owned()];
    }
    let words: Vec<String> = name.split(' ').map(shortened).collect();
    let name = words.join(" ");
    if fits(&name) {
        return vec![name];
    }
    if layout.wraps {
        return wrapped(&name, layout.fit);
    }
    let start: String = name.chars().take(layout.fit - 1).collect();
    vec![format!("{start}…")]
}

/// Breaks a text into lines of at most `fit` characters, between words; a word that is longer is broken too.
fn wrapped(text: &str, fit: usize) -> Vec<String> {
    let (mut lines, mut line) = (Vec::new(), String::new());
    for word in text.split(' ') {
        let letters: Vec<char> = word.chars().collect();
        for (nth, part) in letters.chunks(fit).enumerate() {
            let blank = usize::from(nth == 0 && !line.is_empty());
            if line.chars().count() + blank + part.len() > fit {
                lines.push(std::mem::take(&mut line));
            } else if blank > 0 {
                line.push(' ');
            }
            line.extend(part);
        }
    }
    lines.push(line);
    lines
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
mod tests;
