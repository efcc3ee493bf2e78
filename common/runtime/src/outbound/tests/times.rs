//! The times of an attempt's steps, and the date of its answer.

use super::*;
use domain::attempt::AttemptTimes;
use std::net::IpAddr;

/// Whether each step has a time: lookup, TCP, TLS, first byte.
fn steps(times: AttemptTimes) -> [bool; 4] {
    [times.dns, times.connect, times.tls, times.first_byte].map(|step| step.is_some())
}

#[tokio::test]
async fn a_new_connection_has_a_time_for_each_step_and_one_that_was_open_none() {
    let receiver = Receiver::tls(Behaviour::Answers(OK.to_vec())).await;
    let slow = Lookup::from_fn(|_| {
        Box::pin(async {
            tokio::time::sleep(Duration::from_millis(60)).await;
            Ok(vec![IpAddr::from([127, 0, 0, 1])])
        })
    });
    let client = client("127.0.0.0/8", &[&receiver], slow);
    let opened = client.post_webhook(to(hook(&receiver))).await;
    assert_eq!(steps(opened.times), [true; 4], "{opened:?}");
    let AttemptTimes { dns, connect, tls, first_byte } = opened.times;
    assert!(dns >= Some(60), "{opened:?}");
    let before = [dns, connect, tls].into_iter().flatten().sum::<i32>();
    assert!(Some(before) <= first_byte, "each moment is in one step: {opened:?}");
    assert!(first_byte.and_then(|ms| u32::try_from(ms).ok()) <= Some(opened.duration_ms), "{opened:?}");
    let reused = client.post_webhook(to(hook(&receiver))).await;
    assert_eq!((steps(reused.times), receiver.connections()), ([false, false, false, true], 1), "{reused:?}");
}

#[tokio::test]
async fn the_date_of_an_answer_is_read_where_it_has_one() {
    for (head, date) in
        [("", None), ("date: Sun, 06 Nov 1994 08:49:37 GMT\r\n", Some(784_111_777)), ("date: yesterday\r\n", None)]
    {
        let answer = format!("HTTP/1.1 400 Bad Request\r\n{head}content-length: 2\r\n\r\nno");
        let receiver = Receiver::plain(Behaviour::Answers(answer.into_bytes())).await;
        let url = format!("http://127.0.0.1:{}/", receiver.port);
        let outcome = local(&receiver).post_webhook(to(url)).await;
        assert_eq!((outcome.status, outcome.date), (Some(400), date), "{head}");
    }
}

#[tokio::test]
async fn a_step_that_a_request_does_not_need_has_no_time() {
    let secure = Receiver::tls(Behaviour::Answers(OK.to_vec())).await;
    let plain = Receiver::plain(Behaviour::Answers(OK.to_vec())).await;
    let client = local(&secure);
    for (url, expected) in [
        (format!("https://127.0.0.1:{}/", secure.port), [false, true, true, true]),
        (format!("http://127.0.0.1:{}/", plain.port), [false, true, false, true]),
        (format!("http://hooks.example.com:{}/", plain.port), [true, true, false, true]),
    ] {
        let outcome = client.post_webhook(to(url.clone())).await;
        assert_eq!((outcome.error, steps(outcome.times)), (None, expected), "{url}");
    }
}

#[tokio::test]
async fn the_first_step_without_a_time_is_the_one_that_failed() {
    let silent = Receiver::tls(Behaviour::Silent).await;
    let stalls = Receiver::tls(Behaviour::Stalls).await;
    let stranger = Receiver::tls(Behaviour::Answers(OK.to_vec())).await;
    let client = client("127.0.0.0/8", &[&silent], names("hooks.example.com=127.0.0.1"));
    for (url, error, expected) in [
        ("https://nowhere.example.com/".to_owned(), AttemptError::DnsFailed, [false; 4]),
        ("https://hooks.example.com:1/".to_owned(), AttemptError::ConnectFailed, [true, false, false, false]),
        (hook(&stalls), AttemptError::Timeout, [true, true, false, false]),
        (hook(&stranger), AttemptError::TlsFailed, [true, true, false, false]),
        (hook(&silent), AttemptError::Timeout, [true, true, true, false]),
        ("nonsense".to_owned(), AttemptError::UrlNotPublic, [false; 4]),
    ] {
        let request = WebhookRequest { timeout: Duration::from_secs(3), ..to(url.clone()) };
        let outcome = client.post_webhook(request).await;
        assert_eq!((outcome.error, steps(outcome.times)), (Some(error), expected), "{url}");
    }
}
