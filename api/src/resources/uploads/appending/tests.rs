use super::*;

#[test]
fn a_checksum_names_its_algorithm_and_is_as_long_as_its_digests() {
    assert!(Checksum::of("sha1 Kq5sNclPz7QV2+lfQIuc6R7oRu0=").is_ok());
    for wrong in ["", "sha1", "sha1 ", "sha1 AAAA", "md5 Kq5sNclPz7QV2+lfQIuc6R7oRu0=", "sha1 Kq5sNclPz7QV2-lfQIuc"] {
        assert_eq!(Checksum::of(wrong).err().map(|refusal| refusal.code()), Some(Code::InvalidRequest), "{wrong}");
    }
}

#[test]
fn a_block_has_room_for_its_part_and_for_no_more_than_is_left_of_the_upload() {
    assert_eq!((room_of(-1), room_of(0), room_of(3)), (0, 0, 3));
    assert_eq!((room_of(8 << 20), room_of(i64::MAX)), (PART_BYTES, PART_BYTES));
}

#[test]
fn who_sends_slowly_holds_no_whole_part_in_memory_and_makes_none_that_is_too_small() {
    assert!(is_due(PART_BYTES, Duration::ZERO) && is_due(256 << 10, LONGEST_HELD));
    assert!(!is_due(PART_BYTES - 1, Duration::from_secs(29)) && !is_due((256 << 10) - 1, Duration::from_hours(1)));
}
