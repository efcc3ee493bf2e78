//! Briefs with what is wanted in them and what is left out.

use crate::agent::Wishes;

fn check(brief: &str, words: &str, without: &str) {
    let wishes = Wishes::of(brief);
    assert_eq!((wishes.words.join(" ").as_str(), wishes.without.join(" ").as_str()), (words, without), "{brief}");
}

#[test]
fn what_a_brief_leaves_out_is_understood_however_it_is_said() {
    for (brief, words, without) in [
        ("8 seconds about the river, leave the boats out", "river", "boats"),
        ("8 seconds about the river and leave the boats out, please", "river", "boats"),
        ("Leave the harbour out. 10 seconds about the river", "river", "harbour"),
        ("leave the boats, the fishermen and the garden out", "", "boats fishermen garden"),
        ("take the boats out and show the river", "river", "boats"),
        ("take out the boats", "", "boats"),
        ("cut the shots of boats out", "", "boats"),
        ("The river leaving out the boats", "river", "boats"),
        ("the river, avoid boats", "river", "boats"),
        ("the river, never boats", "river", "boats"),
        ("the river, skip the boats; the garden", "river garden", "boats"),
        ("the river, drop the boats. The garden", "river garden", "boats"),
        ("the river, exclude the boats", "river", "boats"),
        ("don't show the boats", "", "boats"),
        ("don't include the boats", "", "boats"),
        ("no more boats", "", "boats"),
        ("the river without the boats, the fishermen and the garden", "river", "boats fishermen garden"),
        ("the river without boats, fishermen or gardens", "river", "boats fishermen gardens"),
        ("the river, no boats, fishermen, nor gardens", "river", "boats fishermen gardens"),
        ("no boats and show the garden", "garden", "boats"),
        ("without boats, with the garden", "garden", "boats"),
        ("no boats, but gardens", "gardens", "boats"),
        ("no boats, include the garden", "garden", "boats"),
        ("without the boats, about the garden", "garden", "boats"),
        ("no boats, the garden at dawn", "garden dawn", "boats"),
        ("without the boats, 20 seconds of the garden", "garden", "boats"),
        ("without the boats, vertical, the garden", "garden", "boats"),
        ("No, show the garden", "garden", ""),
        ("don't leave out the boats", "boats", ""),
        ("the river without boats, and don't forget the garden", "river garden", "boats"),
        ("remove or drop the boats", "", "boats"),
        ("a drop of water", "drop water", ""),
        ("not longer than 8 seconds about the river", "river", ""),
        ("don't make it longer and show the bridge", "bridge", ""),
        ("without longer shots of boats", "", "boats"),
        ("no more than 20 seconds of the harbour without the boats", "harbour", "boats"),
        ("fishermen take the boat out", "fishermen boat", ""),
        ("take the best of the interview, fade out at the end", "interview fade", ""),
        ("keep the boats, and zoom out", "boats zoom", ""),
        ("cut from the harbour to people who walk out", "harbour people walk", ""),
        ("leave the boats that go out to sea out", "", "boats sea"),
    ] {
        check(brief, words, without);
    }
    for (brief, words, without) in [
        ("30 seconds without music, the river", "river", ""),
        ("the river without music, captions or boats", "river", "boats"),
    ] {
        check(brief, words, without);
        assert!(!Wishes::of(brief).music, "{brief}");
    }
}

#[test]
fn a_verb_that_is_negated_leaves_something_out() {
    for (brief, words, without) in [
        ("the river. There shouldn't be boats", "river", "boats"),
        ("the river. There shouldn\u{2019}t be boats", "river", "boats"),
        ("the river. There shouldnt be boats", "river", "boats"),
        ("the river. There should be no boats", "river", "boats"),
        ("the river. There should not be any boats", "river", "boats"),
        ("the river. It mustn't show the boats and shouldn't show gardens", "river", "boats gardens"),
        ("a film of the river that doesn't show boats", "river", "boats"),
        ("the film isn't about boats", "", "boats"),
        ("there aren't any boats", "", "boats"),
        ("it can't have boats, it won't have gardens", "", "boats gardens"),
        ("it cannot show boats. It cant show gardens, it wont show sails", "", "boats gardens sails"),
        ("never show boats", "", "boats"),
        ("dont show boats", "", "boats"),
        ("don\u{2019}t leave out the boats, you shouldn\u{2019}t leave the garden out", "boats garden", ""),
        ("I can't wait to see the boats", "boats", ""),
        ("people who can't swim in the river", "people swim river", ""),
        ("the parent and the front of the church", "parent front church", ""),
    ] {
        check(brief, words, without);
    }
}

