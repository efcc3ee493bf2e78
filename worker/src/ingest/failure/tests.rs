//! What an item is by its probe, and which failures are final.

use super::*;
use crate::readers::Limit;

fn probe(has_video: bool, is_image: bool) -> Probe {
    Probe {
        duration_ms: (!is_image).then_some(1_500),
        streams: Vec::new(),
        audio: None,
        has_video,
        is_image,
        width: Some(640),
        height: Some(480),
        frame_rate: None,
        format_name: if is_image { "png_pipe" } else { "mov,mp4" }.to_owned(),
    }
}

#[test]
fn an_item_is_what_its_bytes_are() {
    let video = facts(&probe(true, false), Some("image/png"));
    assert_eq!((video.item_type, video.width), (ItemType::Video, Some(640)));
    assert_eq!(video.content_type, "video/mp4");
    let song = facts(&probe(false, false), None);
    assert_eq!((song.item_type, song.width), (ItemType::Audio, None));
    let picture = facts(&probe(false, true), None);
    assert_eq!((picture.item_type, picture.duration_ms), (ItemType::Image, None));
    assert!(settled(picture).is_ok());
    assert!(settled(Facts { duration_ms: None, ..song }).is_err());
}

#[test]
fn what_the_file_causes_is_final_and_what_may_pass_is_not() {
    let failed = |error, status| Failure::from(FetchError::Failed { error, status });
    assert!(failed(AttemptError::HttpStatus, Some(503)).retryable);
    assert!(failed(AttemptError::ConnectFailed, None).retryable);
    assert!(!failed(AttemptError::HttpStatus, Some(404)).retryable);
    assert_eq!(failed(AttemptError::UrlNotPublic, None).code, "url_not_allowed");
    assert_eq!(failed(AttemptError::RedirectRefused, Some(302)).code, "fetch_failed");
    let long = ReadError::LimitExceeded { limit: Limit::Duration, found: 2, allowed: 1 };
    assert_eq!(Failure::from(long).code, "media_too_long");
    assert!(!Failure::from(ReadError::Corrupt("the file is empty")).retryable);
}

#[test]
fn a_failure_shows_no_path() {
    let failure = Failure::from(ReadError::from(std::io::Error::other("/srv/media/items/x")));
    assert!(!failure.message.contains('/'));
    assert!(failure.retryable && !failure.is_ours);
}

#[test]
fn what_this_machine_lacks_is_told_apart_from_what_the_file_or_its_server_does() {
    let full = || std::io::Error::from(std::io::ErrorKind::StorageFull);
    assert!(Failure::from(ReadError::from(full())).is_ours);
    assert!(Failure::from(MediaError::from(full())).is_ours);
    assert!(Failure::from(sqlx::Error::Io(full())).is_ours);
    assert!(Failure::from(FetchError::Ours).is_ours);
    assert!(!Failure::from(sqlx::Error::PoolTimedOut).is_ours);
    assert!(!Failure::from(ReadError::Timeout).is_ours);
}
