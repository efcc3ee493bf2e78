//! The shapes of the timeline tools' answers.

use super::ops::{CaptionOrigin, CaptionText, CueText, TextLook};
use super::pieces::{TimelineAudio, TimelineOverlay, TimelineScene};
use crate::http::text::{Text, Time, True};
use crate::resources::tools::caption_style::CaptionPosition;
use crate::resources::tools::shown_items::{MediaLinks, ShownItems};
use crate::usecases::documents::Kept;
use domain::ids::TimelineId;
use domain::timeline;
use poem_openapi::Object;
use store::documents::ListedRow;

/// A timeline. Times are seconds.
#[derive(Debug, Object)]
pub struct Timeline {
    /// Its id.
    pub id: Text,
    /// Its name.
    pub name: Text,
    /// Its revision: 1 when created, then one higher with every change.
    pub revision: i32,
    /// Its duration, in seconds.
    pub duration_seconds: f64,
    /// The picture's aspect ratio, such as `16:9`.
    pub aspect_ratio: Text,
    /// The picture's width, in pixels.
    pub width: u32,
    /// The picture's height, in pixels.
    pub height: u32,
    /// Frames per second.
    pub fps: f64,
    /// The language that is spoken in it; null when it is not set.
    pub language: Option<Text>,
    /// The timeline of which it is a variant; null when it is none, or when that timeline is deleted.
    pub variant_of: Option<Text>,
    /// The names of the skills that guide it.
    pub skills: Vec<Text>,
    /// The scenes, in order.
    pub scenes: Vec<TimelineScene>,
    /// The sound besides that of the scenes.
    pub audio: TimelineAudio,
    /// The pictures and texts over the scenes; later ones cover earlier ones.
    pub overlays: Vec<TimelineOverlay>,
    /// The captions; null when there are none.
    pub captions: Option<CaptionText>,
    /// When it was created.
    pub created_at: Time,
    /// When it was last changed.
    pub updated_at: Time,
}

/// A timeline as lists show it.
#[derive(Debug, Object)]
pub struct ListedTimeline {
    /// Its id.
    pub id: Text,
    /// Its name.
    pub name: Text,
    /// Its duration, in seconds.
    pub duration_seconds: f64,
    /// The picture's aspect ratio, such as `16:9`.
    pub aspect_ratio: Text,
    /// The number of its scenes.
    pub scenes: u64,
    /// The timeline of which it is a variant; null when it is none, or when that timeline is deleted.
    pub variant_of: Option<Text>,
    /// The language that is spoken in it; null when it is not set, or was set before it was shown here.
    pub language: Option<Text>,
    /// Its revision: 1 when created, then one higher with every change.
    pub revision: i32,
    /// When it was created.
    pub created_at: Time,
    /// When it was last changed.
    pub updated_at: Time,
}

/// A timeline.
#[derive(Debug, Object)]
pub struct TimelineAnswer {
    /// The timeline.
    pub timeline: Timeline,
}

/// A page of the workspace's timelines.
#[derive(Debug, Object)]
pub struct TimelinePage {
    /// The timelines, newest first.
    pub timelines: Vec<ListedTimeline>,
    /// Whether there are timelines after these.
    pub has_more: bool,
    /// Pass it as `cursor` for the timelines after these; null on the last page.
    pub next_cursor: Option<Text>,
}

/// The timeline that was deleted.
#[derive(Debug, Object)]
pub struct DeletedTimeline {
    /// Its id.
    pub timeline_id: Text,
    /// Always true.
    pub deleted: True,
}

impl Timeline {
    /// Returns the timeline as tools show it; with links to its media, if `links` is given.
    pub(super) fn of(kept: Kept<timeline::Timeline>, links: Option<MediaLinks<'_>>) -> Self {
        let Kept { id, name, body, refs, revision, created_at, updated_at, .. } = kept;
        let shown = ShownItems { refs: &refs, links };
        let places = body.placed();
        let scenes = body.scenes.iter().zip(&places).zip(0..);

        Self {
            id: Text::of(TimelineId::from(id)),
            name: Text(name),
            revision,
            duration_seconds: body.duration().seconds(),
            aspect_ratio: Text(body.aspect_ratio()),
            width: body.width,
            height: body.height,
            fps: (f64::from(body.fps.frames()) / f64::from(body.fps.seconds()) * 1000.0).round() / 1000.0,
            scenes: scenes
                .map(|((scene, place), position)| TimelineScene::of(scene, *place, position, &shown))
                .collect(),
            audio: TimelineAudio::of(&body.audio, &shown),
            overlays: body.overlays.iter().map(|overlay| TimelineOverlay::of(overlay, &shown)).collect(),
            language: body.language.map(Text),
            variant_of: body.variant_of.map(Text::of),
            skills: body.skills.into_iter().map(Text).collect(),
            captions: body.captions.map(CaptionText::from),
            created_at: Time(created_at),
            updated_at: Time(updated_at),
        }
    }
}

impl From<timeline::TextStyle> for TextLook {
    fn from(style: timeline::TextStyle) -> Self {
        let background = style.background.map(Text);
        Self {
            color: Some(Text(style.color)),
            background,
            size: Some(style.size.number()),
            family: style.family.map(Text),
        }
    }
}

impl From<timeline::Captions> for CaptionText {
    fn from(captions: timeline::Captions) -> Self {
        let captions = captions.cleaned();
        let is_written = captions.source == timeline::CaptionSource::Cues;
        let cue = |cue: timeline::CaptionCue| CueText {
            start: cue.start.seconds(),
            end: cue.end.seconds(),
            text: Text(cue.text),
        };
        Self {
            source: if is_written { CaptionOrigin::Cues } else { CaptionOrigin::Transcripts },
            cues: is_written.then(|| captions.cues.into_iter().map(cue).collect()),
            burn: Some(captions.burn),
            style: Some(captions.style.into()),
            position: captions.position.map(CaptionPosition::from),
            language: captions.language.map(Text),
        }
    }
}

impl From<ListedRow> for ListedTimeline {
    fn from(row: ListedRow) -> Self {
        let summary = &row.summary;
        let duration = timeline::Timeline::duration_in(summary);
        Self {
            id: Text::of(TimelineId::from(row.id)),
            duration_seconds: duration.seconds(),
            aspect_ratio: Text::of(summary["aspect_ratio"].as_str().unwrap_or_default()),
            scenes: summary["scenes"].as_u64().unwrap_or_default(),
            variant_of: summary["variant_of"].as_str().map(Text::of),
            language: summary["language"].as_str().map(Text::of),
            name: Text(row.name.clone()),
            revision: row.revision,
            created_at: Time(row.created_at),
            updated_at: Time(row.updated_at),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{from_value, json};

    #[test]
    fn a_cue_with_control_characters_is_answered_as_it_may_be_sent_back() {
        let stored = json!({ "source": "cues", "cues": [{ "start": 0, "end": 1, "text": "a\rb\u{1b}" }] });
        let answered = CaptionText::from(from_value::<timeline::Captions>(stored).expect("captions"));
        assert_eq!(answered.cues.expect("cues")[0].text.0, "a\nb");
    }
}
