//! Uploads and imports: the media types that are accepted, and the limits of an upload. `job` decides when a failed
//! ingest is tried again, as for jobs.

use crate::item::ItemType;
use serde::{Deserialize, Serialize};

/// Hours an upload waits for its bytes before it is dropped.
pub const UPLOAD_HOURS: i32 = 24;
/// The most bytes that a bucket takes in one request: that of S3.
const MOST_PUT_BYTES: i64 = 5 << 30;
/// The bytes of a part of a larger file.
const DIRECT_PART_BYTES: i64 = 1 << 30;

/// A part of a file that is put into a bucket in one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DirectPart {
    /// Its first byte in the file.
    pub start: i64,
    /// The number of its bytes.
    pub bytes: i64,
}

/// Returns the parts in which a file of `bytes` bytes is put into a bucket: one, unless it exceeds `MOST_PUT_BYTES`.
pub fn direct_parts(bytes: i64) -> impl Iterator<Item = DirectPart> {
    let most = if bytes > MOST_PUT_BYTES { DIRECT_PART_BYTES } else { MOST_PUT_BYTES };
    let starts = std::iter::successors((bytes > 0).then_some(0), move |start| {
        let next = start + most;
        (next < bytes).then_some(next)
    });
    starts.map(move |start| DirectPart { start, bytes: most.min(bytes - start) })
}

/// The status of an upload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum UploadStatus {
    /// Its client has yet to send the bytes and call `complete`.
    AwaitingUpload,
    /// A worker is fetching or probing it, or will.
    Processing,
    /// Its item is ready.
    Done,
    /// Its item failed, or was deleted.
    Failed,
    /// Its bytes did not arrive in time.
    Expired,
}

/// The media types that may be uploaded, and the type of the item.
const MEDIA_TYPES: [(&str, ItemType); 35] = [
    ("video/mp4", ItemType::Video),
    ("video/quicktime", ItemType::Video),
    ("video/webm", ItemType::Video),
    ("video/x-matroska", ItemType::Video),
    ("video/matroska", ItemType::Video),
    ("video/x-msvideo", ItemType::Video),
    ("video/avi", ItemType::Video),
    ("video/mp2t", ItemType::Video),
    ("video/x-m4v", ItemType::Video),
    ("video/3gpp", ItemType::Video),
    ("video/ogg", ItemType::Video),
    ("audio/mpeg", ItemType::Audio),
    ("audio/mp3", ItemType::Audio),
    ("audio/wav", ItemType::Audio),
    ("audio/x-wav", ItemType::Audio),
    ("audio/wave", ItemType::Audio),
    ("audio/vnd.wave", ItemType::Audio),
    ("audio/flac", ItemType::Audio),
    ("audio/x-flac", ItemType::Audio),
    ("audio/ogg", ItemType::Audio),
    ("audio/opus", ItemType::Audio),
    ("audio/mp4", ItemType::Audio),
    ("audio/m4a", ItemType::Audio),
    ("audio/x-m4a", ItemType::Audio),
    ("audio/aac", ItemType::Audio),
    ("audio/webm", ItemType::Audio),
    ("audio/x-matroska", ItemType::Audio),
    ("audio/3gpp", ItemType::Audio),
    ("image/png", ItemType::Image),
    ("image/jpeg", ItemType::Image),
    ("image/jpg", ItemType::Image),
    ("image/webp", ItemType::Image),
    ("image/gif", ItemType::Image),
    ("image/bmp", ItemType::Image),
    ("image/tiff", ItemType::Image),
];

/// Returns a media type without parameters, in lower case: `video/mp4` for `Video/MP4; codecs=avc1`.
pub fn essence(content_type: &str) -> String {
    content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Whether media of this type may be uploaded. Probing finds out what the bytes really are.
pub fn is_taken(essence: &str) -> bool {
    MEDIA_TYPES.iter().any(|(name, _)| *name == essence)
}

/// Returns the media type of an item: the announced one if it suits the type of item that was found, else that of its
/// container as `ffprobe` names it.
pub fn settled_type(announced: Option<&str>, format_name: &str, found: ItemType) -> String {
    let announced = announced.map(essence).filter(|name| MEDIA_TYPES.contains(&(name.as_str(), found)));
    announced.unwrap_or_else(|| format!("{}/{}", found.name(), subtype(format_name, found)))
}

/// Returns the media type with which an item is served: its own if that may be uploaded, else that of plain bytes, so
/// that browsers never run or lay out what is served.
pub fn served_type(content_type: Option<&str>) -> &'static str {
    let essence = content_type.map(essence).unwrap_or_default();
    MEDIA_TYPES.iter().find(|(name, _)| *name == essence).map_or("application/octet-stream", |(name, _)| *name)
}

