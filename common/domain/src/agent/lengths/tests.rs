//! Lengths in briefs, however they are written.

use super::*;
use crate::agent::words::taken_apart;

fn seconds(text: &str) -> Option<f64> {
    length(&taken_apart(text)).map(|(seconds, _)| seconds)
}

#[test]
fn a_length_is_understood_however_it_is_written() {
    for (text, wanted) in [
        ("A 30 second film about the river", 30.0),
        ("a 30-second film", 30.0),
        ("30s of it", 30.0),
        ("make it 1 minute, please", 60.0),
        ("half a minute about boats", 30.0),
        ("a minute and a half", 90.0),
        ("1.5 minutes", 90.0),
        ("exactly 1:30", 90.0),
        ("two minutes", 120.0),
        ("one minute 20 seconds", 80.0),
        ("twenty seconds", 20.0),
        ("2min", 120.0),
        ("1m30s", 90.0),
        ("two and a half minutes", 150.0),
        ("A twenty-five second film", 25.0),
        ("thirty five second", 35.0),
        ("forty five seconds", 45.0),
        ("twenty, five second scenes", 5.0),
        ("a hundred and twenty seconds", 120.0),
        ("one thousand two hundred and five seconds", 1_205.0),
        ("2 hours", 7_200.0),
        ("an hour", 3_600.0),
        ("half an hour", 1_800.0),
        ("a quarter of an hour", 900.0),
        ("three quarters of a minute", 45.0),
        ("1h", 3_600.0),
        ("1.5 hours", 5_400.0),
        ("an hour and a half", 5_400.0),
        ("1 hour 2 minutes 3 seconds", 3_723.0),
        ("1:00:00", 3_600.0),
        ("1,000 seconds", 1_000.0),
        ("1,000,000.5 seconds", 1_000_000.5),
        ("10,5 seconds", 10.5),
        ("10,25s", 10.25),
        ("1 hour, 2 minutes, 3 seconds", 3_723.0),
        ("2 minutes. 30 seconds of boats", 120.0),
        ("1½ minutes of the river", 90.0),
        ("½ minute", 30.0),
        ("１５ seconds", 15.0),
        ("a dozen seconds", 12.0),
        ("two dozen seconds", 24.0),
        ("not 20 seconds but 10", 10.0),
        ("not 20 seconds but 10 seconds of the river", 10.0),
        ("the river in the 1960s, 20 seconds", 20.0),
        ("Portrait 4:5 film of the river, 20 seconds", 20.0),
        ("a 16:10 film, 20 seconds", 20.0),
        ("at 6:30 in the evening, 20 seconds", 20.0),
        ("the river at 6:30, 20 seconds", 20.0),
        ("a 20 m wide river, 15 seconds", 15.0),
        ("a 20m high tower, 15 seconds", 15.0),
        ("10–15 seconds", 15.0),
    ] {
        assert_eq!(seconds(text), Some(wanted), "{text}");
    }
}

#[test]
fn figures_and_words_that_only_look_like_a_length_are_none() {
    for text in [
        "a film about the river",
        "the second river",
        "3 boats",
        "half of the river",
        "the golden hour",
        "1,0000 seconds",
        "1:2:3:4",
        "A second film about the river",
        "once more, a second time",
        "a minute's walk",
        "the river in the 1960s",
        "a 4:5 film",
        "a 4:3 film",
        "a 16:10 film",
        "at 6:30 in the evening",
        "a 20 m wide river",
        "-5 seconds",
        "",
    ] {
        assert_eq!(seconds(text), None, "{text}");
    }
}

#[test]
fn a_span_of_the_past_or_of_a_source_is_no_length_beside_another_one() {
    for (text, wanted) in [
        ("the last 24 hours, 30 seconds", 30.0),
        ("Boats of the last twenty four hours and 10 minutes in 30 seconds", 30.0),
        ("the past two days, 30 seconds", 30.0),
        ("the past 36 hours: one minute", 60.0),
        ("what was said 2 hours ago, 30 seconds", 30.0),
        ("30 seconds from the last 24 hours", 30.0),
        ("from the first 10 minutes, a 20 second film", 20.0),
        ("Use the first minute and the final 90 seconds, in a minute", 60.0),
        ("from 1:30:00 of talk, 20 seconds", 20.0),
        ("from our 2 hours of footage, 20 seconds", 20.0),
        ("cut the 2 hour interview down to 30 seconds", 30.0),
        ("a 90-minute long lecture in 2 minutes", 120.0),
        ("A second 30 second film", 30.0),
        // A film that is to last so long, or that is made of a source.
        ("it should last 30 seconds, with 5 seconds of the boats", 30.0),
        ("last, 30 seconds of the boats and 10 seconds of the river", 30.0),
        ("a 30 second interview clip with 5 seconds of the boats", 30.0),
        ("30 seconds of the interview and 10 seconds of the boats", 30.0),
        // The parts of a film are shorter than all of it.
        ("3 second scenes of the river, 12 seconds in all", 12.0),
        ("3 second scenes of the river, 12 seconds", 12.0),
        ("5 seconds of the boats and 7 of the river, 12 seconds in total", 12.0),
        // No other length is named.
        ("the last 30 seconds of the talk", 30.0),
        ("a 90 second talk", 90.0),
    ] {
        assert_eq!(seconds(text), Some(wanted), "{text}");
    }
    for text in ["boats of the last 24 hours", "the 2 hour interview", "2 hours ago", "the last second"] {
        assert_eq!(seconds(text), None, "{text}: no film can be as long");
    }
}
