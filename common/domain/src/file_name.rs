//! Names of files that leave the service, and the `Content-Disposition` header with them.
//!
//! Clients choose items' names freely. Here a name becomes that of a file in one folder, on any system, and text that
//! can't end a header or be taken for another part of it (RFC 6266, RFC 8187).

use std::fmt::Write;

/// The most bytes of a name: every file system accepts it, even with something that a program appends.
const LONGEST: usize = 200;
/// The most letters of an ending.
const LONGEST_ENDING: usize = 8;
/// Names that Windows reserves for devices, with any ending.
const DEVICES: [&str; 22] = [
    "con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9", "lpt1", "lpt2",
    "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
];

/// The ending of a file whose type is unknown.
const NO_TYPE: &str = "bin";
/// Endings that are used for the same type. All are of media, except that of an unknown type.
const FAMILIES: [&[&str]; 16] = [
    &["mp4", "m4v", "m4a", "m4b", "mov", "qt", "3gp", "3g2"],
    &["webm", "mkv", "mka", "weba"],
    &["ogg", "ogv", "oga", "opus", "spx"],
    &["wav", "wave"],
    &["ts", "mts", "m2ts"],
    &["jpg", "jpeg", "jpe"],
    &["tiff", "tif"],
    &["avi"],
    &["mp3"],
    &["flac"],
    &["aac"],
    &["png"],
    &["webp"],
    &["gif"],
    &["bmp"],
    &[NO_TYPE],
];

/// What a browser does with a file: the type of a `Content-Disposition`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disposition {
    /// Shows it.
    Inline,
    /// Saves it.
    Attachment,
}

/// Returns the file name of an item of this name: without a path, not hidden, and harmless to shells and screens. It
/// ends in `extension` unless it already has an ending of that type: an uploader's `invoice.exe` must be no program to
/// whoever saves it. Without an `extension`, an ending of some media is kept.
pub fn file_name(name: &str, extension: Option<&str>) -> String {
    let plain: String = name.chars().filter_map(plain).collect();
    let plain = plain.trim().trim_end_matches(['.', ' ']);
    let hidden = plain.len() - plain.trim_start_matches(['.', '-']).len();
    let mut name = format!("{}{}", "_".repeat(hidden.min(1)), &plain[hidden..]);
    if name.trim_matches(['_', ' ']).is_empty() {
        "media".clone_into(&mut name);
    }
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_ascii_lowercase();
    if DEVICES.contains(&stem.as_str()) {
        name.insert(0, '_');
    }
    let (stem, ending) = match (ending(&name), extension) {
        (Some(own), extension) if fits(own, extension) => (&name[..name.len() - own.len() - 1], Some(own)),
        (Some(_), extension) => (name.as_str(), Some(extension.unwrap_or(NO_TYPE))),
        (None, extension) => (name.as_str(), extension),
    };
    let ending = ending.map(|ending| format!(".{ending}")).unwrap_or_default();
    format!("{}{ending}", shortened(stem, LONGEST - ending.len()))
}

/// Whether `ending` is used for the type whose usual ending is `usual`; without one, whether it is used for any media.
fn fits(ending: &str, usual: Option<&str>) -> bool {
    let has = |family: &&[&str], one: &str| family.iter().any(|own| own.eq_ignore_ascii_case(one));
    usual.is_some_and(|usual| usual.eq_ignore_ascii_case(ending))
        || FAMILIES.iter().any(|family| usual.is_none_or(|usual| has(family, usual)) && has(family, ending))
}

/// Returns the letter to write for this one; `None` to leave it out.
const fn plain(letter: char) -> Option<char> {
    match letter {
        // These turn the direction of the text after them: `exe.mp4` could be read as `4pm.exe`.
        '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{FEFF}' | '\u{2028}' | '\u{2029}' => None,
        '/' | '\\' | '<' | '>' | ':' | '"' | '|' | '?' | '*' => Some('_'),
        letter if letter.is_ascii_control() || (letter >= '\u{80}' && letter < '\u{A0}') => None,
        letter => Some(letter),
    }
}

/// Returns the letters after a name's last dot, if they are an ending.
fn ending(name: &str) -> Option<&str> {
    let (stem, ending) = name.rsplit_once('.')?;
    let is_one =
        (1..=LONGEST_ENDING).contains(&ending.len()) && ending.bytes().all(|byte| byte.is_ascii_alphanumeric());
    // `12.30` is a time, not a file of the type `30`.
    (is_one && !stem.is_empty() && ending.bytes().any(|byte| byte.is_ascii_alphabetic())).then_some(ending)
}

/// Returns at most `most` bytes of the text's beginning, in whole letters and without spaces at the end.
fn shortened(text: &str, most: usize) -> &str {
    text[..text.floor_char_boundary(most)].trim_end()
}

