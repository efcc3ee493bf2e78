//! One picture of a media, whole and in colour, to be drawn into another: an image, or a film at a moment.
//!
//! The child makes it as large as the room asks for and reports its size in the header of its output format (PAM). That
//! size is accepted only within the bound that the child was given. Confined as `frames` is.

use super::output::whole_output;
use super::{MediaSource, input_arguments, most_pixels};
use crate::readers::{JobCtx, ReadError};
use std::ffi::OsStr;

/// Bytes per pixel: red, green, blue and alpha.
const PIXEL_BYTES: usize = 4;
/// Bytes of a header, at most.
const HEADER_BYTES: usize = 256;
/// The last line of a header.
const HEADER_END: &[u8] = b"ENDHDR\n";
/// The scaler's options: the result is the same on every machine, to the bit.
const SCALED: &str = "flags=bicubic+accurate_rnd+full_chroma_int+full_chroma_inp+bitexact";

/// A decoded picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DecodedPicture {
    /// Pixels across.
    pub(crate) width: u32,
    /// Pixels down.
    pub(crate) height: u32,
    /// Its rows from the top, four bytes per pixel; colours are not multiplied by alpha.
    pub(crate) rgba: Vec<u8>,
}

/// The size that a picture is fitted into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Room {
    /// Pixels across.
    pub(crate) width: u32,
    /// Pixels down.
    pub(crate) height: u32,
    /// Whether it fills the room and is cropped; otherwise it is as large as fits within.
    pub(crate) cover: bool,
}

impl Room {
    fn ffmpeg_filter(self) -> String {
        let Self { width, height, cover } = self;
        // Some videos have pixels that are not square.
        let square = format!("scale=w='max(1,trunc(iw*clip(sar,0.25,4)))':h=ih:{SCALED},setsar=1");
        let (how, cut) =
            if cover { ("increase", format!(",crop={width}:{height}")) } else { ("decrease", String::new()) };
        format!("{square},scale={width}:{height}:force_original_aspect_ratio={how}:{SCALED}{cut},format=rgba")
    }

    const fn bytes(self) -> usize {
        self.width as usize * self.height as usize * PIXEL_BYTES
    }
}

/// Returns the picture of an image, or of a film at this microsecond of it.
pub(crate) async fn picture(
    media: &MediaSource,
    room: Room,
    at_us: Option<i64>,
    ctx: &JobCtx,
) -> Result<DecodedPicture, ReadError> {
    let tools = media.tools();
    let filter = room.ffmpeg_filter();
    let sought = at_us.map(|us| format!("{}.{:06}", us / 1_000_000, us % 1_000_000));
    let seek: Vec<&str> = sought.iter().flat_map(|second| ["-ss", second.as_str()]).collect();
    // An album cover is not a moving picture.
    let stream = if at_us.is_some() { "0:V:0" } else { "0:v:0" };
    let most_pixels = most_pixels(media.probe());
    let before = ["-nostdin", "-hide_banner", "-v", "error", "-threads", "1", "-max_pixels", &most_pixels];
    let after = ["-map", stream, "-an", "-sn", "-dn", "-frames:v", "1", "-vf", &filter, "-map_metadata", "-1"];
    let output = ["-fps_mode", "passthrough", "-c:v", "pam", "-pix_fmt", "rgba", "-f", "image2pipe", "pipe:1"];
    let arguments = before
        .into_iter()
        .chain(seek)
        .map(OsStr::new)
        .chain(input_arguments())
        .chain(after.into_iter().chain(output).map(OsStr::new));
    let most = room.bytes() + HEADER_BYTES;
    let (pam, ending) = whole_output(&tools.ffmpeg, arguments, media.file(), tools, most, ctx).await?;
    parsed(pam, room).ok_or_else(|| {
        tracing::debug!(ffmpeg.stderr = ending.stderr, "ffmpeg gave no picture");
        ReadError::Corrupt("it can't be shown")
    })
}

