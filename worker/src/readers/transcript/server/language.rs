//! The languages that Whisper's models know, and how servers write them: as a code, a name, a tag or a token.

/// Each language's ISO 639 code, and the name that Whisper has for it.
const LANGUAGES: [(&str, &str); 100] = [
    ("en", "english"),
    ("zh", "chinese"),
    ("de", "german"),
    ("es", "spanish"),
    ("ru", "russian"),
    ("ko", "korean"),
    ("fr", "french"),
    ("ja", "japanese"),
    ("pt", "portuguese"),
    ("tr", "turkish"),
    ("pl", "polish"),
    ("ca", "catalan"),
    ("nl", "dutch"),
    ("ar", "arabic"),
    ("sv", "swedish"),
    ("it", "italian"),
    ("id", "indonesian"),
    ("hi", "hindi"),
    ("fi", "finnish"),
    ("vi", "vietnamese"),
    ("he", "hebrew"),
    ("uk", "ukrainian"),
    ("el", "greek"),
    ("ms", "malay"),
    ("cs", "czech"),
    ("ro", "romanian"),
    ("da", "danish"),
    ("hu", "hungarian"),
    ("ta", "tamil"),
    ("no", "norwegian"),
    ("th", "thai"),
    ("ur", "urdu"),
    ("hr", "croatian"),
    ("bg", "bulgarian"),
    ("lt", "lithuanian"),
    ("la", "latin"),
    ("mi", "maori"),
    ("ml", "malayalam"),
    ("cy", "welsh"),
    ("sk", "slovak"),
    ("te", "telugu"),
    ("fa", "persian"),
    ("lv", "latvian"),
    ("bn", "bengali"),
    ("sr", "serbian"),
    ("az", "azerbaijani"),
    ("sl", "slovenian"),
    ("kn", "kannada"),
    ("et", "estonian"),
    ("mk", "macedonian"),
    ("br", "breton"),
    ("eu", "basque"),
    ("is", "icelandic"),
    ("hy", "armenian"),
    ("ne", "nepali"),
    ("mn", "mongolian"),
    ("bs", "bosnian"),
    ("kk", "kazakh"),
    ("sq", "albanian"),
    ("sw", "swahili"),
    ("gl", "galician"),
    ("mr", "marathi"),
    ("pa", "punjabi"),
    ("si", "sinhala"),
    ("km", "khmer"),
    ("sn", "shona"),
    ("yo", "yoruba"),
    ("so", "somali"),
    ("af", "afrikaans"),
    ("oc", "occitan"),
    ("ka", "georgian"),
    ("be", "belarusian"),
    ("tg", "tajik"),
    ("sd", "sindhi"),
    ("gu", "gujarati"),
    ("am", "amharic"),
    ("yi", "yiddish"),
    ("lo", "lao"),
    ("uz", "uzbek"),
    ("fo", "faroese"),
    ("ht", "haitian creole"),
    ("ps", "pashto"),
    ("tk", "turkmen"),
    ("nn", "nynorsk"),
    ("mt", "maltese"),
    ("sa", "sanskrit"),
    ("lb", "luxembourgish"),
    ("my", "myanmar"),
    ("bo", "tibetan"),
    ("tl", "tagalog"),
    ("mg", "malagasy"),
    ("as", "assamese"),
    ("tt", "tatar"),
    ("haw", "hawaiian"),
    ("ln", "lingala"),
    ("ha", "hausa"),
    ("ba", "bashkir"),
    ("jv", "javanese"),
    ("su", "sundanese"),
    ("yue", "cantonese"),
];
/// A longer text is no language.
const LONGEST: usize = 64;

/// Returns the ISO 639 code of a language that a server reports, such as `en` for `English`, `en-US` or `<|en|>`; none
/// for what is no language that Whisper knows.
pub(super) fn code(reported: &str) -> Option<&'static str> {
    if reported.len() > LONGEST {
        return None;
    }
    let reported = reported.trim().trim_start_matches("<|").trim_end_matches("|>").to_lowercase();
    let tag = reported.split(['-', '_']).next().unwrap_or_default();
    // Whisper's own code for Javanese is an old one.
    let tag = if tag == "jw" { "jv" } else { tag };
    let found = LANGUAGES.iter().find(|(code, name)| *code == tag || *name == reported);
    found.map(|(code, _)| *code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_a_code_however_it_is_written() {
        for reported in ["en", "EN", "english", "English", " en-US ", "en_GB", "<|en|>"] {
            assert_eq!(code(reported), Some("en"), "{reported}");
        }
        assert_eq!((code("haitian creole"), code("jw"), code("yue")), (Some("ht"), Some("jv"), Some("yue")));
        for reported in ["", "zz", "unknown", "auto", "nn of it", "<|nospeech|>", "null", &"en".repeat(40)] {
            assert_eq!(code(reported), None, "{reported}");
        }
    }
}
