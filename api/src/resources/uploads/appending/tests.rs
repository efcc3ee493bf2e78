use super::*;

#[test]
fn a_checksum_names_its_algorithm_and_is_as_long_as_its_digests() {
    assert!(Checksum::of("sha1 Kq5sNclPz7QV2+lfQIuc6R7oRu0=").is_ok());
    for wrong in ["", "sha1", "sha1 ", "sha1 AAAA", "md5 Kq5sNclPz7QV2+lfQIuc6R7oRu0=", "sha1 Kq5sNclPz7QV2-lfQIuc"] {
        assert_eq!(Checksum::of(wrong).err().map(|refusal| refusal.code()), Some(Code::InvalidRequest), "{wrong}");
    }
}