/// Returns the picture that the child wrote, if it is valid and fits the room.
fn parsed(mut pam: Vec<u8>, room: Room) -> Option<DecodedPicture> {
    let head = pam.get(..pam.len().min(HEADER_BYTES))?;
    let end = head.windows(HEADER_END.len()).position(|window| window == HEADER_END)? + HEADER_END.len();
    let header = str::from_utf8(pam.get(..end)?).ok()?;
    let field = |name: &str| {
        let mut lines = header.lines().filter_map(|line| line.split_once(' '));
        lines.find(|(field, _)| *field == name)?.1.parse::<u32>().ok()
    };
    let (width, height) = (field("WIDTH")?, field("HEIGHT")?);
    let is_rgba = header.starts_with("P7\n") && field("DEPTH") == Some(4) && field("MAXVAL") == Some(255);
    let fits = (1..=room.width).contains(&width) && (1..=room.height).contains(&height);
    pam.drain(..end);
    let is_whole = fits && pam.len() == width as usize * height as usize * PIXEL_BYTES;
    (is_rgba && is_whole).then_some(DecodedPicture { width, height, rgba: pam })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::readers::tests::{Studio, an_hour};

    #[test]
    fn what_a_child_says_of_its_picture_is_believed_within_the_room() {
        let room = Room { width: 2, height: 1, cover: false };
        let pam = |head: &str, bytes: usize| [head.as_bytes(), &vec![7; bytes]].concat();
        let head = "P7\nWIDTH 2\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n";
        assert_eq!(parsed(pam(head, 8), room), Some(DecodedPicture { width: 2, height: 1, rgba: vec![7; 8] }));
        for (head, bytes) in [
            (head.to_owned(), 7),
            (head.replace("WIDTH 2", "WIDTH 4294967295"), 8),
            (head.replace("HEIGHT 1", "HEIGHT 2"), 16),
            (head.replace("WIDTH 2", "WIDTH 0"), 0),
            (head.replace("DEPTH 4", "DEPTH 3"), 8),
            (head.replace("ENDHDR", "ENDHEADER"), 8),
            (String::new(), 0),
        ] {
            assert_eq!(parsed(pam(&head, bytes), room), None, "{head}");
        }
    }

    #[tokio::test]
    async fn a_picture_is_as_large_as_its_room_lets_it_be_and_a_films_is_that_of_its_moment() {
        let studio = Studio::new();
        let still = studio.make("still.png", "color=red@0.5:s=60x20:d=1,format=rgba", &["-frames:v", "1"]);
        let source = studio.open(&still, &an_hour()).await.unwrap();
        let shown = async |source: &MediaSource, room, at| picture(source, room, at, &an_hour()).await.unwrap();
        let within = shown(&source, Room { width: 30, height: 30, cover: false }, None).await;
        assert_eq!((within.width, within.height, within.rgba.len()), (30, 10, 1_200));
        assert_eq!(within.rgba[3], 127, "half transparent: {:?}", &within.rgba[..4]);
        let filling = shown(&source, Room { width: 30, height: 30, cover: true }, None).await;
        assert_eq!((filling.width, filling.height), (30, 30));

        let film = "color=black:s=64x64:r=10:d=3,drawbox=c=white:t=fill:enable='gte(t,1.45)*lt(t,1.55)'";
        let film = studio.make("film.mp4", film, &["-c:v", "mpeg4", "-g", "30"]);
        let source = studio.open(&film, &an_hour()).await.unwrap();
        let room = Room { width: 8, height: 8, cover: false };
        for (at, is_white) in [(0, false), (1_400_000, false), (1_500_000, true), (1_600_000, false)] {
            let seen = shown(&source, room, Some(at)).await.rgba[128];
            assert_eq!(seen > 128, is_white, "{at}: {seen}");
        }
        let after = picture(&source, room, Some(9_000_000), &an_hour()).await;
        assert!(matches!(after, Err(ReadError::Corrupt(_))), "{after:?}");
    }
}
