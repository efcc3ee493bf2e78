//! Tokens that are signed here, verified with the keys of an issuer that answers on loopback. The tests of the whole
//! service have tokens of a certified authorization server.

use super::*;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::ids::WorkspaceId;
use poem::http::StatusCode;
use poem::listener::TcpAcceptor;
use poem::{IntoResponse, Request, Response, Server, endpoint::make};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

const AUDIENCE: &str = "https://mws.example/api/v1";

/// A key of the issuer's.
struct TestKey {
    id: String,
    pair: EcdsaKeyPair,
}

impl TestKey {
    fn new(id: &str) -> Self {
        let random = SystemRandom::new();
        let made = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).expect("a key");
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, made.as_ref(), &random).expect("a key");
        Self { id: id.to_owned(), pair }
    }

    fn published(&self) -> Value {
        let point = self.pair.public_key().as_ref();
        let coordinate = |range: std::ops::Range<usize>| URL_SAFE_NO_PAD.encode(&point[range]);
        json!({ "kty": "EC", "crv": "P-256", "use": "sig", "kid": self.id, "x": coordinate(1..33), "y": coordinate(33..65) })
    }

    fn sign(&self, header: &Value, claims: &Value) -> String {
        let message = unsigned(header, claims);
        let signature = self.pair.sign(&SystemRandom::new(), message.as_bytes()).expect("a signature");
        format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature))
    }
}

fn unsigned(header: &Value, claims: &Value) -> String {
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    format!("{}.{}", part(header), part(claims))
}

/// What the issuer publishes, how often it was asked for it, and whether it answers.
#[derive(Default)]
struct Published {
    issuer: Mutex<String>,
    keys: Mutex<Vec<Value>>,
    fetched: AtomicUsize,
    is_away: AtomicBool,
    hangs: AtomicBool,
}

impl Published {
    async fn answer(&self, request: Request) -> Response {
        if self.hangs.load(Ordering::SeqCst) {
            std::future::pending::<()>().await;
        }
        if self.is_away.load(Ordering::SeqCst) {
            return StatusCode::BAD_GATEWAY.into();
        }
        let issuer = self.issuer.lock().expect("unpoisoned").clone();
        let body = match request.uri().path() {
            "/.well-known/openid-configuration" => json!({ "issuer": issuer, "jwks_uri": format!("{issuer}/jwks") }),
            "/jwks" => {
                self.fetched.fetch_add(1, Ordering::SeqCst);
                json!({ "keys": *self.keys.lock().expect("unpoisoned") })
            }
            _ => return StatusCode::NOT_FOUND.into(),
        };
        Response::builder().content_type("application/json").body(body.to_string()).into_response()
    }

    fn publish(&self, keys: &[&TestKey]) {
        *self.keys.lock().expect("unpoisoned") = keys.iter().map(|key| key.published()).collect();
    }

    fn fetched(&self) -> usize {
        self.fetched.load(Ordering::SeqCst)
    }
}

/// An issuer that listens, and how the service sees it.
struct IssuerBench {
    url: String,
    published: Arc<Published>,
    issuer: Issuer,
    key: TestKey,
}

impl IssuerBench {
    fn new() -> Self {
        runtime::process::install_crypto();
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        listener.set_nonblocking(true).expect("a listener of tokio's");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let published = Arc::new(Published::default());
        url.clone_into(&mut published.issuer.lock().expect("unpoisoned"));
        let (answering, key) = (Arc::clone(&published), TestKey::new("first"));
        published.publish(&[&key]);
        let acceptor = TcpAcceptor::from_std(listener).expect("an acceptor");
        let serving = Server::new_with_acceptor(acceptor);
        tokio::spawn(serving.run(make(move |request| {
            let answering = Arc::clone(&answering);
            async move { answering.answer(request).await }
        })));
        let issuer = issuer(&url).expect("settings that are whole").expect("an issuer");
        Self { url, published, issuer, key }
    }

    fn claims(&self) -> Value {
        json!({ "iss": self.url, "sub": "anna", "aud": AUDIENCE, "exp": 4_000_000_000_u64, "iat": 1, "client_id": "c" })
    }

    fn token(&self, key: &TestKey) -> String {
        key.sign(&header(&key.id), &self.claims())
    }

    async fn code(&self, token: &str) -> Result<Claims, (Code, String)> {
        self.issuer.verify(token).await.map_err(|error| (error.code(), error.message().to_owned()))
    }
}

fn issuer(url: &str) -> Result<Option<Issuer>, OAuthError> {
    let audience = vec!["https://mws.example/mcp".to_owned(), AUDIENCE.to_owned()];
    Issuer::new(&OAuthSettings {
        issuer: Some(url.to_owned()),
        audience,
        signup: Signup::Refuse,
        signups_a_day: 1,
        signups_a_network: None,
    })
}

fn header(id: &str) -> Value {
    json!({ "alg": "ES256", "typ": "at+jwt", "kid": id })
}

fn with(mut value: Value, field: &str, to: Value) -> Value {
    value[field] = to;
    value
}

fn without(mut value: Value, field: &str) -> Value {
    value.as_object_mut().expect("an object").remove(field);
    value
}

