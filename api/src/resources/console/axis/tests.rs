//! Which steps are drawn where, and which of their names are whole.

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
    let cut = lines_of(&"x".repeat(80), &ROOMY);
    assert_eq!(cut.iter().map(|line| line.chars().count()).collect::<Vec<_>>(), [ROOMY.fit]);
}

#[test]
fn what_became_of_an_attempt_stands_in_the_drawing_though_its_endpoint_has_a_long_id() {
    let endpoint = "whe_01JD3M5N7P9Q1R3S5T7V9W1X3Y";
    for (name, drawn) in [
        (format!("attempt 1 to {endpoint}: connect_failed"), "attempt 1 to whe_…9W1X3Y: connect_failed"),
        (format!("attempt 10 to {endpoint}: invalid_response"), "attempt 10 to whe_…9W1X3Y: invalid_response"),
        (format!("next attempt to {endpoint} is due"), "next attempt to whe_…9W1X3Y is due"),
    ] {
        assert_eq!(lines_of(&name, &NARROW), [drawn]);
        let steps = [step("asked for", 0, None, StepKind::Mark), step(&name, 1_000, None, StepKind::Mark)];
        assert!(drawn_as(&NARROW, &steps).0.contains(drawn), "{name}");
    }
    let fits = format!("attempt 1 to {endpoint}: 200");
    assert_eq!(lines_of(&fits, &ROOMY), [fits], "an id stays whole where it fits");
    assert_eq!(shortened("a_word_that_is_no_id_of_any:"), "a_word_that_is_no_id_of_any:");
}

#[test]
fn a_name_that_is_too_long_for_a_phone_goes_on_in_the_next_line_and_loses_nothing() {
    let worker = format!("worker-{}", "7".repeat(50));
    let name = format!("claim 12: failed (reader_out_of_memory), by {worker} of another host");
    let lines = lines_of(&name, &NARROW);
    assert!(lines.iter().all(|line| (1..=NARROW.fit).contains(&line.chars().count())), "{lines:?}");
    assert_eq!(lines[0], "claim 12: failed (reader_out_of_memory), by");
    assert_eq!(lines.concat().replace(' ', ""), name.replace(' ', ""));
    let svg = drawn_as(&NARROW, &[step(&name, 0, Some(10), StepKind::Bad)]).0;
    assert!(lines.iter().all(|line| svg.contains(&format!(">{line}</text>"))) && !svg.contains('…'), "{svg}");
}

#[test]
fn a_phone_gets_the_same_steps_each_with_its_name_above_its_bar_and_nothing_beyond_the_drawing() {
    let steps = [
        step("asked for", 0, None, StepKind::Mark),
        step(&"claim 1, by a worker with a long name ".repeat(3), 0, Some(10_000), StepKind::Good),
        step("attempt 1", 3_612_000, Some(3_671_999), StepKind::Bad),
    ];
    let svg = drawn_as(&NARROW, &steps).0;
    assert!(drawn(&steps).0.ends_with(&svg) && svg.contains("<svg class=\"axis narrow\" viewBox=\"0 0 360 "), "{svg}");
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
    assert_eq!(bars, [114.0, 154.0], "the last lines of the names begin at 98 and 138: {svg}");
    assert!(svg.contains("08:00:00 UTC"), "{svg}");
}
