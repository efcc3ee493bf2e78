//! What a receiver may rely on: known vectors, rotation, tampering, replay, and headers that are no header.
//!
//! The vectors were computed with Python's `hmac` module, so that they don't merely repeat this code.

use super::*;
use proptest::prelude::*;
use secrecy::ExposeSecret;

const BODY: &[u8] = br#"{"id":"evt_1","type":"job.succeeded"}"#;
const TIME: i64 = 1_790_000_000;

fn secret(seed: u8) -> String {
    new_secret([seed; 32]).expose_secret().to_owned()
}

#[test]
fn a_secret_is_whsec_and_the_base64_of_its_bytes() {
    assert_eq!(secret(7), "whsec_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=");
}

#[test]
fn the_three_signatures_match_vectors_made_elsewhere() {
    let secret = secret(7);
    assert_eq!(job_signature(TIME, BODY, &[&secret]), format!("t={TIME},v1={JOB_VECTOR}"));
    assert_eq!(project_signature(TIME, BODY, &secret), format!("sha256={JOB_VECTOR}"));
    assert_eq!(standard_signature("evt_1", TIME, BODY, &[&secret]), Ok(format!("v1,{STANDARD_VECTOR}")));
}

const JOB_VECTOR: &str = "4f97d3f3f1cb618f0b9a6871d40488e70c181626f80644c923fce1135c6440cd";
const STANDARD_VECTOR: &str = "mMdrt+E33D97BSkqtgo/MgKxcAdILuO+rDmdZp9UBKg=";

#[test]
fn a_secret_of_any_length_is_a_key() {
    // RFC 4231, test case 6: a key of 131 bytes, longer than a block.
    let expected = "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54";
    let made = digest(&[0xaa; 131], &[b"Test Using Larger Than Block-Size Key", b" - Hash Key First"]);
    assert_eq!(hex::encode(made), expected);
    for length in [0, 1, 63, 64, 65] {
        let secret = "s".repeat(length);
        assert_eq!(verify(&job_signature(TIME, BODY, &[&secret]), BODY, &[&secret], TIME, 0), Ok(()), "{length}");
    }
}

#[test]
fn a_project_webhook_verifies_by_its_own_headers_and_by_no_others() {
    let (secret, time) = (secret(1), TIME.to_string());
    let signature = project_signature(TIME, BODY, &secret);
    let check = |signature: &str, time: &str, body, now| verify_project(signature, time, body, &[&secret], now, 300);
    assert_eq!(check(&signature, &time, BODY, TIME + 300), Ok(()));
    assert_eq!(check(&signature, &time, BODY, TIME + 301), Err(SignatureError::OutsideTolerance));
    assert_eq!(check(&signature, &time, b"{}", TIME), Err(SignatureError::NoMatch));
    assert_eq!(check(&signature, &(TIME + 1).to_string(), BODY, TIME), Err(SignatureError::NoMatch));
    let bare = signature.trim_start_matches("sha256=");
    let (two, second) = (format!("{signature},v1={bare}"), format!("{time},t=0"));
    for (signature, time) in [(bare, &*time), ("", &time), ("sha256=", &time), (&signature, ""), (&signature, &second)]
    {
        assert_eq!(check(signature, time, BODY, TIME), Err(SignatureError::Malformed), "{signature} {time}");
    }
    assert_eq!(check(&two, &time, BODY, TIME), Err(SignatureError::Malformed), "one value, as one is sent");
}

#[test]
fn during_a_rotation_either_secret_verifies() {
    let (new, old) = (secret(1), secret(2));
    let header = job_signature(TIME, BODY, &[&new, &old]);
    assert_eq!(header.matches(",v1=").count(), 2);
    for known in [&new, &old] {
        assert_eq!(verify(&header, BODY, &[known], TIME, 0), Ok(()));
    }
    assert_eq!(verify(&header, BODY, &[&secret(3)], TIME, 0), Err(SignatureError::NoMatch));
    assert_eq!(verify(&header, BODY, &[], TIME, 0), Err(SignatureError::NoMatch));
    let standard = standard_signature("evt_1", TIME, BODY, &[&new, &old]);
    assert_eq!(standard.map(|value| value.split(' ').count()), Ok(2));
}

#[test]
fn a_genuine_signature_outside_the_tolerance_is_a_replay() {
    let secret = secret(1);
    let header = job_signature(TIME, BODY, &[&secret]);
    for (now, expected) in [
        (TIME + 300, Ok(())),
        (TIME - 300, Ok(())),
        (TIME + 301, Err(SignatureError::OutsideTolerance)),
        (TIME - 301, Err(SignatureError::OutsideTolerance)),
        (i64::MIN, Err(SignatureError::OutsideTolerance)),
    ] {
        assert_eq!(verify(&header, BODY, &[&secret], now, DEFAULT_TOLERANCE_S), expected, "now = {now}");
    }
}

#[test]
fn a_header_of_another_form_is_malformed() {
    let good = "a".repeat(64);
    for header in [
        String::new(),
        "t=1".into(),
        format!("v1={good}"),
        format!("t=,v1={good}"),
        format!("t=+1,v1={good}"),
        format!("t=-1,v1={good}"),
        format!("t=1,t=2,v1={good}"),
        format!("t=99999999999999999999,v1={good}"),
        format!("t=1,v1={}", "a".repeat(63)),
        format!("t=1,v1={}", "g".repeat(64)),
        format!("t=1;v1={good}"),
        format!("t=1{}", format!(",v1={good}").repeat(9)),
    ] {
        assert_eq!(verify(&header, BODY, &["s"], 1, 10), Err(SignatureError::Malformed), "{header}");
    }
}

#[test]
fn a_scheme_that_is_not_known_yet_is_passed_over() {
    let header = format!("{},v2=anything", job_signature(TIME, BODY, &["s"]));
    assert_eq!(verify(&header, BODY, &["s"], TIME, 0), Ok(()));
}

#[test]
fn the_time_is_signed_as_it_was_written() {
    let header = job_signature(TIME, BODY, &["s"]);
    let padded = header.replace("t=", "t=0");
    assert_eq!(verify(&padded, BODY, &["s"], TIME, 0), Err(SignatureError::NoMatch));
}

#[test]
fn a_secret_that_is_not_base64_has_no_standard_signature() {
    assert_eq!(standard_signature("evt_1", 1, BODY, &["whsec_not base64"]), Err(SignatureError::SecretNotDecodable));
}

proptest! {
    #[test]
    fn whatever_is_signed_verifies_and_one_flipped_bit_does_not(
        body in proptest::collection::vec(any::<u8>(), 1..200),
        random in any::<[u8; 32]>(),
        time in 0..4_000_000_000_i64,
        flip in any::<prop::sample::Index>(),
        bit in 0..8_u8,
    ) {
        let secret = new_secret(random);
        let header = job_signature(time, &body, &[secret.expose_secret()]);
        prop_assert_eq!(verify(&header, &body, &[secret.expose_secret()], time, 0), Ok(()));
        let mut tampered = body.clone();
        tampered[flip.index(body.len())] ^= 1 << bit;
        prop_assert_eq!(verify(&header, &tampered, &[secret.expose_secret()], time, 0), Err(SignatureError::NoMatch));
    }

    #[test]
    fn no_header_makes_it_panic(header in ".{0,200}", now in any::<i64>(), tolerance in any::<i64>()) {
        prop_assert!(verify(&header, BODY, &["s"], now, tolerance).is_err());
    }
}
