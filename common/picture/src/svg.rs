//! The picture as SVG: lanes one below the other over one time axis.
//!
//! It is self-contained (no script, no link, no font), described in words by `title` and `desc`, and has a light and a
//! dark theme. Its size does not grow with the media: nothing is drawn finer than one point.

use super::axis::{clock, labels};
use super::facts::{Beats, Facts, Levels, Span, Speakers, Unread};
use super::voices::looks;
use std::fmt::Write;

const WIDTH: f64 = 1_216.0;
/// The left and the right end of the time axis, in points.
const LEFT: f64 = 96.0;
const RIGHT: f64 = 1_152.0;
/// The width of the time axis in points.
const POINTS: usize = 1_056;
const TOP: f64 = 44.0;
const GAP: f64 = 14.0;
/// The range of short-term loudness that is drawn, in LUFS.
const QUIETEST: f64 = -60.0;
const LOUDEST: f64 = 0.0;
const LABELS: usize = 10;

const STYLE: &str = "\
text{font:13px system-ui,sans-serif;fill:#1c2430}.name{font-size:16px;font-weight:600}.small{font-size:11px;fill:#566172}\
.missing{font-style:italic;fill:#566172}.lane{fill:#f1f4f8}.wave{fill:#8fa3ba}.loud{fill:none;stroke:#a3401b;stroke-width:1.5}\
.speech{fill:#1f6b3a}.beat{stroke:#566172}.bar{stroke:#1c2430;stroke-width:2}.tick{stroke:#c3ccd8}.letter{fill:#fff;font-weight:600}\
.tile{fill:none;stroke:#fff;stroke-opacity:.45;stroke-width:1.2}.paper{fill:#fff}\
@media(prefers-color-scheme:dark){.paper{fill:#12161d}.lane{fill:#1d242e}text{fill:#e6ebf2}.small,.missing{fill:#a2aebd}\
.wave{fill:#5b6f87}.loud{stroke:#f0915f}.speech{fill:#4fae74}.beat{stroke:#a2aebd}.bar{stroke:#e6ebf2}.tick{stroke:#3a4554}}";

/// Returns the picture of these facts as SVG.
pub fn svg(facts: &Facts) -> String {
    let mut drawing = Drawing { facts, body: String::new(), y: TOP };
    drawing.levels();
    drawing.speech();
    drawing.speakers();
    drawing.beats();
    let bottom = drawing.y;
    let mut axis = String::new();
    for at in labels(facts.seconds, LABELS) {
        let x = drawing.x(at);
        _ = writeln!(axis, r#"<path class="tick" d="M{x:.1} {TOP}V{bottom}"/>"#);
        _ = writeln!(
            axis,
            r#"<text class="small" x="{x:.1}" y="{:.0}" text-anchor="middle">{}</text>"#,
            bottom + 16.0,
            clock(at)
        );
    }
    let height = bottom + 28.0;
    let (name, told) = (escaped(&facts.name), escaped(&facts.description()));
    let patterns: String = looks().map(|(number, look)| pattern(number, look.color, look.tile)).collect();
    format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img" aria-labelledby="title desc">
<title id="title">{name}</title>
<desc id="desc">{told}</desc>
<style>{STYLE}</style>
<defs>
{patterns}</defs>
<rect class="paper" width="{WIDTH}" height="{height}"/>
<g aria-hidden="true">
<text class="name" x="{LEFT}" y="28">{name}</text>
{axis}{body}</g>
</svg>
"#,
        body = drawing.body
    )
}

fn pattern(number: usize, color: &str, tile: &str) -> String {
    format!(
        "<pattern id=\"voice{number}\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\">\
         <rect width=\"8\" height=\"8\" fill=\"{color}\"/><g class=\"tile\">{tile}</g></pattern>\n"
    )
}

/// The lanes that are drawn so far, and the vertical position of the next.
struct Drawing<'a> {
    facts: &'a Facts,
    body: String,
    y: f64,
}