#[test]
fn what_follows_a_bound_of_the_length_is_shown() {
    for (brief, words, without) in [
        ("not over 30 seconds of the river", "river", ""),
        ("at most 30 seconds of the river", "river", ""),
        ("it shouldn't run over 30 seconds, the river", "river", ""),
        ("without the boats max 30 seconds of the river", "river", "boats"),
        ("the river, up to a minute or less of the boats", "river boats", ""),
        ("an interview with max about fishing", "interview max fishing", ""),
    ] {
        check(brief, words, without);
    }
}

#[test]
fn what_is_left_out_is_all_up_to_the_end_of_its_clause() {
    for (brief, words, without) in [
        ("remove everything with boats", "", "boats"),
        ("8 seconds about the river, leave out anything about the boats", "river", "boats"),
        ("the river, without anything about boats", "river", "boats"),
        ("the river, no pictures with boats", "river", "boats"),
        ("the river, don't show pictures with boats", "river", "boats"),
        ("the river, avoid images showing boats", "river", "boats"),
        ("skip everything with boats in it", "", "boats"),
        ("the river, no people with boats", "river", "people boats"),
        ("the river, omit sentences about boats", "river", "boats"),
        ("8 seconds without the sentence about boats", "", "boats"),
        ("the river w/o boats", "river", "boats"),
        ("take the part about the boats out", "", "boats"),
        ("leave everything with boats out, and show the garden", "garden", "boats"),
        ("the river, no boats, just the garden", "river garden", "boats"),
        ("the river, apart from the boats", "river", "boats"),
        ("the river other than the boats", "river", "boats"),
        ("the river instead of boats", "river", "boats"),
        ("the river, hide the boats", "river", "boats"),
        ("the river, boats out", "river", "boats"),
        ("the river. Boats? No.", "river", "boats"),
        ("cut the boats", "", "boats"),
        ("the river rather than boats", "river", "boats"),
        ("the river, ignore the boats", "river", "boats"),
        ("the river, nothing with boats", "river", "boats"),
        ("the river, nothing about boats", "river", "boats"),
        ("the river, free of boats", "river", "boats"),
        ("8 seconds of the river, boat-free", "river", "boat"),
        ("a boat-free river", "river", "boat"),
        ("the river, boats excluded", "river", "boats"),
        ("the river with the boats left out", "river", "boats"),
        ("the river. It shouldn't show the boats", "river", "boats"),
        ("the river: boats must not appear", "river", "boats"),
        ("the river; the boats should not be seen", "river", "boats"),
        ("get rid of the boats", "", "boats"),
        ("delete the boats", "", "boats"),
        ("the river, keep boats out of it", "river", "boats"),
        ("the river. No to boats.", "river", "boats"),
        ("not with the boats", "", "boats"),
        ("show less of the boats", "", "boats"),
        ("the river — without the boats — and the garden", "river garden", "boats"),
        ("the river (without the boats) and the garden", "river garden", "boats"),
        ("the river / no boats / no town", "river", "boats town"),
        ("the river\n- no boats\n- no town\n- the garden", "river garden", "boats town"),
        ("8 seconds without boats about the river", "river", "boats"),
        ("everything except the boats", "", "boats"),
        ("everything but the boats", "", "boats"),
        ("the river, but not the boats", "river", "boats"),
        ("the river. I don't want any boats in it.", "river", "boats"),
        ("the river. I don't want to see boats.", "river", "boats"),
        ("the river, not about the boats", "river", "boats"),
    ] {
        check(brief, words, without);
    }
}

