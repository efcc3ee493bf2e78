use super::*;

#[test]
fn a_clients_request_id_is_kept_when_it_is_short_and_plain() {
    assert_eq!(request_id(Some("abc-1.2:3")), "abc-1.2:3");
    for odd in [None, Some(""), Some("a b"), Some("a\"b"), Some(&*"x".repeat(129))] {
        assert!(request_id(odd).starts_with("req_"), "{odd:?}");
    }
}