impl Drawing<'_> {
    /// Returns the horizontal position of a second.
    fn x(&self, second: f64) -> f64 {
        LEFT + (RIGHT - LEFT) * (second / self.facts.seconds).clamp(0.0, 1.0)
    }

    /// Begins a lane with its background and its name. Returns its vertical position.
    fn lane(&mut self, name: &str, height: f64) -> f64 {
        let y = self.y;
        let width = RIGHT - LEFT;
        _ = writeln!(
            self.body,
            r#"<rect class="lane" x="{LEFT}" y="{y}" width="{width}" height="{height}" fill-opacity=".7"/>"#
        );
        _ = writeln!(
            self.body,
            r#"<text x="{}" y="{}" text-anchor="end">{name}</text>"#,
            LEFT - 10.0,
            y + height / 2.0 + 4.5
        );
        self.y += height + GAP;
        y
    }

    fn missing(&mut self, name: &str) {
        if self.facts.unread == Unread::LeftOut {
            return;
        }
        let y = self.lane(name, 24.0);
        _ = writeln!(self.body, r#"<text class="missing" x="{}" y="{}">not read yet</text>"#, LEFT + 8.0, y + 16.5);
    }

    fn levels(&mut self) {
        const HEIGHT: f64 = 110.0;
        let Some(levels) = &self.facts.levels else { return self.missing("levels") };
        let y = self.lane("levels", HEIGHT);
        let (middle, half) = (y + HEIGHT / 2.0, HEIGHT / 2.0 - 4.0);
        _ = writeln!(self.body, r#"<path class="wave" d="{}"/>"#, outline(levels, middle, half));
        let at = |lufs: f64| y + HEIGHT * (LOUDEST - lufs.clamp(QUIETEST, LOUDEST)) / (LOUDEST - QUIETEST);
        let mut line = String::new();
        let mut last = f64::NEG_INFINITY;
        for (second, lufs) in &levels.short_term {
            let x = self.x(*second);
            if x - last >= 1.0 {
                _ = write!(line, "{}{x:.1} {:.1}", if line.is_empty() { "M" } else { "L" }, at(*lufs));
                last = x;
            }
        }
        _ = writeln!(self.body, r#"<path class="loud" d="{line}"/>"#);
        _ = writeln!(self.body, r#"<text class="small" x="{}" y="{}">LUFS</text>"#, RIGHT + 6.0, y + 8.0);
        for lufs in [-14.0, -23.0, -40.0] {
            _ = writeln!(
                self.body,
                r#"<text class="small" x="{}" y="{:.1}">{lufs:.0}</text>"#,
                RIGHT + 6.0,
                at(lufs) + 4.0
            );
        }
    }

    fn speech(&mut self) {
        let Some(speech) = &self.facts.speech else { return self.missing("speech") };
        let y = self.lane("speech", 24.0);
        let path: String = speech.iter().map(|span| self.block(*span, y + 4.0, 16.0)).collect();
        _ = writeln!(self.body, r#"<path class="speech" d="{path}"/>"#);
    }

    fn speakers(&mut self) {
        let Some(Speakers { names, turns }) = &self.facts.speakers else { return self.missing("speakers") };
        if names.is_empty() {
            let y = self.lane("speakers", 24.0);
            _ = writeln!(self.body, r#"<text class="missing" x="{}" y="{}">nobody</text>"#, LEFT + 8.0, y + 16.5);
        }
        for (number, name) in names.iter().enumerate() {
            let y = self.lane(&format!("speaker {}", escaped(name)), 24.0);
            let own: Vec<Span> = turns.iter().filter(|(who, _)| *who == number).map(|(_, span)| *span).collect();
            let path: String = own.iter().map(|span| self.block(*span, y + 2.0, 20.0)).collect();
            let look = number % looks().count();
            _ = writeln!(self.body, r#"<path fill="url(#voice{look})" d="{path}"/>"#);
            self.letters(name, &own, y + 16.5);
            // The rows of one lane stand close together.
            self.y -= GAP - 3.0;
        }
        self.y += if names.is_empty() { 0.0 } else { GAP - 3.0 };
    }

    /// Writes the name into each of these stretches that has room for it.
    fn letters(&mut self, name: &str, spans: &[Span], y: f64) {
        for span in spans {
            let (from, to) = (self.x(span.start), self.x(span.end));
            if to - from >= 16.0 {
                let x = f64::midpoint(from, to);
                _ = writeln!(
                    self.body,
                    r#"<text class="letter" x="{x:.1}" y="{y}" text-anchor="middle">{}</text>"#,
                    escaped(name)
                );
            }
        }
    }

    fn beats(&mut self) {
        let Some(Beats { tempo, times, bars }) = &self.facts.beats else { return self.missing("beats") };
        let y = self.lane("beats", 34.0);
        let (beats, bars) = (self.strokes(times, y + 14.0, 16.0), self.strokes(bars, y + 4.0, 26.0));
        _ = writeln!(self.body, r#"<path class="beat" d="{beats}"/><path class="bar" d="{bars}"/>"#);
        let text = tempo.map_or_else(|| "none".to_owned(), |tempo| format!("{tempo:.0} BPM"));
        _ = writeln!(self.body, r#"<text class="small" x="{}" y="{}">{text}</text>"#, RIGHT + 6.0, y + 21.0);
    }

    /// Returns the path of a span as a block, at least one point wide, so that it can be seen.
    fn block(&self, span: Span, y: f64, height: f64) -> String {
        let from = self.x(span.start);
        let width = (self.x(span.end) - from).max(1.0);
        format!("M{from:.1} {y}h{width:.1}v{height}h-{width:.1}z")
    }

    /// Returns a path with one stroke per time; a stroke less than a point after the last one is left out.
    fn strokes(&self, times: &[f64], y: f64, height: f64) -> String {
        let (mut path, mut last) = (String::new(), f64::NEG_INFINITY);
        for time in times {
            let x = self.x(*time);
            if x - last >= 1.0 {
                _ = write!(path, "M{x:.1} {y}v{height}");
                last = x;
            }
        }
        path
    }
}

/// Returns the outline as one path: the highest samples from left to right, then the lowest ones back.
fn outline(levels: &Levels, middle: f64, half: f64) -> String {
    let count = levels.outline.len();
    let extent = |point: usize| {
        let (first, end) = (point * count / POINTS, ((point + 1) * count / POINTS).max(point * count / POINTS + 1));
        let part = levels.outline.iter().take(end).skip(first);
        part.fold((0.0_f64, 0.0_f64), |(low, high), pair| (low.min(pair.0), high.max(pair.1)))
    };
    #[expect(clippy::cast_precision_loss, reason = "there are some thousand points")]
    let x = |point: usize| LEFT + point as f64;
    if count == 0 {
        return String::new();
    }
    let tops = (0..POINTS).map(|point| format!("{:.0} {:.1}", x(point), middle - half * extent(point).1));
    let bottoms = (0..POINTS).rev().map(|point| format!("{:.0} {:.1}", x(point), middle - half * extent(point).0));
    format!("M{}z", tops.chain(bottoms).collect::<Vec<_>>().join("L"))
}

/// Escapes text for XML; control characters, which XML does not allow, become spaces.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => safe.push(' '),
            c => safe.push(c),
        }
    }
    safe
}
