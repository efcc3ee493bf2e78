//! Joins reads of one item (docs/decisions.md, "Reads are joined when they are read"): adds words and voices to each
//! moment of a search index, and the speaker to each segment of a transcript.
//!
//! Each read's rows were stored by its own job; `domain::footage` has the rule that joins them. Fields that are not
//! touched keep their text, so that what a newer worker writes comes through.

use crate::app::links::Links;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use domain::footage::{self, Moment, Passage, SpeakerTurn, milliseconds, seconds};
use domain::ids::ItemId;
use domain::link::Picture;
use domain::read::Read;
use domain::voices::Voices;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{from_slice, from_str, json};
use sqlx::PgConnection;
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use store::footage as rows;
use store::items;

/// The data of other reads to put into a read.
pub(super) enum Others {
    /// Nothing.
    None,
    /// The moments of a search index, and what is said in them.
    Footage(Footage),
    /// The turns of the speakers, for a transcript.
    Turns(Vec<SpeakerTurn>),
}

/// The rows of which a search index is put together.
pub(super) struct Footage {
    moments: Vec<Moment>,
    /// None while no transcript is stored.
    passages: Option<Vec<Passage>>,
    /// None while no speakers are stored.
    turns: Option<Vec<SpeakerTurn>>,
    now: DateTime<Utc>,
}

impl Others {
    /// Returns the rows for this read. Whether a read is stored is asked before its rows are read, so that a stored
    /// read never appears without its rows.
    pub(super) async fn find(conn: &mut PgConnection, item: ItemId, read: Read) -> sqlx::Result<Self> {
        if !matches!(read, Read::SearchIndex | Read::Transcript) {
            return Ok(Self::None);
        }
        let Some(row) = items::find(conn, item).await? else { return Ok(Self::None) };
        let stored = |read: Read| row.reads.iter().any(|name| name == read.name());
        let turns = if stored(Read::Speakers) { Some(rows::turns(conn, item).await?) } else { None };
        if read == Read::Transcript {
            return Ok(turns.map_or(Self::None, Self::Turns));
        }
        let passages = if stored(Read::Transcript) { Some(rows::passages(conn, item).await?) } else { None };
        let moments = rows::moments(conn, item).await?;
        Ok(Self::Footage(Footage { moments, passages, turns, now: row.now }))
    }

    /// Whether the document is sent unchanged.
    pub(super) fn is_none(&self) -> bool {
        match self {
            Self::None => true,
            // Stored by a worker that keeps no rows.
            Self::Footage(footage) => footage.moments.is_empty(),
            Self::Turns(_) => false,
        }
    }

    /// Returns the number of rows.
    pub(super) fn rows(&self) -> usize {
        match self {
            Self::None => 0,
            Self::Footage(Footage { moments, passages, turns, .. }) => {
                moments.len() + passages.as_ref().map_or(0, Vec::len) + turns.as_ref().map_or(0, Vec::len)
            }
            Self::Turns(turns) => turns.len(),
        }
    }

    /// Returns the read's document with the rows' data, in pieces: parts of the document are not copied.
    pub(super) fn put_into(self, document: Bytes, item: ItemId, links: &Links) -> serde_json::Result<Vec<Bytes>> {
        if self.is_none() {
            return Ok(vec![document]);
        }
        match self {
            Self::None => Ok(vec![document]),
            Self::Footage(footage) => with_field(&document, "moments", |_| footage.moments_json(item, links).map(Some)),
            Self::Turns(turns) => with_field(&document, "segments", |segments| {
                let Some(segments) = segments else { return Ok(None) };
                let mut segments: Vec<Fields> = from_str(segments)?;
                let mut voices = Voices::of(&turns);
                for segment in &mut segments {
                    segment.name_speaker(&mut voices)?;
                }
                serde_json::to_vec(&segments).map(Some)
            }),
        }
    }
}

impl Footage {
    /// Returns the moments as JSON.
    fn moments_json(&self, item: ItemId, links: &Links) -> serde_json::Result<Vec<u8>> {
        let texts = self.passages.as_ref().map(|passages| footage::texts(&self.moments, passages));
        let mut voices = self.turns.as_deref().map(Voices::of);
        let shown = self.moments.iter().enumerate().map(|(place, moment)| {
            let picture = Picture::Moment(moment.number);
            let speakers = voices.as_mut().map(|voices| voices.between(moment.start_ms, moment.end_ms));
            json!({
                "id": picture.to_string(),
                "start": seconds(moment.start_ms),
                "end": seconds(moment.end_ms),
                "thumbnail": moment.thumbnail_key.as_ref().map(|_| links.to(item, picture, self.now).0),
                "text": texts.as_ref().and_then(|texts| texts.get(place)),
                "speakers": speakers,
            })
        });
        let mut list = vec![b'['];
        for (place, moment) in shown.enumerate() {
            if place > 0 {
                list.push(b',');
            }
            serde_json::to_writer(&mut list, &moment)?;
        }
        list.push(b']');
        Ok(list)
    }
}

/// Returns the document with a field of its `data` replaced by what `value` makes of the old one, in three pieces: the
/// text before, the field, and the text after.
fn with_field(
    document: &Bytes,
    name: &str,
    value: impl FnOnce(Option<&str>) -> serde_json::Result<Option<Vec<u8>>>,
) -> serde_json::Result<Vec<Bytes>> {
    let read: Fields = from_slice(document)?;
    let Some(data) = read.get("data") else { return Ok(vec![document.clone()]) };
    let fields: Fields = from_str(data.get())?;
    let old = fields.get(name).map(RawValue::get);
    let Some(value) = value(old)? else { return Ok(vec![document.clone()]) };
    let (place, before_it) = if let Some(old) = old {
        (place_of(document, old), String::new())
    } else {
        // Inserted before the closing brace of `data`.
        let end = place_of(document, data.get()).end - 1;
        (end..end, format!("{}\"{name}\":", if fields.0.is_empty() { "" } else { "," }))
    };
    let (before, behind) = (document.slice(..place.start), document.slice(place.end..));
    Ok(vec![before, before_it.into(), value.into(), behind])
}

