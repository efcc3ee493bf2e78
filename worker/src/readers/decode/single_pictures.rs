//! Single pictures of a media file: the still of a moment, the page that text is read from, and an item's cover.
//!
//! A still is a small JPEG, and a page is a larger grey PGM. The decoder is confined and limited as that of `sound` is.
//! It reads the file's first stream of pictures that is not an album cover.

use super::child::Ending;
use super::output::whole_output;
use super::{MediaSource, input_arguments, most_pixels};
use crate::readers::{JobCtx, ReadError};
use std::ffi::OsStr;

/// The longest side of a still, in pixels.
const STILL_SIDE: u32 = 320;
/// The longest side of a page, in pixels: letters in a film that is 1,280 pixels wide keep their size.
const PAGE_SIDE: u32 = 1_280;
/// A still. Its limit of bytes is three times what a still of noise takes.
const STILL: Form = Form {
    side: STILL_SIDE,
    pixels: "yuvj420p",
    encoder: &[("-c:v", "mjpeg"), ("-q:v", "5")],
    begins: b"\xff\xd8",
    most_bytes: 256 << 10,
};
/// A page. Its limit of bytes is one for each pixel, and a header.
const PAGE: Form = Form {
    side: PAGE_SIDE,
    pixels: "gray",
    encoder: &[("-c:v", "pgm")],
    begins: b"P5",
    most_bytes: (PAGE_SIDE * PAGE_SIDE) as usize + 64,
};
/// Arguments with which ffmpeg finds a picture without decoding those before it: it decodes key frames only, and takes
/// the first one that it meets where it has sought to.
const KEY_PICTURES: [&str; 3] = ["-noaccurate_seek", "-skip_frame", "nokey"];

/// The format of a single picture.
struct Form {
    /// The longest side, in pixels.
    side: u32,
    /// ffmpeg's name of its pixel format.
    pixels: &'static str,
    /// ffmpeg's options for its encoder, each with its value.
    encoder: &'static [(&'static str, &'static str)],
    /// The first bytes of its file.
    begins: &'static [u8],
    most_bytes: usize,
}

/// The picture at a second, as a still and as a page. Either is none if there is no such picture.
#[derive(Debug)]
pub(in crate::readers) struct StillAndPage {
    /// A JPEG.
    pub(in crate::readers) still: Option<Vec<u8>>,
    /// A PGM.
    pub(in crate::readers) page: Option<Vec<u8>>,
}

/// Returns the picture at this second as a JPEG; none where there is no picture, or it would exceed a still's bytes.
pub(in crate::readers) async fn still(
    media: &MediaSource,
    second: f64,
    ctx: &JobCtx,
) -> Result<Option<Vec<u8>>, ReadError> {
    one_picture(media, second, &[], &STILL, ctx).await
}

/// Returns the picture at this second in grey, as a PGM that is large enough for its text to be read; none where there
/// is no picture.
pub(in crate::readers) async fn page(
    media: &MediaSource,
    second: f64,
    ctx: &JobCtx,
) -> Result<Option<Vec<u8>>, ReadError> {
    one_picture(media, second, &[], &PAGE, ctx).await
}

/// Returns what `still` and `page` return for this second. One child decodes it for both; where that child does not
/// write both of them whole, each is made by a child of its own.
pub(in crate::readers) async fn still_and_page(
    media: &MediaSource,
    second: f64,
    ctx: &JobCtx,
) -> Result<StillAndPage, ReadError> {
    match output(media, second, &[], &[&STILL, &PAGE], ctx).await {
        Ok((both, ending)) if ending.status.success() => {
            if let Some(both) = parted(both) {
                return Ok(both);
            }
        }
        Ok(_) | Err(ReadError::LimitExceeded { .. }) => {}
        Err(error) => return Err(error),
    }
    Ok(StillAndPage { still: still(media, second, ctx).await?, page: page(media, second, ctx).await? })
}

