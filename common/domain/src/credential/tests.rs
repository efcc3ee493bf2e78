//! The forms of credentials, and that none shows itself in a debug text.

use super::*;
use proptest::prelude::*;

#[test]
fn a_key_is_es_live_and_32_hex_characters() {
    let key = ApiKey::from_random([0xab; 16]);
    assert_eq!(key.expose(), "es_live_abababababababababababababababab");
    assert_eq!(key.display_prefix(), "es_live_abab");
    assert!(ApiKey::parse(key.expose()).is_some_and(|read| read.hash().matches(&key.hash())));
    assert_eq!(hex::encode(CredentialHash::of("abc").as_bytes()), ABC);
}

const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

#[test]
fn each_bearer_text_is_told_apart_by_its_form() {
    let key = ApiKey::from_random([1; 16]);
    let session = SessionToken::from_random([2; 32]);
    let operator = OperatorToken::from_random([3; 32]);
    assert!(matches!(Credential::parse(key.expose()), Credential::ApiKey(_)));
    assert!(matches!(Credential::parse(session.expose()), Credential::SessionToken(_)));
    assert!(matches!(Credential::parse("eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln"), Credential::Jwt(_)));
    assert!(matches!(Credential::parse("eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0."), Credential::Jwt(_)));
    for opaque in [operator.expose(), "hunter2", "a.b.c", "eyJ.x", "es_test_00"] {
        assert!(matches!(Credential::parse(opaque), Credential::Opaque(_)), "{opaque}");
    }
    let Credential::Opaque(hash) = Credential::parse(operator.expose()) else { panic!("an operator's token") };
    assert!(hash.matches(&operator.hash()));
    assert!(!hash.matches(&key.hash()));
}

#[test]
fn a_text_with_our_prefix_and_something_else_behind_it_is_malformed() {
    let code = SessionCode::from_random([4; 16]);
    let upload = UploadToken::from_random([5; 32]);
    let long = "a".repeat(LONGEST_BEARER + 1);
    for text in [
        "",
        " ",
        "es_live_",
        "es_live_ABABABABABABABABABABABABABABABAB",
        "es_live_ababababababababababababababababa",
        "es_live_gggggggggggggggggggggggggggggggg",
        " es_live_abababababababababababababababab",
        "ess_00",
        "with space",
        "line\nbreak",
        "ключ",
        code.expose(),
        upload.expose(),
        &long,
    ] {
        assert!(matches!(Credential::parse(text), Credential::Malformed), "{text:?}");
    }
}

#[test]
fn no_debug_text_shows_a_secret() {
    let key = ApiKey::from_random([0xcd; 16]);
    let token = SessionToken::from_random([0xcd; 32]);
    let jwt = "eyJhbGciOiJFUzI1NiJ9.cdcd.cdcd";
    let shown = [
        format!("{key:?} {token:?} {:?}", key.hash()),
        format!("{:?} {:?}", Credential::parse(key.expose()), Credential::parse(token.expose())),
        format!("{:?} {:?}", Credential::parse(jwt), Credential::parse("cdcd")),
    ];
    assert!(shown.iter().all(|text| !text.contains("cdcd")), "{shown:?}");
}

proptest! {
    #[test]
    fn no_bearer_makes_it_panic_and_only_exact_keys_are_keys(bearer in "(es_live_|ess_|esx_|eyJ)?[0-9a-fx.é ]{0,70}") {
        if let Credential::ApiKey(key) = Credential::parse(&bearer) {
            prop_assert_eq!(key.expose(), bearer.as_str());
            prop_assert_eq!(bearer.len(), 40);
        }
    }

    #[test]
    fn what_is_made_reads_back(random in any::<[u8; 32]>()) {
        let token = UploadToken::from_random(random);
        prop_assert!(UploadToken::parse(token.expose()).is_some_and(|read| read.hash().matches(&token.hash())));
    }
}
