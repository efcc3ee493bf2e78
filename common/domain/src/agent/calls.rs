//! What the built-in planner asks tools for: the arguments of its calls.

use super::film::FilmDraft;
use super::leaving_out::MOST_PLACES;
use super::memory::Memory;
use super::words::other_number;
use serde_json::{Value, json};

/// The most places that are asked for per word.
const MOST_MATCHES: usize = 20;
/// Items on a page of the library.
const PAGE: usize = 100;

impl Memory {
    /// Returns the arguments that list the next page of the library's items of this type.
    pub(super) fn page(&self, kind: &str) -> Value {
        let mut call = json!({ "type": kind, "status": "ready", "limit": PAGE });
        if let Some(cursor) = &self.cursor {
            call["cursor"] = cursor.as_str().into();
        }
        call
    }

    /// Returns the arguments that start the reads of the footage.
    pub(super) fn reads(&self, dry_run: Option<bool>) -> Value {
        let context = format!("For the project {}.", self.project);
        let mut call = json!({ "refs": self.to_read, "reads": self.wanted(), "context": context });
        if let Some(dry_run) = dry_run {
            call["dry_run"] = dry_run.into();
        }
        call
    }

    /// Returns the arguments that search for the word that it is at.
    pub(super) fn search(&self) -> Value {
        let word = self.wishes.words.get(self.at).cloned().unwrap_or_default();
        let mut call = json!({ "query": word, "limit": MOST_MATCHES });
        if !self.widened && !self.among.is_empty() {
            call["refs"] = json!(self.among);
        }
        call
    }

    /// Returns the arguments that search for what is to be left out. In quotes, nothing that is only alike is found;
    /// and `fishermen` does not find `fisherman`, so both are asked for.
    pub(super) fn unwanted(&self) -> Value {
        let (word, items) = self.unwanted_search();
        let other = other_number(&word).map(|other| format!(" or \"{other}\"")).unwrap_or_default();
        json!({ "query": format!("\"{word}\"{other}"), "refs": items, "limit": MOST_PLACES })
    }

    /// Returns the arguments that look up what is said in the item that it is at, as the log shows them. They start no
    /// read, whatever became of the transcript meanwhile. In place of this call [`Memory::listening`] is looked up.
    pub(super) fn words(&self) -> Value {
        json!({ "ref": self.voices().get(self.at), "dry_run": true })
    }

    /// Returns the arguments that make the timeline of the film that it is at.
    pub(super) fn timeline(&self) -> Value {
        let film = self.films.get(self.at);
        json!({
            "name": film.map(|film| film.name.clone()).unwrap_or_default(),
            "ops": film.map(FilmDraft::ops).unwrap_or_default(),
        })
    }

    /// Returns the arguments that render the timeline that it is at.
    pub(super) fn render(&self, dry_run: Option<bool>) -> Value {
        let timeline = self.timelines.get(self.at).cloned().unwrap_or_default();
        let mut call = json!({ "timeline_id": timeline, "format": "mp4" });
        if let Some(dry_run) = dry_run {
            call["dry_run"] = dry_run.into();
        }
        call
    }
}
