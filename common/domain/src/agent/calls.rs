//! What the built-in planner asks tools for: the arguments of its calls.

use super::film::FilmDraft;
use super::leaving_out::MOST_PLACES;
use super::memory::{MOST_PAGES, Memory};
use super::words::other_number;
use serde_json::{Value, json};

/// The most places that are asked for per word.
const MOST_MATCHES: usize = 20;
/// Items on a page of the library.
const PAGE: usize = 100;
/// Items on a page after one whose answer was too long.
const SMALL_PAGE: usize = 10;

impl Memory {
    /// Returns the arguments that list the next page of the library's items of this type.
    pub(super) fn page(&self, kind: &str) -> Value {
        let mut call =
            json!({ "type": kind, "status": "ready", "limit": if self.small_pages { SMALL_PAGE } else { PAGE } });
        if let Some(cursor) = &self.cursor {
            call["cursor"] = cursor.as_str().into();
        }
        call
    }

    /// Returns how many pages it lists at most: as many items, whatever a page holds.
    pub(super) const fn most_pages(&self) -> usize {
        if self.small_pages { MOST_PAGES * PAGE / SMALL_PAGE } else { MOST_PAGES }
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

#[cfg(test)]
mod tests {
    use super::super::wishes::Wishes;
    use super::super::{Move, Refused};
    use super::*;
    use crate::project::OutputType;

    #[test]
    fn a_page_that_is_too_long_is_asked_for_again_with_fewer_items() {
        let mut memory = Memory::new("prj_1".to_owned(), Wishes::of("the river"), OutputType::Assembled);
        let too_long = Refused { code: "file_too_large".to_owned(), message: "It is so.".to_owned() };
        memory.hear_answer(&json!({ "data": { "items": [], "next_cursor": "c1" } }), None);
        memory.hear_refusal(&too_long);
        let Move::Call { tool, arguments } = memory.next(100) else { panic!("it goes on") };
        assert_eq!(tool, "list_items");
        assert_eq!(arguments, json!({ "type": "video", "status": "ready", "limit": 10, "cursor": "c1" }));
        for _ in 1..100 {
            assert!(matches!(memory.next(100), Move::Call { tool, .. } if tool == "list_items"));
            memory.hear_answer(&json!({ "data": { "items": [], "next_cursor": "more" } }), None);
        }
        assert!(memory.cursor.is_none(), "as many items are listed as without it");
        let mut memory = Memory::new("prj_1".to_owned(), Wishes::of("the river"), OutputType::Assembled);
        memory.hear_refusal(&too_long);
        memory.hear_refusal(&too_long);
        assert!(matches!(memory.next(100), Move::Stop(_)), "not again and again");
    }
}
