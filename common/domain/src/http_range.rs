//! Decides which bytes a request asks for, and whether it has them already (RFC 9110, sections 13 and 14).
//!
//! Pure: header values in, a decision out. Only a single range of bytes is served as such; several ranges, another unit
//! and malformed ranges get the whole, as the RFC allows. A tag is the hash of the bytes, and so always a strong one.

use std::ops::Range;

/// The bytes that a request asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// All bytes.
    Whole,
    /// These bytes: never empty, and never past the end.
    Part(Range<u64>),
    /// Bytes beyond the end: the range can't be satisfied.
    Nothing,
}

/// Returns the bytes that a request asks for, of `length` bytes with this tag, quotes included. If `If-Range` is sent
/// and is not the tag, that is the whole; dates never match, since no modification time is sent.
pub fn asked(range: Option<&str>, if_range: Option<&str>, tag: &str, length: u64) -> Asked {
    let Some(range) = range else { return Asked::Whole };
    if if_range.is_some_and(|named| named.trim() != tag) {
        return Asked::Whole;
    }
    match ends(range) {
        None => Asked::Whole,
        Some(Ends::Last(count)) if count == 0 || length == 0 => Asked::Nothing,
        Some(Ends::Last(count)) => Asked::Part(length.saturating_sub(count)..length),
        Some(Ends::From(first, _)) if first >= length => Asked::Nothing,
        Some(Ends::From(first, last)) => {
            Asked::Part(first..last.map_or(length, |last| last.saturating_add(1).min(length)))
        }
    }
}

/// A range as the header states it: from a first byte to an optional last one, or the last so many bytes.
enum Ends {
    From(u64, Option<u64>),
    Last(u64),
}

/// Returns a single range of bytes; `None` if there are several, or it is malformed.
fn ends(range: &str) -> Option<Ends> {
    let (unit, set) = range.split_once('=')?;
    if !unit.trim().eq_ignore_ascii_case("bytes") {
        return None;
    }
    // A list may have empty members.
    let mut members = set.split(',').map(str::trim).filter(|member| !member.is_empty());
    let (one, more) = (members.next()?, members.next());
    if more.is_some() {
        return None;
    }
    let (first, last) = one.split_once('-')?;
    match (first.is_empty(), last.is_empty()) {
        (true, true) => None,
        (true, false) => Some(Ends::Last(number(last)?)),
        (false, true) => Some(Ends::From(number(first)?, None)),
        (false, false) => {
            let (first, last) = (number(first)?, number(last)?);
            (first <= last).then_some(Ends::From(first, Some(last)))
        }
    }
}

/// Returns a number of digits only; one that exceeds `u64` becomes its maximum.
fn number(digits: &str) -> Option<u64> {
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    Some(digits.parse().unwrap_or(u64::MAX))
}

/// Whether the request may go on by its `If-Match`: it has none, or one that names this tag. A weak tag names none,
/// since it does not say that each byte is the same.
pub fn is_as_wanted(if_match: Option<&str>, tag: &str) -> bool {
    if_match.is_none_or(|tags| members(tags).any(|named| named == "*" || named == tag))
}

/// Whether `If-None-Match` names this tag, so that the client has the bytes.
pub fn is_known(if_none_match: Option<&str>, tag: &str) -> bool {
    let mut tags = if_none_match.into_iter().flat_map(members);
    tags.any(|named| named == "*" || named.strip_prefix("W/").unwrap_or(named) == tag)
}

/// Returns the members of a list of tags. None of ours has a comma in it.
fn members(tags: &str) -> impl Iterator<Item = &str> {
    tags.split(',').map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TAG: &str = "\"abc\"";

    fn of_ten(range: &str) -> Asked {
        asked(Some(range), None, TAG, 10)
    }

    #[test]
    fn one_range_is_taken_and_whatever_else_is_said_is_the_whole() {
        for (range, wanted) in [
            ("bytes=0-0", Asked::Part(0..1)),
            ("bytes=0-", Asked::Part(0..10)),
            ("bytes=3-6", Asked::Part(3..7)),
            ("bytes=3-99", Asked::Part(3..10)),
            ("bytes=9-9", Asked::Part(9..10)),
            ("bytes=-1", Asked::Part(9..10)),
            ("bytes=-99", Asked::Part(0..10)),
            ("BYTES=1-2", Asked::Part(1..3)),
            ("bytes=,1-2,", Asked::Part(1..3)),
            ("bytes=1-99999999999999999999999", Asked::Part(1..10)),
            ("bytes=10-", Asked::Nothing),
            ("bytes=10-12", Asked::Nothing),
            ("bytes=-0", Asked::Nothing),
            ("bytes=99999999999999999999999-", Asked::Nothing),
            ("bytes=0-0,2-3", Asked::Whole),
            ("bytes=6-3", Asked::Whole),
            ("bytes=-", Asked::Whole),
            ("bytes=", Asked::Whole),
            ("bytes", Asked::Whole),
            ("", Asked::Whole),
            ("bytes=a-b", Asked::Whole),
            ("bytes=1 - 2", Asked::Whole),
            ("bytes=+1-2", Asked::Whole),
            ("bytes=--1", Asked::Whole),
            ("bytes=0x1-2", Asked::Whole),
            ("seconds=0-1", Asked::Whole),
        ] {
            assert_eq!(of_ten(range), wanted, "{range:?}");
        }
        assert_eq!(asked(Some("bytes=0-"), None, TAG, 0), Asked::Nothing);
        assert_eq!(asked(Some("bytes=-5"), None, TAG, 0), Asked::Nothing);
        assert_eq!(asked(None, Some(TAG), TAG, 10), Asked::Whole);
    }

    #[test]
    fn a_range_counts_only_for_the_bytes_that_its_reader_has_begun_with() {
        let with = |if_range| asked(Some("bytes=1-2"), Some(if_range), TAG, 10);
        assert_eq!(with(TAG), Asked::Part(1..3));
        for other in ["\"abd\"", "W/\"abc\"", "abc", "", "Wed, 21 Oct 2026 07:28:00 GMT", "*"] {
            assert_eq!(with(other), Asked::Whole, "{other:?}");
        }
    }

    #[test]
    fn a_reader_that_has_the_bytes_is_told_so() {
        for known in [TAG, "W/\"abc\"", "*", "\"x\", \"abc\"", "\"x\",W/\"abc\" ,\"y\""] {
            assert!(is_known(Some(known), TAG), "{known}");
        }
        for other in [None, Some(""), Some("\"x\""), Some("abc")] {
            assert!(!is_known(other, TAG), "{other:?}");
        }
    }

    #[test]
    fn a_condition_holds_for_every_byte_of_the_tag_that_it_names() {
        for held in [None, Some(TAG), Some("*"), Some(" * "), Some("\"x\", \"abc\""), Some("\"x\",\"abc\" ,\"y\"")] {
            assert!(is_as_wanted(held, TAG), "{held:?}");
        }
        for failed in ["\"x\"", "W/\"abc\"", "abc", "", "\"x\", W/\"abc\""] {
            assert!(!is_as_wanted(Some(failed), TAG), "{failed:?}");
        }
    }

    proptest! {
        #[test]
        fn a_part_is_never_empty_and_never_past_the_end(
            range in "bytes=[0-9, -]{0,12}|\\PC{0,20}",
            length in 0..200_u64,
        ) {
            if let Asked::Part(part) = asked(Some(&range), None, TAG, length) {
                prop_assert!(part.start < part.end && part.end <= length);
            }
        }
    }
}
