//! What the voices of a dub leave out of its texts: whole texts that they have no sounds for, and letters of others.

use super::{Dub, Language, Segment, engine_of};
use crate::generation::Voice;
use crate::warnings::in_short;
use std::collections::HashSet;

impl Segment {
    /// Whether its voice has a sound for any letter of its text, in a dub into this language. What has none is not
    /// spoken.
    pub fn is_speakable(&self, language: &Language) -> bool {
        self.voice_in(language).speaks(&self.translation)
    }

    fn voice_in(&self, language: &Language) -> Voice<'_> {
        Voice::of(engine_of(&self.voice, language), &self.voice)
    }
}

impl Dub {
    /// Returns the first segment whose text its voice has no sounds for, of those that do not have this text `before`.
    pub fn unspeakable_since(&self, before: &Self) -> Option<&Segment> {
        let texts = before.segments.iter().map(|segment| (segment.id.as_str(), segment.translation.as_str()));
        let known: HashSet<(&str, &str)> = texts.collect();
        self.unspeakable().find(|segment| !known.contains(&(segment.id.as_str(), segment.translation.as_str())))
    }

    /// Returns what is not spoken of its texts, in whole sentences.
    pub fn warnings(&self) -> Vec<String> {
        self.unspoken_texts().into_iter().chain(self.unspoken_letters()).collect()
    }

    fn unspoken_texts(&self) -> Option<String> {
        let names = in_short(self.unspeakable().map(name_of))?;
        Some(format!(
            "Nothing is spoken of {names}: the voice has no sounds for the text. Say words, or name a voice of their \
             language."
        ))
    }

    fn unspoken_letters(&self) -> Option<String> {
        let (mut names, mut letters, mut seen) = (Vec::new(), Vec::new(), HashSet::new());
        for segment in self.segments.iter().filter(|segment| segment.is_speakable(&self.target_language)) {
            let mut left_out = segment.voice_in(&self.target_language).leaves_out(&segment.translation).peekable();
            if left_out.peek().is_some() {
                names.push(name_of(segment));
            }
            letters.extend(left_out.filter(|letter| seen.insert(*letter)));
        }
        let names = in_short(names.into_iter())?;
        let letters = in_short(letters.iter().map(|letter| format!("`{letter}`")))?;
        Some(format!(
            "Not all is spoken of {names}: the voice has no sounds for {letters}. Write them in other letters, or name \
             a voice of their language."
        ))
    }

    /// Returns the segments whose texts their voices have no sounds for. One without a text says nothing on purpose.
    fn unspeakable(&self) -> impl Iterator<Item = &Segment> {
        let is_silent = move |segment: &&Segment| !segment.is_speakable(&self.target_language);
        self.segments.iter().filter(|segment| !segment.translation.is_empty()).filter(is_silent)
    }
}

fn name_of(segment: &Segment) -> String {
    format!("`{}`", segment.id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::ItemId;
    use crate::timeline::Micros;

    fn dub(target: &str, segments: &[(&str, &str)]) -> Dub {
        let segment = |(number, (voice, text)): (usize, &(&str, &str))| Segment {
            id: format!("s{number}"),
            start: Micros::ZERO,
            end: Micros::ZERO,
            speaker: "anna".to_owned(),
            source: None,
            translation: (*text).to_owned(),
            voice: (*voice).to_owned(),
        };
        Dub {
            source: ItemId::mint(),
            timeline: None,
            source_language: None,
            target_language: target.parse().unwrap(),
            keep_background: false,
            segments: segments.iter().enumerate().map(segment).collect(),
        }
    }

    #[test]
    fn what_voices_leave_out_is_told_with_the_segments_and_no_more_of_it_than_is_read() {
        let spoken = [("es", "¡Qué día! 5 €"), ("cmn", "你好"), ("es", ""), ("ja+f3", "さくら"), ("slt", "día")];
        assert_eq!(dub("es", &spoken).warnings(), Vec::<String>::new());
        let mixed = [("es", "hola 你好 amigo 你"), ("es+f3", "さくら, 5 amigos"), ("es", "hola")];
        let told = dub("es", &mixed).warnings();
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].starts_with("Not all is spoken of `s0`, `s1`: "), "{told:?}");
        assert!(told[0].contains("no sounds for `你`, `好`, `さ`, `く`, `ら`. "), "{told:?}");
        let silent = dub("en", &[("slt", "Привет."), ("slt", "hello"), ("slt", "…")]).warnings();
        assert_eq!(silent.len(), 1, "{silent:?}");
        assert!(silent[0].starts_with("Nothing is spoken of `s0`, `s2`: "), "{silent:?}");
        let many = vec![("slt", "a Привет, мир"); 2_000];
        let told = dub("en", &many).warnings().concat();
        assert!(told.contains("`s4` and 1995 more: ") && told.contains("`е` and 2 more. "), "{told}");
        assert!(told.len() < 300, "{told}");
    }

    #[test]
    fn a_text_that_its_voice_does_not_speak_is_found_unless_it_was_there_before() {
        let before = dub("es", &[("cmn", "你好"), ("es", "¡…!"), ("es", "")]);
        let found = |segments: &[(&str, &str)]| {
            dub("es", segments).unspeakable_since(&before).map(|segment| segment.id.clone())
        };
        assert_eq!(found(&[("es", "你好"), ("es", "¡…!"), ("es", "")]), None, "only its voice is another one");
        assert_eq!(found(&[("cmn", "世界"), ("es", "hola"), ("es", "")]), None);
        assert_eq!(found(&[("es", "世界"), ("es", "hola")]).as_deref(), Some("s0"));
        assert_eq!(found(&[("es", "hola"), ("es", "¡…!"), ("es", "\u{200b}")]).as_deref(), Some("s2"));
        assert_eq!(found(&[("cmn", "你好"), ("es", ""), ("es", "a"), ("es", "!")]).as_deref(), Some("s3"), "added");
    }
}
