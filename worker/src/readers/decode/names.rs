//! The closed lists of decoding: the containers and codecs that are opened, and the names that a decoder may report.
//!
//! A codec that nobody sends is an attack surface that nobody watches: ffmpeg has some 500 decoders, and these are the
//! ones that people's media needs. A name that a customer is shown is one of `SHOWN`, whatever the child reports: a
//! child that was taken over must not smuggle out what it has read.

/// The containers that are opened. A playlist (`concat`, `hls`, `dash`) names other files, so none is listed; nor is
/// `image2`, which reads a file's name as a pattern.
pub(super) const FORMATS: &str = "mov,mp3,wav,flac,ogg,matroska,aac,avi,mpegts,\
                                  png_pipe,jpeg_pipe,webp_pipe,gif,bmp_pipe,tiff_pipe";

/// The decoders that are used, by ffmpeg's names: for pictures, sound, and subtitles, without which ffprobe would open
/// no film that has some.
pub(super) const CODECS: &str = "h264,hevc,vp8,vp9,libdav1d,libaom-av1,av1,mpeg1video,mpeg2video,mpeg4,msmpeg4,h263,mjpeg,\
                                 png,gif,webp,bmp,tiff,prores,dnxhd,ffv1,theora,rawvideo,dvvideo,\
                                 aac,aac_latm,mp3float,mp3,mp2float,mp2,ac3,eac3,dca,flac,alac,vorbis,opus,libopus,\
                                 wmav2,amrnb,amrwb,adpcm_ms,adpcm_ima_wav,pcm_alaw,pcm_mulaw,pcm_u8,pcm_s8,pcm_s16le,\
                                 pcm_s16be,pcm_s24le,pcm_s24be,pcm_s32le,pcm_s32be,pcm_f32le,pcm_f32be,pcm_f64le,\
                                 mov_text,srt,subrip,ass,ssa,webvtt,text,dvbsub,dvdsub,pgssub,cc_dec";

/// The codecs that are shown, by ffmpeg's names.
const SHOWN: [&str; 66] = [
    "h264",
    "hevc",
    "vp8",
    "vp9",
    "av1",
    "mpeg1video",
    "mpeg2video",
    "mpeg4",
    "msmpeg4v3",
    "h263",
    "mjpeg",
    "png",
    "gif",
    "webp",
    "bmp",
    "tiff",
    "prores",
    "dnxhd",
    "ffv1",
    "theora",
    "rawvideo",
    "dvvideo",
    //
    "aac",
    "aac_latm",
    "mp3",
    "mp2",
    "mp1",
    "ac3",
    "eac3",
    "dts",
    "flac",
    "alac",
    "vorbis",
    "opus",
    "wmav2",
    "amr_nb",
    "amr_wb",
    "adpcm_ms",
    "adpcm_ima_wav",
    "pcm_alaw",
    "pcm_mulaw",
    "pcm_u8",
    "pcm_s8",
    "pcm_s16le",
    "pcm_s16be",
    "pcm_s24le",
    "pcm_s24be",
    "pcm_s32le",
    "pcm_s32be",
    "pcm_f32le",
    "pcm_f32be",
    "pcm_f64le",
    //
    "mov_text",
    "subrip",
    "ass",
    "webvtt",
    "text",
    "dvb_subtitle",
    "dvd_subtitle",
    "hdmv_pgs_subtitle",
    "eia_608",
    //
    "bin_data",
    "timed_id3",
    "scte_35",
    "ttf",
    "otf",
];

/// Returns the codec of this name, if it is one that is shown.
pub(super) fn codec(said: &str) -> Option<&'static str> {
    SHOWN.into_iter().find(|name| *name == said)
}

/// Whether this is the name of a container that is opened: `mov,mp4,m4a,3gp,3g2,mj2` begins with one.
pub(super) fn is_format(said: &str) -> bool {
    let first = said.split(',').next().unwrap_or_default();
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, ',' | '_');
    said.len() <= 32 && said.chars().all(plain) && FORMATS.split(',').any(|name| name == first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_on_no_list_is_not_said() {
        assert_eq!(codec("h264"), Some("h264"));
        for said in ["", "unknown", "none", "MWS_SECRET_KEY=abc", "h264 ", "libx264", "H264"] {
            assert_eq!(codec(said), None, "{said}");
        }
        for name in ["mov,mp4,m4a,3gp,3g2,mj2", "matroska,webm", "mp3", "png_pipe", "gif"] {
            assert!(is_format(name), "{name}");
        }
        for name in ["", "concat", "hls", "mov,MWS_SECRET_KEY=abc", "wav,aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"] {
            assert!(!is_format(name), "{name}");
        }
    }
}
