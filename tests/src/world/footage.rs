//! Footage of tests: what is said, shown and by whom in an item, as readers would find it out.

use super::{Tenant, World, runners};
use bytes::Bytes;
use domain::ids::ItemId;
use domain::read::Read;
use serde_json::{Value, json};
use std::collections::HashMap;
use worker::readers::OutputFile;
use worker::{Engines, ReadRequest};

/// Seconds from one word to the next.
pub const STEP: f64 = 0.4;

/// What readers will find in one item.
#[derive(Debug, Clone, Default)]
pub struct Script {
    /// Its words, one every [`STEP`] from the start.
    pub words: String,
    /// Where its picture changes, in seconds.
    pub cuts: Vec<f64>,
    /// What is written in its pictures from when to when.
    pub written: Vec<(f64, f64, &'static str)>,
    /// Who speaks from when to when.
    pub turns: Vec<(f64, f64, &'static str)>,
}

impl Script {
    /// These words in one shot.
    pub fn saying(words: &str) -> Self {
        Self { words: words.to_owned(), ..Self::default() }
    }

    fn data(&self, read: Read, files: &str) -> Value {
        let number = |place: usize| f64::from(u32::try_from(place).unwrap_or(u32::MAX));
        let words = self.words.split_whitespace().enumerate();
        let words = words.map(|(place, word)| {
            let start = number(place) * STEP;
            json!({ "word": word, "start": start, "end": start + STEP / 2.0, "confidence": 0.5 })
        });
        match read {
            Read::Transcript => {
                let words: Vec<Value> = words.collect();
                let segments: Vec<Value> = words
                    .chunks(4)
                    .enumerate()
                    .map(|(place, four)| {
                        let (first, last) = (&four[0], &four[four.len() - 1]);
                        json!({ "id": format!("s{}", place + 1), "start": first["start"], "end": last["end"], "text": "" })
                    })
                    .collect();
                json!({ "language": "en", "text": self.words, "segments": segments, "words": words })
            }
            Read::SearchIndex => {
                let end = [self.cuts.last().copied().unwrap_or(0.0) + 60.0];
                let starts: Vec<f64> = std::iter::once(0.0).chain(self.cuts.iter().copied()).collect();
                let ends = starts.iter().skip(1).copied().chain(end);
                let moments = starts.iter().zip(ends).enumerate().map(|(place, (start, end))| {
                    let id = format!("m{}", place + 1);
                    json!({ "thumbnail": format!("{files}/{id}.jpg"), "id": id, "start": start, "end": end })
                });
                let written = self.written.iter().map(|(start, end, words)| {
                    let words = words.split_whitespace().map(|word| json!({ "text": word, "confidence": 0.9 }));
                    json!({ "moment": "m1", "start": start, "end": end, "words": words.collect::<Vec<_>>() })
                });
                json!({ "moments": moments.collect::<Vec<_>>(), "written": written.collect::<Vec<_>>() })
            }
            Read::Speakers => {
                let segments = self.turns.iter();
                let segments =
                    segments.map(|(start, end, speaker)| json!({ "start": start, "end": end, "speaker": speaker }));
                json!({ "speakers": [], "segments": segments.collect::<Vec<_>>() })
            }
            Read::Speech => json!({ "segments": [], "speech_ratio": 0.0 }),
            Read::Beats | Read::Levels => json!({}),
        }
    }
}

/// A runner that finds what these scripts say. Stills are the name of their moment, after what makes a JPEG one.
pub fn performing(scripts: Vec<(ItemId, Script)>) -> Engines {
    let by_key: HashMap<String, Script> =
        scripts.into_iter().map(|(item, script)| (format!("items/{item}/"), script)).collect();
    runners::runner(move |reading: ReadRequest, ctx| {
        let script = by_key.iter().find(|(prefix, _)| reading.media.object_key.starts_with(*prefix));
        let script = script.map(|(_, script)| script.clone()).unwrap_or_default();
        async move {
            let mut outcome = runners::outcome(&reading);
            outcome.stored.data = script.data(reading.read, &ctx.files_prefix);
            if reading.read == Read::SearchIndex {
                let names = (1..=script.cuts.len() + 1).map(|number| format!("m{number}"));
                outcome.files = names
                    .map(|name| OutputFile {
                        key: format!("{}/{name}.jpg", ctx.files_prefix),
                        bytes: Bytes::from([b"\xff\xd8", name.as_bytes()].concat()),
                    })
                    .collect();
            }
            Ok(outcome)
        }
    })
}

impl World {
    /// Videos with these scripts, on which both a search index and a transcript are stored, in their order.
    pub async fn footage(&self, tenant: &Tenant, scripts: Vec<Script>) -> anyhow::Result<Vec<ItemId>> {
        let items = self.items(tenant, scripts.len(), super::Media::video(60)).await?;
        let worker = self.worker(performing(items.iter().copied().zip(scripts).collect())).await?;
        for chunk in items.chunks(20) {
            let jobs = tenant.client.prepare(chunk, &["search_index", "transcript"]).await?.job_ids()?;
            tenant.client.ended(&jobs).await?;
        }
        worker.stop().await?;
        Ok(items)
    }
}