/// Splits bytes into a still and the page behind it. None if they are not both of these, or one exceeds its limit of
/// bytes.
fn parted(mut bytes: Vec<u8>) -> Option<StillAndPage> {
    let length = jpeg_length(bytes.get(..STILL.most_bytes).unwrap_or(&bytes))?;
    let page = bytes.split_off(length);
    let is_page = page.starts_with(PAGE.begins) && page.len() <= PAGE.most_bytes;
    is_page.then_some(StillAndPage { still: Some(bytes), page: Some(page) })
}

/// Returns the length of the JPEG that these bytes begin with; none if it does not end within them. Segments are
/// skipped by the lengths that they declare. Among coded samples, a byte of 255 is a sample if 0 follows it, and begins
/// a marker otherwise.
fn jpeg_length(bytes: &[u8]) -> Option<usize> {
    let (mut at, mut is_coded) = (STILL.begins.len(), false);
    if !bytes.starts_with(STILL.begins) {
        return None;
    }
    loop {
        match (*bytes.get(at)?, *bytes.get(at + 1)?) {
            (0xff, 0xd9) => return Some(at + 2),
            // A sample, or a marker at which decoding can begin anew, which has no length.
            (0xff, 0x00 | 0xd0..=0xd7) if is_coded => at += 2,
            // Any number of bytes of 255 may stand before a marker.
            (0xff, 0xff) => at += 1,
            (0xff, marker @ (0xc0..=0xcf | 0xda..=0xfe)) => {
                // The length counts its own two bytes.
                let length = usize::from(u16::from_be_bytes([*bytes.get(at + 2)?, *bytes.get(at + 3)?]));
                if length < 2 {
                    return None;
                }
                at += 2 + length;
                is_coded = marker == 0xda;
            }
            (0..=0xfe, _) if is_coded => at += 1,
            _ => return None,
        }
    }
}