/// Returns the range that a part of a document takes up in it.
fn place_of(document: &Bytes, part: &str) -> Range<usize> {
    let start = part.as_ptr().addr() - document.as_ptr().addr();
    start..start + part.len()
}

/// An object's fields in order, each with its original text.
struct Fields<'a>(Vec<(Cow<'a, str>, Cow<'a, RawValue>)>);

impl<'a> Fields<'a> {
    fn get(&self, name: &str) -> Option<&RawValue> {
        self.0.iter().find(|(own, _)| own == name).map(|(_, value)| &**value)
    }

    fn set(&mut self, name: &'a str, value: Box<RawValue>) {
        match self.0.iter_mut().find(|(own, _)| own == name) {
            Some((_, own)) => *own = Cow::Owned(value),
            None => self.0.push((Cow::Borrowed(name), Cow::Owned(value))),
        }
    }

    /// Adds the speaker who speaks most of a segment.
    fn name_speaker(&mut self, voices: &mut Voices) -> serde_json::Result<()> {
        let at = |name: &str| self.get(name).and_then(|value| from_str(value.get()).ok()).map(milliseconds);
        let (Some(start_ms), Some(end_ms)) = (at("start"), at("end")) else { return Ok(()) };
        if let Some(speaker) = voices.longest_between(start_ms, end_ms) {
            self.set("speaker", to_raw_value(speaker)?);
        }
        Ok(())
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields<'de>, A::Error> {
                let mut fields = Vec::with_capacity(map.size_hint().unwrap_or(0));
                while let Some((name, value)) = map.next_entry::<String, &'de RawValue>()? {
                    fields.push((Cow::Owned(name), Cow::Borrowed(value)));
                }
                Ok(Fields(fields))
            }
        }

        deserializer.deserialize_map(Object)
    }
}

impl Serialize for Fields<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::link::LinkKeys;

    fn put(others: Others, document: &str) -> String {
        let links = Links::new(LinkKeys::derived(["secret"]), "https://example.com", 7_200);
        let document = Bytes::copy_from_slice(document.as_bytes());
        let put = others.put_into(document, ItemId::mint(), &links).expect("JSON");
        String::from_utf8(put.concat()).expect("text")
    }

    fn turn(start_ms: i32, end_ms: i32, speaker: &str) -> SpeakerTurn {
        SpeakerTurn { start_ms, end_ms, speaker: speaker.to_owned() }
    }

    #[test]
    fn a_segment_says_who_speaks_and_all_else_stays_as_it_was() {
        let turns = Others::Turns(vec![turn(0, 1_000, "A"), turn(1_000, 5_000, "B")]);
        let document = r#"{"schema":1,"data":{"text":"1.0e1","segments":[{"id":"s1","start":0.5,"end":3,"new":1.50},{"id":"s2","start":9,"end":9.5}],"words":[1.250]},"later":null}"#;
        let expected = document.replace(r#""new":1.50"#, r#""new":1.50,"speaker":"B""#);
        assert_eq!(put(turns, document), expected);
        assert_eq!(put(Others::Turns(Vec::new()), r#"{"data":{}}"#), r#"{"data":{}}"#);
    }

    #[test]
    fn a_moment_has_null_for_what_is_not_read_yet_and_an_empty_text_where_nothing_is_said() {
        let moment = |number, start_ms, end_ms| Moment { number, start_ms, end_ms, thumbnail_key: None };
        let footage = |passages: Option<Vec<Passage>>, turns| {
            let moments = vec![moment(1, 0, 2_000), moment(2, 2_000, 4_500)];
            Others::Footage(Footage { moments, passages, turns, now: DateTime::UNIX_EPOCH })
        };
        let bare = put(footage(None, None), r#"{"data":{}}"#);
        let first = r#"{"id":"m1","start":0.0,"end":2.0,"thumbnail":null,"text":null,"speakers":null}"#;
        assert!(bare.starts_with(&format!(r#"{{"data":{{"moments":[{first},"#)), "{bare}");
        let among = put(footage(None, None), r#"{"data":{"a":1,"moments":[0],"b":2},"c":3}"#);
        assert!(among.starts_with(&format!(r#"{{"data":{{"a":1,"moments":[{first},"#)), "{among}");
        assert!(among.ends_with(r#"],"b":2},"c":3}"#), "{among}");
        let behind = put(footage(None, None), r#"{"data":{"a":1} ,"c":3}"#);
        assert!(behind.starts_with(&format!(r#"{{"data":{{"a":1,"moments":[{first},"#)), "{behind}");
        assert!(behind.ends_with(r#"]} ,"c":3}"#), "{behind}");
        let passage = Passage { text: "hello".to_owned(), own_words: 1, times: vec![(500, 900)] };
        let whole = put(footage(Some(vec![passage]), Some(vec![turn(500, 900, "A")])), r#"{"data":{}}"#);
        assert!(whole.contains(r#""text":"hello","speakers":["A"]}"#), "{whole}");
        assert!(whole.contains(r#""end":4.5,"thumbnail":null,"text":"","speakers":[]}"#), "{whole}");
    }
}
