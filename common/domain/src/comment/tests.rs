//! Which comments are taken: their moments, their regions and their texts.

use super::*;

#[test]
fn a_comment_is_about_a_part_of_the_item_that_there_is() {
    let anchor = |at, until, duration_ms| {
        let extent = Extent { duration_ms, has_picture: true };
        checked_anchor(AskedAnchor { at, until, region: None }, extent)
    };
    assert_eq!(anchor(None, None, None), Ok(Anchor::default()));
    let moment = anchor(Some(1.5), Some(2.0), Some(2_000)).expect("within the media");
    assert_eq!((moment.at_ms, moment.until_ms), (Some(1_500), Some(2_000)));
    assert_eq!(anchor(Some(1.0), None, None), Err(CommentError::Timeless));
    for (at, until) in [
        (Some(-0.1), None),
        (Some(2.1), None),
        (Some(f64::NAN), None),
        (Some(f64::INFINITY), None),
        (Some(1.0), Some(1.0)),
        (Some(1.5), Some(1.0)),
        (None, Some(1.0)),
        (Some(1.0), Some(2.1)),
    ] {
        assert!(matches!(anchor(at, until, Some(2_000)), Err(CommentError::Outside(_))), "{at:?} {until:?}");
    }
}

#[test]
fn a_region_is_within_a_picture() {
    let anchor = |region, has_picture| {
        let asked = AskedAnchor { region: Some(region), ..AskedAnchor::default() };
        checked_anchor(asked, Extent { duration_ms: None, has_picture })
    };
    let region = Region { x: 0.25, y: 0.0, width: 0.75, height: 1.0 };
    assert_eq!(anchor(region, true).map(|anchor| anchor.region), Ok(Some(region)));
    assert_eq!(anchor(region, false), Err(CommentError::Region));
    for wrong in [
        Region { x: 0.3, ..region },
        Region { x: -0.1, ..region },
        Region { height: 0.0, ..region },
        Region { y: f64::NAN, ..region },
    ] {
        assert_eq!(anchor(wrong, true), Err(CommentError::Region), "{wrong:?}");
    }
}

#[test]
fn texts_and_names_have_something_in_them() {
    assert_eq!(checked_text("  <b>cut\nhere</b> "), Ok("<b>cut\nhere</b>"));
    assert_eq!(checked_text(" \n"), Err(CommentError::Text));
    assert!(checked_text(&"ä".repeat(MOST_CHARACTERS)).is_ok());
    assert_eq!(checked_text(&"ä".repeat(MOST_CHARACTERS + 1)), Err(CommentError::Text));
    assert_eq!(checked_name(" Ada "), Ok("Ada"));
    assert_eq!(checked_name("a\nb"), Err(CommentError::Name));
    for seen in ["Ada Lovelace", "עדה", "李", "می‌خواهم", "👩‍🚀", "x_X", "!"] {
        assert_eq!(checked_name(seen), Ok(seen));
    }
    let unseen =
        ["\u{200B}", "\u{2800}", "\u{3164}", "\u{202E}adA", "Ada\u{2066}", "A\u{200B}da", "\u{FE0F}", ".\u{E0041}"];
    for wrong in unseen {
        assert_eq!(checked_name(wrong), Err(CommentError::Name), "{wrong:?}");
    }
}

#[test]
fn a_text_is_blank_if_nothing_of_it_can_be_seen() {
    for blank in ["", " \t\n", "\u{A0}\u{3000}", "\u{200B}\u{FEFF} \u{2060}", "\u{202E}\u{E0041}"] {
        assert!(is_blank(blank), "{blank:?}");
    }
    for text in ["x", "\u{200B}.\u{200B}", "河", "👩\u{200D}🚀"] {
        assert!(!is_blank(text), "{text}");
    }
}