/// Returns the usual ending of files of this type; `None` for a type that is neither accepted nor made here.
pub fn usual_extension(content_type: &str) -> Option<&'static str> {
    let (kind, subtype) = content_type.split_once('/')?;
    let plain = subtype.strip_prefix("x-").unwrap_or(subtype);
    Some(match (kind, plain) {
        ("video", "mp4") => "mp4",
        // It is made here, and may not be uploaded.
        ("image", "svg+xml") => "svg",
        ("audio", "mp4" | "m4a") => "m4a",
        ("video", "m4v") => "m4v",
        ("video", "quicktime") => "mov",
        ("video" | "audio", "webm") => "webm",
        ("video", "matroska") => "mkv",
        ("audio", "matroska") => "mka",
        ("video", "msvideo" | "avi") => "avi",
        ("video", "mp2t") => "ts",
        ("video" | "audio", "3gpp") => "3gp",
        ("video", "ogg") => "ogv",
        ("audio", "mpeg" | "mp3") => "mp3",
        ("audio", "wav" | "wave" | "vnd.wave") => "wav",
        ("audio", "flac") => "flac",
        ("audio", "ogg") => "ogg",
        ("audio", "opus") => "opus",
        ("audio", "aac") => "aac",
        ("image", "png") => "png",
        ("image", "jpeg" | "jpg") => "jpg",
        ("image", "webp") => "webp",
        ("image", "gif") => "gif",
        ("image", "bmp") => "bmp",
        ("image", "tiff") => "tiff",
        _ => return None,
    })
}

fn subtype(format_name: &str, found: ItemType) -> &'static str {
    let is = |name: &str| format_name.split(',').any(|format| format == name);
    let subtypes = [
        ("mp3", "mpeg"),
        ("wav", "wav"),
        ("flac", "flac"),
        ("ogg", "ogg"),
        ("webm", "webm"),
        ("matroska", "x-matroska"),
        ("aac", "aac"),
        ("avi", "x-msvideo"),
        ("mpegts", "mp2t"),
        ("mov", "mp4"),
        ("png_pipe", "png"),
        ("jpeg_pipe", "jpeg"),
        ("webp_pipe", "webp"),
        ("gif", "gif"),
        ("bmp_pipe", "bmp"),
        ("tiff_pipe", "tiff"),
    ];
    // Sound in a container of films has the container's name, as in `audio/x-matroska`.
    let unknown = if found == ItemType::Image { "png" } else { "mp4" };
    subtypes.iter().find(|(name, _)| is(name)).map_or(unknown, |(_, subtype)| subtype)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file_name::file_name;

    #[test]
    fn a_media_type_is_judged_without_its_parameters_and_its_case() {
        assert!(is_taken(&essence("Audio/WAV; rate=8000")));
        assert!(!is_taken(&essence("application/x-mpegurl")));
        assert!(!is_taken(&essence("text/html")));
        assert!(!is_taken(""));
    }

    #[test]
    fn what_is_served_has_a_type_of_the_list_and_every_type_of_it_an_extension() {
        assert_eq!(served_type(Some("video/mp4")), "video/mp4");
        for odd in
            [None, Some("text/html"), Some("image/svg+xml"), Some("application/pdf"), Some(""), Some("video/mp4/x")]
        {
            assert_eq!(served_type(odd), "application/octet-stream", "{odd:?}");
        }
        for (name, _) in MEDIA_TYPES {
            assert_eq!(served_type(Some(name)), name);
            let usual = usual_extension(name).unwrap_or_else(|| panic!("{name}"));
            assert_eq!(file_name("a.exe", Some(usual)), format!("a.exe.{usual}"));
            assert_eq!(file_name(&format!("a.{usual}"), Some(usual)), format!("a.{usual}"), "it fits itself");
        }
        assert_eq!(usual_extension("text/html"), None);
    }

    #[test]
    fn a_large_file_goes_into_a_bucket_in_parts_without_a_gap() {
        let parts = |bytes| direct_parts(bytes).map(|part| (part.start, part.bytes)).collect::<Vec<_>>();
        assert_eq!(parts(0), []);
        assert_eq!(parts(1), [(0, 1)]);
        assert_eq!(parts(MOST_PUT_BYTES), [(0, MOST_PUT_BYTES)]);
        let large = parts(MOST_PUT_BYTES + 1);
        assert_eq!((large.len(), large[5]), (6, (MOST_PUT_BYTES, 1)));
        assert_eq!(large.iter().map(|(_, bytes)| bytes).sum::<i64>(), MOST_PUT_BYTES + 1);
    }

    #[test]
    fn an_item_has_the_type_of_its_bytes_where_the_announced_one_is_of_another_kind() {
        assert_eq!(settled_type(Some("audio/mp3"), "mp3", ItemType::Audio), "audio/mp3");
        assert_eq!(settled_type(Some("video/mp4"), "wav", ItemType::Audio), "audio/wav");
        assert_eq!(settled_type(Some("text/html"), "mov,mp4,m4a,3gp", ItemType::Video), "video/mp4");
        assert_eq!(settled_type(None, "matroska,webm", ItemType::Video), "video/webm");
        assert_eq!(settled_type(None, "png_pipe", ItemType::Image), "image/png");
    }
}