#[test]
fn an_exclusion_ends_with_its_clause_however_the_clauses_are_told_apart() {
    for (brief, words, without) in [
        ("don't show the boats, but don't leave out the fishermen", "fishermen", "boats"),
        ("no boats, no fishermen, no garden, no town", "", "boats fishermen garden town"),
        ("it doesn't need the boats", "", "boats"),
        ("the river but no boats but the garden", "river garden", "boats"),
        ("the garden and the town, not the river or the boats", "garden town", "river boats"),
        ("WITHOUT BOATS, 8 SECONDS, THE RIVER", "river", "boats"),
        ("Without boats: 8 seconds of the river", "river", "boats"),
        ("No boats! 8 seconds, the river", "river", "boats"),
        ("Leave out:\n- boats\n- the town", "", "boats town"),
        ("leave out: boats, fishermen", "", "boats fishermen"),
        ("I do not like boats", "", "boats"),
        ("20 seconds: the river. Leave the winter and the night out, with music", "river", "winter night"),
        ("the river without boats, fishermen; but with the town", "river town", "boats fishermen"),
        ("never, ever show boats", "", "boats"),
        ("8 seconds about the river, not the winter, and not at night", "river", "winter night"),
        ("no scenes that include boats", "", "boats"),
        ("don't leave the boats in", "", "boats"),
        ("don't use rivers without boats", "", "rivers boats"),
        ("the river without music, boats or captions", "river", "boats"),
        ("shots of the river, with the boats excluded", "river", "boats"),
        ("I won't show boats", "", "boats"),
        ("the boats aren't wanted", "", "boats"),
        ("no, without boats", "", "boats"),
        ("there must be no boats and no people", "", "boats people"),
        ("don't go out and show boats", "", "boats"),
        ("no, don't show boats", "", "boats"),
        ("don't include or show the boats", "", "boats"),
        ("the river with everyone but without the boats", "river", "boats"),
        ("the boats must never be seen", "", "boats"),
        ("nobody on boats", "", "boats"),
    ] {
        check(brief, words, without);
    }
}

#[test]
fn what_only_looks_like_an_exclusion_is_wanted() {
    for (brief, words, without) in [
        ("the river. Don't forget the boats.", "river boats", ""),
        ("the river, and not just the boats", "river boats", ""),
        ("the river, not to mention the boats", "river boats", ""),
        ("the garden. Why not the boats too?", "garden boats", ""),
        ("the river, of course with no end of boats", "river course boats", ""),
        ("don't be boring, boats", "boats", ""),
        ("8 seconds, not too long, about boats", "boats", ""),
        ("never mind the river, boats", "boats", ""),
        ("I didn't mean no boats", "boats", ""),
        ("8 seconds of people who never leave the river", "people river", ""),
        ("the fishermen that can't leave the boats", "fishermen boats", ""),
        ("no music, boats", "boats", ""),
        ("no captions but boats", "boats", ""),
        ("don't use music, use boats", "boats", ""),
        ("the river, nothing else", "river", ""),
        ("the river, no one else", "river", ""),
        ("Nothing but the river", "river", ""),
        ("don't make it without the boats", "boats", ""),
        ("the river, no, leave the boats in", "river boats", ""),
        ("don't remove or drop the boats", "boats", ""),
        ("the talk with its silence removed", "silence removed", ""),
        ("cut the 2 hour interview down to 30 seconds", "interview down", ""),
        ("the river, no matter how cold", "river", ""),
        ("don't show anything except the boats", "boats", ""),
        ("8 seconds, no music. Boats.", "boats", ""),
        ("don't cut the boats", "boats", ""),
        ("a 20 second cut of the river", "river", ""),
        ("no pictures without boats", "boats", ""),
        ("don't ever hide the boats", "boats", ""),
        ("the river, it should not be longer than 20 seconds", "river", ""),
    ] {
        check(brief, words, without);
    }
}

#[test]
fn a_word_is_read_together_with_those_near_it_alone() {
    // Of hundreds of thousands without a mark, each would be read with all before it.
    let far = "a ".repeat(60);
    for (behind, without) in [("excluded", ""), ("must not be seen", "seen")] {
        check(&format!("boats {behind}"), "", "boats");
        check(&format!("boats {far}{behind}"), "boats", without);
    }
}
