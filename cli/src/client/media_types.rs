//! The media types of files, by the ends of their names.

use std::path::Path;

/// Media types by the end of a file's name.
const TYPES: [(&str, &str); 22] = [
    ("mp4", "video/mp4"),
    ("m4v", "video/x-m4v"),
    ("mov", "video/quicktime"),
    ("webm", "video/webm"),
    ("mkv", "video/x-matroska"),
    ("avi", "video/x-msvideo"),
    ("ts", "video/mp2t"),
    ("3gp", "video/3gpp"),
    ("mp3", "audio/mpeg"),
    ("wav", "audio/wav"),
    ("flac", "audio/flac"),
    ("ogg", "audio/ogg"),
    ("oga", "audio/ogg"),
    ("opus", "audio/opus"),
    ("m4a", "audio/mp4"),
    ("aac", "audio/aac"),
    ("mka", "audio/x-matroska"),
    ("png", "image/png"),
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("webp", "image/webp"),
    ("gif", "image/gif"),
];

/// The media type that a file's name speaks of.
pub(super) fn content_type(name: &str) -> Option<&'static str> {
    let end = Path::new(name).extension()?.to_str()?.to_ascii_lowercase();
    TYPES.iter().find(|(known, _)| *known == end).map(|(_, media_type)| *media_type)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::upload::is_taken;

    #[test]
    fn every_type_that_a_name_can_have_is_one_that_the_service_takes() {
        assert!(TYPES.iter().all(|(_, media_type)| is_taken(media_type)));
        assert_eq!(content_type("Talk.final.MP4"), Some("video/mp4"));
        assert_eq!(content_type("notes.txt"), None);
        assert_eq!(content_type("mp4"), None);
    }
}