#[tokio::test]
async fn a_token_as_it_must_be_says_whom_it_stands_for() {
    let stage = IssuerBench::new();
    let claims = stage.code(&stage.token(&stage.key)).await.expect("taken");
    let wanted = Claims {
        subject: "anna".to_owned(),
        name: "anna".to_owned(),
        expires: 4_000_000_000,
        begins: None,
        workspaces: None,
    };
    assert_eq!(claims, wanted);
    let workspace = WorkspaceId::mint();
    let more = json!({
        "nbf": 17.9, "name": "Anna\nA", "aud": ["https://else.example", AUDIENCE],
        "scope": format!("openid workspace:{workspace} workspace:nonsense"),
    });
    let mut all = stage.claims();
    all.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    let named = with(header("first"), "typ", "application/AT+JWT".into());
    let claims = stage.code(&stage.key.sign(&named, &all)).await.expect("taken");
    assert_eq!((claims.begins, claims.name.as_str()), (Some(17), "AnnaA"));
    assert_eq!(claims.workspaces, Some(vec![workspace]));
    // A scope that can't be read lets in nowhere rather than everywhere.
    let odd = with(stage.claims(), "scope", "workspace:nonsense".into());
    assert_eq!(stage.code(&stage.key.sign(&header("first"), &odd)).await.expect("taken").workspaces, Some(vec![]));
}

#[tokio::test]
async fn a_token_that_is_not_as_it_must_be_is_401_in_words_that_name_the_fault_and_never_the_token() {
    let stage = IssuerBench::new();
    let (good, head) = (stage.claims(), header("first"));
    let sign = |header: &Value, claims: &Value| stage.key.sign(header, claims);
    let forged = TestKey::new("first");
    // Signed with the public key, which everyone can have, as the secret of an HMAC.
    let hmac = {
        let message = unsigned(&with(head.clone(), "alg", "HS256".into()), &good);
        let secret = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, stage.key.pair.public_key().as_ref());
        format!("{message}.{}", URL_SAFE_NO_PAD.encode(ring::hmac::sign(&secret, message.as_bytes())))
    };
    let signed = sign(&head, &good);
    let (message, signature) = signed.rsplit_once('.').expect("a signature");
    let tampered = format!("{}.{signature}", unsigned(&head, &with(good.clone(), "sub", "bo".into())));
    let claim = |name: &str, value: Value| sign(&head, &with(good.clone(), name, value));
    let cases = [
        ("unsigned", format!("{}.", unsigned(&with(head.clone(), "alg", "none".into()), &good)), "ES256 or RS256"),
        ("without its signature", format!("{message}."), "signature"),
        ("an HMAC by the public key", hmac, "ES256 or RS256"),
        ("another algorithm's word", sign(&with(head.clone(), "alg", "RS256".into()), &good), "does not publish"),
        ("tampered with", tampered, "signature"),
        ("signed by another key of that id", forged.sign(&head, &good), "signature"),
        ("an ID token", sign(&with(head.clone(), "typ", "JWT".into()), &good), "at+jwt"),
        ("of no type", sign(&without(head.clone(), "typ"), &good), "at+jwt"),
        ("with an extension", sign(&with(head.clone(), "crit", json!(["exp"])), &good), "crit"),
        ("another issuer's", claim("iss", "https://else.example".into()), "was not issued by"),
        ("nobody's", sign(&head, &without(good.clone(), "iss")), "`iss`"),
        ("for another service", claim("aud", "https://else.example".into()), "not meant for"),
        ("for services, not ours", claim("aud", json!(["https://else.example"])), "not meant for"),
        ("for nobody", sign(&head, &without(good.clone(), "aud")), "`aud`"),
        ("of nobody", sign(&head, &without(good.clone(), "sub")), "`sub`"),
        ("of an empty subject", claim("sub", "".into()), "`sub`"),
        ("of a subject that is a number", claim("sub", 7.into()), "`sub`"),
        ("without an end", sign(&head, &without(good.clone(), "exp")), "`exp`"),
        ("with an end in words", claim("exp", "soon".into()), "`exp`"),
        ("with an end past all time", claim("exp", json!(1e300)), "`exp`"),
        ("with a beginning before all time", claim("nbf", json!(-1)), "`nbf`"),
        ("with scopes in a list", claim("scope", json!(["workspace:x"])), "`scope`"),
        ("no JWT at all", "eyJhbGciOiJFUzI1NiJ9.!.x".to_owned(), "at+jwt"),
        ("no JSON", "eyJh.eyJh.eyJh".to_owned(), "can be read"),
    ];
    for (what, token, words) in cases {
        let (code, message) = stage.code(&token).await.expect_err(what);
        assert_eq!(code, Code::Unauthenticated, "{what}: {message}");
        assert!(message.contains(words), "{what}: {message}");
        assert!(!message.contains(&token) && !message.contains("anna"), "{what}: {message}");
    }
    assert!(stage.code(&signed).await.is_ok(), "the one they were made of");
}