/// Returns the value of `Content-Disposition` for a file name that [`file_name`] made: in ASCII for old clients, and as
/// it is.
pub fn content_disposition(disposition: Disposition, file_name: &str) -> String {
    let kind = match disposition {
        Disposition::Inline => "inline",
        Disposition::Attachment => "attachment",
    };
    let is_quotable = |letter: char| (' '..='~').contains(&letter) && !['"', '\\', '%'].contains(&letter);
    let ascii: String = file_name.chars().map(|letter| if is_quotable(letter) { letter } else { '_' }).collect();
    let mut encoded = String::new();
    for byte in file_name.bytes() {
        if byte.is_ascii_alphanumeric() || b"!#$&+-.^_`|~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            let _infallible = write!(encoded, "%{byte:02X}");
        }
    }
    format!("{kind}; filename=\"{ascii}\"; filename*=UTF-8''{encoded}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::path::{Component, Path};

    #[test]
    fn a_name_is_that_of_one_file_that_is_seen() {
        for (name, wanted) in [
            ("talk.mp4", "talk.mp4"),
            ("Interview 3", "Interview 3.mp4"),
            ("at 12.30", "at 12.30.mp4"),
            ("../../etc/passwd", "__.._etc_passwd.mp4"),
            ("/etc/cron.d/x", "_etc_cron.d_x.mp4"),
            ("C:\\Windows\\x.exe", "C__Windows_x.exe.mp4"),
            (".bashrc", "_bashrc.mp4"),
            ("-rf", "_rf.mp4"),
            ("..", "media.mp4"),
            ("", "media.mp4"),
            (" \u{7}\n", "media.mp4"),
            ("a\r\nSet-Cookie: x=1.wav", "aSet-Cookie_ x=1.wav.mp4"),
            ("nul.mp4", "_nul.mp4"),
            ("COM1", "_COM1.mp4"),
            ("4pm\u{202E}gpj.mp4", "4pmgpj.mp4"),
            ("Ünïcödé 日本語 🎬.mov", "Ünïcödé 日本語 🎬.mov"),
            ("<img src=x onerror=alert(1)>.png", "_img src=x onerror=alert(1)_.png.mp4"),
            ("ends in dots...", "ends in dots.mp4"),
        ] {
            assert_eq!(file_name(name, Some("mp4")), wanted, "{name:?}");
        }
        assert_eq!(file_name("plain", None), "plain");
        assert_eq!([file_name("x.exe", None), file_name("x.WAV", None)], ["x.exe.bin", "x.WAV"]);
        for (name, usual, wanted) in [
            ("invoice.exe", "mp3", "invoice.exe.mp3"),
            ("page.html", "jpg", "page.html.jpg"),
            ("photo.JPEG", "jpg", "photo.JPEG"),
            ("talk.mkv", "webm", "talk.mkv"),
        ] {
            assert_eq!(file_name(name, Some(usual)), wanted);
        }
        let long = file_name(&format!("{}.mp4", "日".repeat(255)), Some("mp4"));
        assert!(long.len() <= LONGEST && long.ends_with("日.mp4"), "{long}");
    }

    #[test]
    fn a_disposition_has_the_name_twice_in_ascii_alone() {
        assert_eq!(
            content_disposition(Disposition::Attachment, "it's 100% \"ü\";.mp4"),
            "attachment; filename=\"it's 100_ ___;.mp4\"; filename*=UTF-8''it%27s%20100%25%20%22%C3%BC%22%3B.mp4"
        );
        assert_eq!(
            content_disposition(Disposition::Inline, "a.mp4"),
            "inline; filename=\"a.mp4\"; filename*=UTF-8''a.mp4"
        );
    }

    proptest! {
        #[test]
        fn whatever_it_is_called_it_stays_in_its_folder_and_in_its_header(
            name in "(\\PC|[\u{0}-\u{ff}./\\\\]){0,300}",
        ) {
            let file = file_name(&name, Some("mp4"));
            let parts: Vec<Component> = Path::new(&file).components().collect();
            prop_assert!(matches!(parts[..], [Component::Normal(_)]), "{file:?}");
            prop_assert!(file.len() <= LONGEST && !file.starts_with(['.', '-', ' ']) && file == file.trim());
            prop_assert!(!file.chars().any(char::is_control));
            prop_assert_eq!(file_name(&file, Some("mp4")), file.clone());
            let header = content_disposition(Disposition::Attachment, &file);
            prop_assert!(header.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{header:?}");
            prop_assert_eq!(header.matches('"').count(), 2);
            let (_, encoded) = header.split_once("UTF-8''").expect("a name");
            let decoded = percent_encoding::percent_decode_str(encoded).decode_utf8().expect("UTF-8").into_owned();
            prop_assert_eq!(decoded, file);
        }
    }
}
