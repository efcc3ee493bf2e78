//! Makes the segments of a new dub, from a script or from the item's speech, and gives them their voices.

use super::shapes::{MakeDub, ScriptSegment, SpeakerVoice};
use crate::http::error::{Answer, ApiError, Code};
use domain::document::MOST_BYTES;
use domain::dub::{
    Dub, Language, MOST_SEGMENTS, ONE_SPEAKER, Recording, Segment, Transcript, is_voice, one_line, said, usual_voice,
};
use domain::ids::ItemId;
use domain::timeline::Micros;
use std::collections::HashMap;

/// Returns the language to dub into, and the one that is spoken, if the request says it.
pub(super) fn asked_languages(asked: &MakeDub) -> Answer<(Language, Option<Language>)> {
    let target: Language = asked.target_language.id_in("target_language")?;
    let source = asked.source_language.as_ref().map(|tag| tag.id_in::<Language>("source_language")).transpose()?;
    if source.as_ref() == Some(&target) {
        return Err(ApiError::new(Code::InvalidRequest, "`target_language` is the language that is spoken."));
    }
    Ok((target, source))
}

/// Completes a new dub of media of this duration: with the background and the voices that the request names, and with
/// its segments checked and in order. Its translations, which are still to come, must fit into it: they are counted as
/// having as many letters as what is said.
pub(super) fn settled(mut dub: Dub, asked: &MakeDub, duration: Micros) -> Answer<Dub> {
    dub.keep_background = asked.keep_background.unwrap_or(false);
    voiced(&mut dub, asked.voices.as_deref().unwrap_or_default())?;
    dub.settle(duration).map_err(|why| ApiError::new(Code::InvalidRequest, format!("It can't be dubbed: {why}.")))?;
    let to_come: usize = dub.untranslated().iter().map(|text| text.chars().count()).sum();
    if serde_json::to_vec(&dub).map_or(usize::MAX, |body| body.len()).saturating_add(to_come) > MOST_BYTES {
        let message = format!("A dub has at most {MOST_BYTES} bytes as JSON: dub parts of the item.");
        return Err(ApiError::new(Code::InvalidRequest, message));
    }
    Ok(dub)
}

/// Makes a dub of a script.
pub(super) fn scripted(
    script: &[ScriptSegment],
    item: ItemId,
    source: Option<Language>,
    target: Language,
) -> Answer<Dub> {
    let wrong = |why: String| ApiError::new(Code::InvalidRequest, format!("`script`: {why}."));
    if script.is_empty() || script.len() > MOST_SEGMENTS {
        return Err(wrong(format!("expected 1 to {MOST_SEGMENTS} segments")));
    }
    let mut voices: HashMap<String, String> = HashMap::new();
    let mut segments = Vec::with_capacity(script.len());
    for (place, line) in script.iter().enumerate() {
        let (start, end) = (Micros::from_seconds(line.start), Micros::from_seconds(line.end));
        let translation = one_line(&line.text);
        if translation.is_empty() {
            return Err(wrong(format!("[{place}]: `text` says nothing; leave out what is silent")));
        }
        let speaker = line.speaker.as_ref().map_or_else(|| ONE_SPEAKER.to_owned(), |name| name.0.clone());
        let number = voices.len();
        let voice = voices.entry(speaker.clone()).or_insert_with(|| usual_voice(&target, number)).clone();
        segments.push(Segment { id: String::new(), start, end, speaker, source: None, translation, voice });
    }
    Ok(Dub {
        source: item,
        timeline: None,
        source_language: source,
        target_language: target,
        keep_background: false,
        segments,
    })
}

/// Returns the language that is spoken: the one asked for, or else the transcript's.
pub(super) fn language_of(transcript: &Transcript, asked: Option<Language>, target: &Language) -> Answer<Language> {
    if transcript.words.is_empty() {
        return Err(silent());
    }
    let told = transcript.language.as_deref();
    let source = asked.or_else(|| told.and_then(|tag| tag.parse().ok())).ok_or_else(|| {
        ApiError::new(Code::InvalidRequest, "The transcript does not tell its language: say `source_language`.")
    })?;
    if source == *target {
        return Err(ApiError::new(Code::InvalidRequest, "`target_language` is the language that is spoken."));
    }
    Ok(source)
}

/// Makes a dub of a transcript and its speakers.
pub(super) fn spoken(recording: Recording<'_>, target: &Language) -> Answer<Dub> {
    let dub = said(recording, target);
    if dub.segments.is_empty() { Err(silent()) } else { Ok(dub) }
}

fn silent() -> ApiError {
    ApiError::new(Code::ReadNotApplicable, "Nobody says a word in the item.")
}

/// Refuses voices whose names can't be those of voices.
pub(super) fn refuse_misnamed(voices: &[SpeakerVoice]) -> Answer<()> {
    match voices.iter().position(|one| !is_voice(&one.voice)) {
        Some(place) => Err(wrong_voice(place, "`voice` is no name of a voice")),
        None => Ok(()),
    }
}

fn wrong_voice(place: usize, why: &str) -> ApiError {
    ApiError::new(Code::InvalidRequest, format!("`voices[{place}]`: {why}."))
}

/// Gives speakers the voices that the request names.
fn voiced(dub: &mut Dub, voices: &[SpeakerVoice]) -> Answer<()> {
    refuse_misnamed(voices)?;
    for (place, SpeakerVoice { speaker, voice }) in voices.iter().enumerate() {
        let mut theirs = dub.segments.iter_mut().filter(|segment| segment.speaker == speaker.0).peekable();
        if theirs.peek().is_none() {
            return Err(wrong_voice(place, "nobody who speaks is called so"));
        }
        theirs.for_each(|segment| segment.voice.clone_from(&voice.0));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use poem_openapi::types::Example;

    #[test]
    fn a_dub_that_has_no_room_for_its_translations_is_refused_before_they_are_made() {
        let segment = |second: i64, letters: usize| Segment {
            id: String::new(),
            start: Micros(second * 1_000_000),
            end: Micros((second + 1) * 1_000_000),
            speaker: ONE_SPEAKER.to_owned(),
            source: Some("a".repeat(letters)),
            translation: String::new(),
            voice: "es".to_owned(),
        };
        let told = |letters| {
            let dub = Dub {
                source: ItemId::mint(),
                timeline: None,
                source_language: "en".parse().ok(),
                target_language: "es".parse().unwrap(),
                keep_background: false,
                segments: (0..400).map(|second| segment(second, letters)).collect(),
            };
            assert!(serde_json::to_vec(&dub).unwrap().len() < MOST_BYTES, "what is said fits");
            settled(dub, &MakeDub::example(), Micros(400_000_000)).map_err(|refusal| refusal.message().to_owned())
        };
        assert!(told(400).is_ok());
        assert!(told(800).unwrap_err().ends_with("dub parts of the item."));
    }
}
