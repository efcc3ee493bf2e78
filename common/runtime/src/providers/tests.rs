//! The file of providers: what it may say, and that every mistake in it is told in words without its secrets.

use super::*;
use domain::credits::Credits;
use domain::model::Per;
use secrecy::ExposeSecret;

const WHOLE: &str = r#"
[[model]]
id = "painter"
name = "The painter"
kind = "image"
dialect = "cog"
url = "http://gpu-1:5000/"
key_env = "PAINTER_KEY_THAT_NOBODY_SET"
price = { per = "megapixel", credits = 2.5 }
timeout = 120
limits = { megapixels = 4 }
defaults = { steps = 4, mode = "fast" }

[[model]]
id = "voice-1"
kind = "speech"
dialect = "openai"
url = "https://api.example.com"
price = { per = "1k_chars", credits = 1 }
"#;

#[test]
fn a_file_names_models_with_their_prices_and_bounds() {
    let providers = Providers::parse(WHOLE).unwrap();
    let painter = providers.get("painter").unwrap();
    assert_eq!((painter.name.as_str(), painter.kind, painter.idempotent), ("The painter", ModelKind::Image, true));
    assert_eq!(painter.price, Price { per: Per::Megapixel, credits: Credits::from_hundredths(250) });
    assert_eq!((painter.timeout.as_secs(), painter.limits.megapixels, painter.limits.seconds), (120, 4, 60));
    assert_eq!(painter.url.join("predictions/x"), "http://gpu-1:5000/predictions/x");
    assert_eq!(painter.defaults["steps"], 4);
    let voice = providers.get("voice-1").unwrap();
    assert_eq!((voice.idempotent, voice.key().unwrap().is_none(), voice.timeout.as_secs()), (false, true, 300));
    assert!(Providers::parse("").unwrap().all().is_empty());
}

#[test]
fn a_key_is_read_where_the_file_says_and_one_that_is_missing_is_named() {
    let missing = Providers::parse(WHOLE).unwrap().check_keys().unwrap_err().to_string();
    assert!(missing.contains("`painter`") && missing.contains("PAINTER_KEY_THAT_NOBODY_SET"), "{missing}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("key");
    std::fs::write(&path, " hush\n").unwrap();
    let text = WHOLE.replace("key_env = \"PAINTER_KEY_THAT_NOBODY_SET\"", &format!("key_file = {path:?}"));
    let providers = Providers::parse(&text).unwrap();
    let key = providers.get("painter").unwrap().key().unwrap().unwrap();
    assert_eq!(key.expose_secret(), "hush");
    std::fs::write(&path, "\n").unwrap();
    assert!(providers.check_keys().is_err());
}

#[test]
fn every_mistake_is_told_by_the_model_and_what_is_wrong_with_it() {
    for (from, to, told) in [
        ("id = \"painter\"", "id = \"Painter\"", "lower-case"),
        ("id = \"painter\"", "id = \"flite\"", "built in"),
        ("id = \"voice-1\"", "id = \"painter\"", "twice"),
        ("kind = \"image\"", "kind = \"images\"", "images"),
        ("kind = \"speech\"", "kind = \"video\"", "dialect"),
        ("per = \"megapixel\"", "per = \"1k_chars\"", "price.per"),
        ("credits = 2.5", "credits = -1", "price.credits"),
        ("credits = 2.5", "credits = 2.555", "price.credits"),
        ("credits = 2.5", "credits = 1e9", "price.credits"),
        ("timeout = 120", "timeout = 0", "timeout"),
        ("timeout = 120", "timeout = 3601", "timeout"),
        ("megapixels = 4", "megapixels = 0", "limits"),
        ("megapixels = 4", "megapixel = 4", "megapixel"),
        ("http://gpu-1:5000/", "ftp://gpu-1/", "http"),
        ("http://gpu-1:5000/", "http://me:sesame@gpu-1/", "credentials"),
        ("http://gpu-1:5000/", "http://gpu-1/?key=sesame", "key_env"),
        ("url = \"http", "key_file = \"/k\"\nurl = \"http", "not both"),
    ] {
        assert!(WHOLE.contains(from), "{from}");
        let error = Providers::parse(&WHOLE.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(error.contains(told) && !error.contains("sesame"), "{to}: {error}");
    }
    let many: String = (0..=MOST_MODELS)
        .map(|n| WHOLE[..WHOLE.find("[[model]]\nid = \"voice").unwrap()].replace("painter", &format!("m{n}")))
        .collect();
    assert!(Providers::parse(&many).unwrap_err().to_string().contains("more than 200"));
}

#[test]
fn dubs_are_translated_by_the_first_model_that_can_and_by_a_chat_model_where_there_is_no_other() {
    let model = |id: &str, kind: &str, dialect: &str, chars: usize| {
        format!(
            "[[model]]\nid = \"{id}\"\nkind = \"{kind}\"\ndialect = \"{dialect}\"\nurl = \"http://a.example\"\n\
             price = {{ per = \"call\", credits = 0 }}\nlimits = {{ chars = {chars} }}\n"
        )
    };
    let chosen = |models: &[String]| {
        let providers = Providers::parse(&models.concat()).unwrap();
        providers.translator().map(|model| (model.id.clone(), model.most_translated()))
    };
    let (cog, short) = (model("cog", "translate", "cog", 5_000), model("short", "translate", "openai", 999));
    let (chat, polyglot) = (model("chat", "chat", "openai", 20_000), model("polyglot", "translate", "openai", 1_000));
    let small = model("small", "chat", "openai", 7_999);
    assert_eq!(chosen(&[cog.clone(), short.clone(), small.clone(), model("p", "image", "openai", 5_000)]), None);
    assert_eq!(chosen(&[small, chat.clone(), short.clone()]), Some(("chat".to_owned(), 2_500)));
    assert_eq!(chosen(&[cog, chat, short, polyglot]), Some(("polyglot".to_owned(), 1_000)));
}

#[test]
fn a_models_debug_text_shows_neither_url_nor_key() {
    let shown = format!("{:?}", Providers::parse(WHOLE).unwrap());
    assert!(!shown.contains("gpu-1") && !shown.contains("example.com"), "{shown}");
}
