//! Downloads from receivers on loopback: sizes that lie, bodies that break off or never end.

use super::super::test_receiver::{Behaviour, Receiver};
use super::super::tests::local;
use super::*;
use futures_util::TryStreamExt;

/// More than a busy machine needs.
const LIMIT: Duration = Duration::from_mins(1);

#[derive(Debug, PartialEq)]
struct Download {
    content_type: Option<String>,
    name: Option<String>,
    announced_bytes: Option<u64>,
    bytes: Vec<u8>,
}

async fn download(behaviour: Behaviour, max_bytes: u64, timeout: Duration) -> Result<Download, FetchError> {
    paced(behaviour, FetchLimits { max_bytes, timeout, pace: Pace::default() }).await
}

async fn paced(behaviour: Behaviour, limits: FetchLimits) -> Result<Download, FetchError> {
    let receiver = Receiver::tls(behaviour).await;
    let url = format!("https://hooks.example.com:{}/a/clip%20one.mp4?t=1", receiver.port);
    let fetched = local(&receiver).fetch(&url, AccountId::mint(), limits).await?;
    let (content_type, name) = (fetched.content_type.clone(), fetched.name.clone());
    let announced_bytes = fetched.announced_bytes;
    let chunks: Vec<Bytes> = fetched.into_stream().try_collect().await?;
    Ok(Download { content_type, name, announced_bytes, bytes: chunks.concat() })
}

fn answer(head: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {head}\r\n\r\n{body}").into_bytes()
}

#[tokio::test]
async fn a_download_gives_its_bytes_type_and_name() {
    let bytes = answer("200 OK\r\ncontent-type: video/mp4\r\ncontent-length: 5", "hello");
    let download = download(Behaviour::Answers(bytes), 5, LIMIT).await;
    let content_type = Some("video/mp4".to_owned());
    let name = Some("clip one.mp4".to_owned());
    assert_eq!(download, Ok(Download { content_type, name, announced_bytes: Some(5), bytes: b"hello".to_vec() }));
}

#[tokio::test]
async fn a_size_cap_holds_whether_or_not_the_size_is_announced() {
    let too_large = FetchError::TooLarge { max_bytes: 4 };
    let announced = answer("200 OK\r\ncontent-length: 5", "hello");
    let silent = answer("200 OK", "hello");
    for bytes in [announced, silent] {
        assert_eq!(download(Behaviour::Closes(bytes), 4, LIMIT).await.err(), Some(too_large));
    }
    // A machine that is busy takes seconds for so many.
    let flood = download(Behaviour::Floods(64 * 1024 * 1024), 1024 * 1024 * 1024, Duration::from_mins(1)).await;
    assert_eq!(flood.map(|download| download.bytes.len()), Ok(64 * 1024 * 1024));
}

#[tokio::test]
async fn a_body_that_breaks_off_is_no_file() {
    let bytes = answer("200 OK\r\ncontent-length: 100", "half");
    let error = download(Behaviour::Closes(bytes), 1_000, LIMIT).await.err();
    assert_eq!(error, Some(failed(AttemptError::ConnectionLost)));
}

#[tokio::test]
async fn a_body_that_never_ends_is_cut_at_the_deadline() {
    for head in ["200 OK\r\ncontent-length: 9999", "200 OK"] {
        let limit = Duration::from_secs(3);
        let dripping = download(Behaviour::Drips(answer(head, "")), 99_999, limit);
        let ended = tokio::time::timeout(LIMIT, dripping).await.expect("it does not end by itself");
        assert_eq!(ended.err(), Some(FetchError::TooLong(limit)));
    }
}

#[tokio::test]
async fn a_body_that_drips_is_cut_long_before_the_deadline() {
    let pace = Pace { least_bytes: 1_000, within: Duration::from_millis(200) };
    let limits = FetchLimits { max_bytes: 99_999, timeout: Duration::from_mins(5), pace };
    let dripping = paced(Behaviour::Drips(answer("200 OK\r\ncontent-length: 9999", "")), limits);
    let ended = tokio::time::timeout(LIMIT, dripping).await.expect("the deadline is later");
    assert_eq!(ended.err(), Some(FetchError::TooSlow(pace)));
    let limits = FetchLimits { pace: Pace { least_bytes: 10_000, within: LIMIT }, ..limits };
    let whole = Behaviour::Closes(answer("200 OK", &"x".repeat(9_000)));
    assert!(paced(whole, limits).await.is_ok(), "the end of a file may be any size");
}

#[tokio::test]
async fn heads_without_end_are_no_download() {
    let error = download(Behaviour::Continues, 99_999, LIMIT).await.err();
    assert_eq!(error, Some(failed(AttemptError::InvalidResponse)));
}

#[tokio::test]
async fn redirects_are_followed_five_times_and_each_is_checked_as_the_first_is() {
    let film = answer("200 OK\r\ncontent-length: 4", "film");
    let through = async |locations: Vec<&'static str>| {
        download(Behaviour::Redirects(locations, film.clone()), 9, LIMIT)
            .await
            .map(|download| (download.name, download.bytes))
    };
    let five = vec!["/1", "/2?x=1", "../3", "/4", "/b/film.webm"];
    assert_eq!(through(five).await, Ok((Some("film.webm".to_owned()), b"film".to_vec())), "the name is the last URL's");
    assert_eq!(through(vec!["/1", "/2", "/3", "/4", "/5", "/6"]).await.err(), Some(FetchError::TooManyRedirects));
    let to = |refused| Some(FetchError::RedirectedTo(refused));
    assert_eq!(through(vec!["https://169.254.169.254/latest"]).await.err(), to(UrlRefused::UrlNotPublic));
    assert_eq!(through(vec!["/1", "http://93.184.216.34/"]).await.err(), to(UrlRefused::UrlNotHttps));
    let nowhere = through(vec!["https://"]).await.err();
    assert_eq!(nowhere, Some(failed(AttemptError::RedirectRefused)));
}

#[tokio::test]
async fn a_redirect_to_nowhere_an_error_and_a_private_address_give_no_download() {
    for (status, error) in [(302, AttemptError::RedirectRefused), (404, AttemptError::HttpStatus)] {
        let bytes = answer(&format!("{status} X\r\ncontent-length: 0"), "");
        let expected = FetchError::Failed { error, status: Some(status) };
        assert_eq!(download(Behaviour::Answers(bytes), 9, LIMIT).await.err(), Some(expected));
    }
    let client = OutboundClient::new(super::super::OutboundSettings::default()).expect("a client");
    let limits = FetchLimits { max_bytes: 9, timeout: LIMIT, pace: Pace::default() };
    let refused = client.fetch("https://169.254.169.254/latest/meta-data/", AccountId::mint(), limits).await.err();
    assert_eq!(refused, Some(FetchError::Url(UrlRefused::UrlNotPublic)));
}