#[tokio::test]
async fn a_flood_of_unknown_keys_is_one_fetch_and_a_rotated_key_is_found_by_it() {
    let stage = IssuerBench::new();
    assert!(stage.code(&stage.token(&stage.key)).await.is_ok());
    assert_eq!(stage.published.fetched(), 1);
    let (second, third) = (TestKey::new("second"), TestKey::new("third"));
    stage.published.publish(&[&second]);
    let flood = (0..200).map(|number| stage.key.sign(&header(&format!("unknown-{number}")), &stage.claims()));
    let flood: Vec<String> = flood.collect();
    let refused = futures_util::future::join_all(flood.iter().map(|token| stage.code(token))).await;
    for answer in refused {
        assert_eq!(answer.expect_err("nobody's key").0, Code::Unauthenticated);
    }
    assert_eq!(stage.published.fetched(), 2, "one more for all of them");
    assert!(stage.code(&stage.token(&second)).await.is_ok(), "that one brought the new key");
    let (code, message) = stage.code(&stage.token(&stage.key)).await.expect_err("withdrawn");
    assert_eq!((code, message.contains("does not publish")), (Code::Unauthenticated, true), "{message}");
    stage.published.publish(&[&second, &third]);
    assert!(stage.code(&stage.token(&third)).await.is_err(), "not asked for again so soon");
    assert_eq!(stage.published.fetched(), 2);
}

#[tokio::test]
async fn while_the_issuer_is_away_known_keys_go_on_and_others_are_503_with_a_time_to_wait() {
    let stage = IssuerBench::new();
    stage.published.is_away.store(true, Ordering::SeqCst);
    let error = stage.issuer.verify(&stage.token(&stage.key)).await.expect_err("no key was ever fetched");
    assert_eq!((error.code(), error.retry_after_seconds().is_some()), (Code::Unavailable, true));
    // The token of another issuer is refused even so, since that needs no key.
    let elsewhere = stage.key.sign(&header("first"), &with(stage.claims(), "iss", "https://else.example".into()));
    assert_eq!(stage.code(&elsewhere).await.expect_err("another issuer's").0, Code::Unauthenticated);

    let stage = IssuerBench::new();
    assert!(stage.code(&stage.token(&stage.key)).await.is_ok());
    stage.published.is_away.store(true, Ordering::SeqCst);
    assert!(stage.code(&stage.token(&stage.key)).await.is_ok(), "the key is at hand");
    let unknown = TestKey::new("second");
    assert_eq!(stage.code(&stage.token(&unknown)).await.expect_err("perhaps new").0, Code::Unavailable);
    assert!(stage.code(&stage.token(&stage.key)).await.is_ok(), "and stays so");
}

#[tokio::test]
async fn an_issuer_that_hangs_holds_up_nobody_whose_key_is_at_hand_and_a_withdrawn_key_is_noticed() {
    let stage = IssuerBench::new();
    let token = stage.token(&stage.key);
    assert!(stage.code(&token).await.is_ok());
    stage.issuer.keys.grow_old();
    stage.published.hangs.store(true, Ordering::SeqCst);
    for _ in 0..2 {
        // A fetch is given up after ten seconds.
        let answer = tokio::time::timeout(std::time::Duration::from_secs(9), stage.code(&token)).await;
        assert!(matches!(answer, Ok(Ok(_))), "{answer:?}");
    }

    let stage = IssuerBench::new();
    let token = stage.token(&stage.key);
    assert!(stage.code(&token).await.is_ok());
    stage.published.publish(&[&TestKey::new("second")]);
    stage.issuer.keys.grow_old();
    assert_eq!(stage.code(&token).await.expect_err("withdrawn").0, Code::Unauthenticated);
}

#[tokio::test]
async fn metadata_of_another_issuer_and_sets_without_a_key_are_not_believed() {
    for spoil in [
        (|published: &Published| "https://else.example".clone_into(&mut published.issuer.lock().expect("unpoisoned")))
            as fn(&Published),
        |published| published.publish(&[]),
    ] {
        let stage = IssuerBench::new();
        spoil(&stage.published);
        assert_eq!(stage.code(&stage.token(&stage.key)).await.expect_err("no keys").0, Code::Unavailable);
    }
}

#[test]
fn issuer_and_audience_belong_together_and_the_issuer_is_https() {
    let new = |issuer: Option<&str>, audience: &[&str]| {
        let audience = audience.iter().map(|&one| one.to_owned()).collect();
        Issuer::new(&OAuthSettings {
            issuer: issuer.map(str::to_owned),
            audience,
            signup: Signup::Refuse,
            signups_a_day: 1,
            signups_a_network: None,
        })
    };
    assert!(matches!(new(None, &[]), Ok(None)));
    assert!(matches!(new(Some(""), &[""]), Ok(None)));
    assert!(matches!(new(Some("https://id.example"), &[]), Err(OAuthError::Half)));
    assert!(matches!(new(None, &[AUDIENCE]), Err(OAuthError::Half)));
    assert!(matches!(new(Some("http://id.example"), &[AUDIENCE]), Err(OAuthError::Issuer(_))));
    assert!(matches!(new(Some("https://id.example"), &[AUDIENCE]), Ok(Some(_))));
}
