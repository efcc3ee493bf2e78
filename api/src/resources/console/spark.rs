//! Numbers of the last day as a bar for each hour, and of the last hour as two for each five minutes: SVG without
//! script, with its numbers as text. Pure.

use super::words::word;
use maud::{Markup, html};

/// How many hours are drawn.
pub(super) const HOURS: usize = 24;
/// How many slots of five minutes are drawn.
pub(super) const SLOTS: usize = 12;
/// The height of the highest bar.
const HEIGHT: u64 = 18;

/// The colour of the bars.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Colour {
    /// Of what is only counted.
    Plain,
    /// Of failures.
    Bad,
}

/// Draws a bar for each hour, the last one at the right; the highest is the hour with the most. `one` and `several`
/// name what is counted, for those who do not see the bars.
pub(super) fn bars(hours: &[u32; HOURS], colour: Colour, one: &str, several: &str) -> Markup {
    let most = hours.iter().copied().max().unwrap_or(0).max(1);
    let height = |count: u32| height(count, most);
    let busiest = hours.iter().copied().max().unwrap_or(0);
    let last = hours[HOURS - 1];
    let what = word(last == 1, one, several);
    let label = format!("{last} {what} in the last hour, {busiest} in the busiest of {HOURS}");
    let class = match colour {
        Colour::Plain => "spark",
        Colour::Bad => "spark bad",
    };
    html! {
        svg class=(class) viewBox="0 0 120 18" role="img" aria-label=(label) {
            @for (place, count) in hours.iter().enumerate() {
                rect.bar x=(place * 5) y=(HEIGHT - height(*count)) width="4" height=(height(*count)) {}
            }
        }
    }
}

/// Draws two bars for each slot of five minutes, the last slot at the right: the jobs that were started, and those that
/// ended. Both have the same scale.
pub(super) fn pairs(started: &[u32; SLOTS], ended: &[u32; SLOTS]) -> Markup {
    let most = started.iter().chain(ended).copied().max().unwrap_or(0).max(1);
    let sum = |counts: &[u32; SLOTS]| counts.iter().copied().map(u64::from).sum::<u64>();
    let label = format!("In the last hour {} started, {} ended", sum(started), sum(ended));
    let bars = [("begun", started, 0), ("bar", ended, 5)];
    html! {
        svg.spark viewBox="0 0 120 18" role="img" aria-label=(label) {
            @for (class, counts, shift) in bars {
                @for (place, count) in counts.iter().enumerate() {
                    @let height = height(*count, most);
                    rect class=(class) x=(place * 10 + shift) y=(HEIGHT - height) width="4" height=(height) {}
                }
            }
        }
    }
}

/// Returns the height of a bar, which is seen where anything is counted.
fn height(count: u32, most: u32) -> u64 {
    if count == 0 { 0 } else { (u64::from(count) * HEIGHT / u64::from(most)).max(1) }
}

#[cfg(test)]
mod tests {
    use super::super::assets::STYLE;
    use super::*;

    /// Returns the luminance of a colour among these definitions of the style, from 0 to 1 (WCAG 2).
    fn luminance(definitions: &str, name: &str) -> f64 {
        let after = definitions.split(&format!("--{name}:#")).nth(1).expect("a colour");
        let hex = after.split(';').next().unwrap_or_default();
        let digits: String = if hex.len() == 3 { hex.chars().flat_map(|one| [one, one]).collect() } else { hex.into() };
        let part = |from: usize| {
            let value = f64::from(u8::from_str_radix(&digits[from..from + 2], 16).expect("two digits")) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(0) + 0.7152 * part(2) + 0.0722 * part(4)
    }

    #[test]
    fn each_bar_stands_out_from_the_page_in_light_and_in_dark() {
        let after = STYLE.split(":root{").skip(1);
        let themes: Vec<&str> = after.map(|rest| rest.split('}').next().unwrap_or_default()).collect();
        assert_eq!(themes.len(), 2);
        for bar in [".spark .bar", ".spark.bad .bar", ".spark .begun"] {
            let after = STYLE.split(&format!("{bar}{{fill:var(--")).nth(1).expect("a fill");
            let name = after.split(')').next().unwrap_or_default();
            for theme in &themes {
                let (one, other) = (luminance(theme, name), luminance(theme, "paper"));
                let contrast = (one.max(other) + 0.05) / (one.min(other) + 0.05);
                assert!(contrast >= 3.0, "{bar} has {contrast:.2}: {theme}");
            }
        }
    }

    #[test]
    fn the_hour_with_the_most_is_the_highest_bar_and_one_with_few_is_still_seen() {
        let mut hours = [0; HOURS];
        (hours[0], hours[22], hours[23]) = (u32::MAX, 1, 2);
        let drawn = bars(&hours, Colour::Bad, "job", "jobs").0;
        assert!(drawn.contains("2 jobs in the last hour, 4294967295 in the busiest of 24"), "{drawn}");
        assert_eq!(drawn.matches("<rect").count(), HOURS);
        let heights: Vec<&str> = drawn.split(" height=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        assert_eq!((heights[0], heights[1], heights[22], heights[23]), ("18", "0", "1", "1"));
        hours[23] = 1;
        assert!(bars(&hours, Colour::Bad, "job", "jobs").0.contains("1 job in the last hour"));
        let none = bars(&[0; HOURS], Colour::Plain, "job", "jobs").0;
        assert!(none.contains("0 jobs in the last hour, 0 in the busiest of 24"), "{none}");
    }

    #[test]
    fn what_was_started_and_what_ended_stand_beside_each_other_on_one_scale() {
        let (mut started, mut ended) = ([0; SLOTS], [0; SLOTS]);
        (started[0], started[11], ended[11]) = (4, 2, 1);
        let drawn = pairs(&started, &ended).0;
        assert!(drawn.contains("aria-label=\"In the last hour 6 started, 1 ended\""), "{drawn}");
        assert_eq!(drawn.matches("<rect").count(), SLOTS * 2);
        for bar in [r#"begun" x="0" y="0" width="4" height="18""#, r#"begun" x="110" y="9" width="4" height="9""#] {
            assert!(drawn.contains(bar), "{bar}: {drawn}");
        }
        assert!(drawn.contains(r#"bar" x="115" y="14" width="4" height="4""#), "{drawn}");
    }
}