async fn one_picture(
    media: &MediaSource,
    second: f64,
    looking: &[&str],
    form: &Form,
    ctx: &JobCtx,
) -> Result<Option<Vec<u8>>, ReadError> {
    match output(media, second, looking, &[form], ctx).await {
        Ok((image, _)) => Ok(image.starts_with(form.begins).then_some(image)),
        Err(ReadError::LimitExceeded { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Has one child write the picture at this second in these forms, one behind the other. Returns its bytes and how it
/// ended. `looking` has ffmpeg's arguments that say how to find the picture.
///
/// # Errors
/// `LimitExceeded` if there are more bytes than the limits of the forms add up to.
async fn output(
    media: &MediaSource,
    second: f64,
    looking: &[&str],
    forms: &[&Form],
    ctx: &JobCtx,
) -> Result<(Vec<u8>, Ending), ReadError> {
    let tools = media.tools();
    let second = format!("{:.3}", second.max(0.0));
    let most_pixels = most_pixels(media.probe());
    let before = ["-nostdin", "-hide_banner", "-v", "error", "-threads", "1", "-max_pixels", &most_pixels];
    let seek = ["-ss", second.as_str()];
    // Without `passthrough` ffmpeg drops a frame that lies before the second to which it has sought.
    let after = ["-an", "-sn", "-dn", "-frames:v", "1", "-map_metadata", "-1", "-fps_mode", "passthrough"];
    let made: Vec<String> = forms.iter().enumerate().flat_map(|(number, form)| form.arguments(number)).collect();
    let made = made.iter().map(String::as_str).chain(["-f", "image2pipe", "pipe:1"]);
    let arguments: Vec<&OsStr> = before
        .into_iter()
        .chain(seek)
        .chain(looking.iter().copied())
        .map(OsStr::new)
        .chain(input_arguments())
        .chain(after.into_iter().chain(made).map(OsStr::new))
        .collect();
    let most_bytes: usize = forms.iter().map(|form| form.most_bytes).sum();
    whole_output(&tools.ffmpeg, arguments, media.file(), tools, most_bytes, ctx).await
}

impl Form {
    /// Returns ffmpeg's arguments for it as the output's stream of this number.
    fn arguments(&self, number: usize) -> Vec<String> {
        let side = |of: &str| format!("max(2,2*trunc({of}*min(1,{}/max(iw,ih))/2))", self.side);
        let filter = format!("scale=w='{}':h='{}',format={}", side("iw"), side("ih"), self.pixels);
        let mut arguments = vec!["-map".to_owned(), "0:V:0".to_owned(), format!("-filter:v:{number}"), filter];
        for (option, value) in self.encoder {
            arguments.extend([format!("{option}:{number}"), (*value).to_owned()]);
        }
        arguments
    }
}

/// Returns a picture to show for an item of `duration_ms`. It is from a tenth of the item, since films begin in the
/// dark, but not from beyond ten seconds. The nearest key frame before that is taken, so that a film with a single key
/// frame costs no more than others. None if there is no such picture: an item can do without a cover.
///
/// # Errors
/// `Timeout` alone.
#[expect(clippy::cast_precision_loss, reason = "media times stay far below 2^53 ms")]
pub(crate) async fn cover(media: &MediaSource, duration_ms: i64, ctx: &JobCtx) -> Result<Option<Vec<u8>>, ReadError> {
    let second = (duration_ms as f64 / 10_000.0).min(10.0);
    let found = match one_picture(media, second, &KEY_PICTURES, &STILL, ctx).await {
        // The file has less video than it declares, or no such key frame.
        Ok(None) | Err(ReadError::Corrupt(_)) => still(media, 0.0, ctx).await,
        found => found,
    };
    match found {
        Err(ReadError::Timeout) => Err(ReadError::Timeout),
        found => Ok(found.unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A JPEG with bytes in it that look like its end, or like the beginning of a page, and are neither.
    const TRICKY: &[u8] = b"\xff\xd8\xff\xfe\x00\x08\xff\xd9P5\xff\xd9\xff\xff\xda\x00\x04\xff\xd9\
                            P5\n\xff\x00\xd9\xff\xd3P5\xff\xc4\x00\x04\xff\xd9\xff\xda\x00\x02\x01\xff\xff\xd9";

    #[test]
    fn a_still_ends_where_its_jpeg_does_and_not_at_what_looks_like_it() {
        for still in [TRICKY, b"\xff\xd8\xff\xd9"] {
            let parts = parted([still, b"P5\n1 1\n255\n\xff"].concat()).unwrap();
            assert_eq!(parts.still.as_deref(), Some(still));
            assert_eq!(parts.page.as_deref(), Some(&b"P5\n1 1\n255\n\xff"[..]));
        }
    }

    #[test]
    fn what_is_not_a_still_and_a_page_of_their_sizes_is_not_parted() {
        let page: &[u8] = b"P5\n1 1\n255\n\xff";
        for length in 0..TRICKY.len() {
            let cut = [&TRICKY[..length], page].concat();
            assert!(jpeg_length(&TRICKY[..length]).is_none() && parted(cut).is_none(), "{length} bytes of a still");
        }
        let large = |bytes: usize| [&b"\xff\xd8\xff\xda\x00\x02"[..], &vec![7; bytes], b"\xff\xd9"].concat();
        assert!(parted([&large(STILL.most_bytes - 8)[..], page].concat()).is_some());
        let most = [&b"P5"[..], &vec![7; PAGE.most_bytes - 2]].concat();
        assert!(parted([TRICKY, &most].concat()).is_some());
        for other in [
            vec![],
            TRICKY.to_vec(),
            [page, TRICKY].concat(),
            [TRICKY, b"\0", page].concat(),
            [TRICKY, &most, b"\0"].concat(),
            [&large(STILL.most_bytes - 7)[..], page].concat(),
            // A length that is none, a marker that is none, and samples where none may begin.
            b"\xff\xd8\xff\xfe\x00\x01\xff\xd9P5".to_vec(),
            b"\xff\xd8\xff\x02\x00\x02\xff\xd9P5".to_vec(),
            b"\xff\xd8\x07\xff\xd9P5".to_vec(),
        ] {
            assert!(parted(other.clone()).is_none(), "{:?}", &other[..other.len().min(40)]);
        }
    }
}
