//! The built-in planner's memory of its work, and its next move. `calls` has the arguments of its calls, `hearing`
//! takes in answers, `cutting` decides about the footage.
//!
//! All of it is in [`Memory`], which is stored after each step: whoever takes over the work makes the same next move.

use super::film::FilmDraft;
use super::library::Item;
use super::moments::{Pause, Stretch, WordHit};
use super::wishes::Wishes;
use super::{End, Move, telling};
use crate::project::{OutputType, ProjectStatus};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The most pages of a hundred items that are listed, of videos and of sounds each.
pub(super) const MOST_PAGES: usize = 10;

/// The phase of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// It lists the videos.
    Footage,
    /// It lists the sounds.
    Sounds,
    /// It asks for the price of reading the footage.
    PriceReads,
    /// It starts the reads.
    Reads,
    /// It waits for the reads.
    Reading,
    /// It searches for each word.
    Search,
    /// It searches for what is to be left out.
    LeaveOut,
    /// It looks up what is said in each item that it shows.
    Pauses,
    /// It makes the timelines.
    Build,
    /// It asks for the price of rendering them.
    PriceFilms,
    /// It starts the renders.
    Films,
    /// It waits for the renders.
    Filming,
    /// A phase that only earlier releases stored, to tag their outputs; it ends the run.
    Mark,
    /// The run has ended.
    Over(End),
}

/// A step that did not succeed, perhaps since an item is deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Loss {
    /// What was refused.
    pub(super) what: String,
    /// Why.
    pub(super) why: String,
    /// The ids of the items that were in use, with their names.
    pub(super) used: Vec<(String, String)>,
}

/// The built-in planner's memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// The project's id.
    pub project: String,
    /// The wishes of the brief and of later messages.
    pub wishes: Wishes,
    /// The type of the result.
    pub output: OutputType,
    /// The phase that the run is in.
    pub phase: Phase,
    /// The number of steps done in this run.
    pub number: u32,
    /// The number of steps in all of the project's runs.
    pub steps: u32,
    /// The steps that the budget allows, as it last heard; the usual number if the budget does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) most_steps: Option<u32>,
    /// Cloud minutes of all of the project's runs that were charged or are held, in hundredths.
    pub spent: i64,
    /// AI credits that another planner has spent before, in hundredths: this one spends none.
    #[serde(default)]
    pub credits: i64,
    /// The index of the page, word, search, item or film that it is working on.
    pub(super) at: usize,
    /// The cursor of the library's next page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) cursor: Option<String>,
    /// Whether it lists fewer items at a time, since an answer was too long.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) small_pages: bool,
    pub(super) footage: Vec<Item>,
    pub(super) sounds: Vec<Item>,
    /// The ids of the items that are searched; all footage if empty.
    pub(super) among: Vec<String>,
    pub(super) to_read: Vec<String>,
    /// Whether all footage is searched, because the footage that the brief names holds none of the words.
    pub(super) widened: bool,
    pub(super) price: i64,
    pub(super) jobs: Vec<String>,
    pub(super) own: Vec<(String, i64)>,
    pub(super) found: Vec<WordHit>,
    /// The names of items that are left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) left_out: Vec<String>,
    /// Searches that only the release before stored; they are begun anew.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) unwanted: Vec<Value>,
    /// The number of searches for what is to be left out that were made.
    #[serde(default)]
    pub(super) searches: u32,
    /// How many items are still to be searched each by itself, since one search for all did not answer all places.
    #[serde(default)]
    pub(super) alone: usize,
    /// The words that are to be left out and were found, or are names of items.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) met: Vec<String>,
    /// The stretches that are left out, by item.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) apart: BTreeMap<String, Vec<Stretch>>,
    /// The pauses near the moments, by item, until a film is planned of them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) pauses: BTreeMap<String, Vec<Pause>>,
    pub(super) films: Vec<FilmDraft>,
    pub(super) timelines: Vec<String>,
    /// The job that renders each film, and the film's length in milliseconds.
    pub(super) renders: Vec<(String, i64)>,
    /// The ids of the rendered items, with their lengths in milliseconds.
    pub(super) outputs: Vec<(String, i64)>,
    pub(super) notes: Vec<String>,
    /// A step that failed perhaps since an item is deleted, until the library is listed again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) loss: Option<Loss>,
    /// The names of items that were deleted while they were in use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) gone: Vec<String>,
    /// Whether a film of this run was already being rendered when it began anew.
    #[serde(default)]
    pub(super) is_rendering: bool,
}

impl Memory {
    /// Returns the memory of a project whose work begins.
    pub fn new(project: String, wishes: Wishes, output: OutputType) -> Self {
        Self {
            project,
            wishes,
            output,
            phase: Phase::Footage,
            number: 0,
            steps: 0,
            most_steps: None,
            spent: 0,
            credits: 0,
            at: 0,
            cursor: None,
            small_pages: false,
            footage: Vec::new(),
            sounds: Vec::new(),
            among: Vec::new(),
            to_read: Vec::new(),
            widened: false,
            price: 0,
            jobs: Vec::new(),
            own: Vec::new(),
            found: Vec::new(),
            left_out: Vec::new(),
            unwanted: Vec::new(),
            searches: 0,
            alone: 0,
            met: Vec::new(),
            apart: BTreeMap::new(),
            pauses: BTreeMap::new(),
            films: Vec::new(),
            timelines: Vec::new(),
            renders: Vec::new(),
            outputs: Vec::new(),
            notes: Vec::new(),
            loss: None,
            gone: Vec::new(),
            is_rendering: false,
        }
    }

    /// Returns the memory for the next run, after the user said something.
    #[must_use]
    pub fn again(self, said: &str) -> Self {
        let mut wishes = self.wishes;
        wishes.hear(said);
        Self {
            steps: self.steps,
            spent: self.spent,
            credits: self.credits,
            ..Self::new(self.project, wishes, self.output)
        }
    }

    /// Returns the project's status in this phase.
    pub const fn status(&self) -> ProjectStatus {
        match &self.phase {
            Phase::Over(end) => end.status,
            _ if self.is_rendering => ProjectStatus::Rendering,
            Phase::Reading => ProjectStatus::Generating,
            Phase::Films | Phase::Filming | Phase::Mark => ProjectStatus::Rendering,
            Phase::Footage
            | Phase::Sounds
            | Phase::PriceReads
            | Phase::Reads
            | Phase::Search
            | Phase::LeaveOut
            | Phase::Pauses
            | Phase::Build
            | Phase::PriceFilms => ProjectStatus::Running,
        }
    }

    /// Returns the agent's next move, with `steps_left` steps left in the budget.
    pub fn next(&self, steps_left: u32) -> Move {
        if let Phase::Over(end) = &self.phase {
            return Move::Stop(end.clone());
        }
        if self.phase == Phase::Mark
            && let Phase::Over(end) = self.done()
        {
            return Move::Stop(self.with_reading(end));
        }
        // Jobs that were started are waited for, even without steps.
        let waits = matches!(self.phase, Phase::Reading | Phase::Filming);
        if steps_left == 0 && self.phase == Phase::Films && !self.jobs.is_empty() {
            return Move::Wait { jobs: self.jobs.clone() };
        }
        if steps_left == 0 && !waits {
            return Move::Stop(self.with_reading(telling::out_of_steps(self.steps)));
        }
        let call = |tool, arguments| Move::Call { tool: Cow::Borrowed(tool), arguments };
        match self.phase {
            Phase::Footage => call("list_items", self.page("video")),
            Phase::Sounds => call("list_items", self.page("audio")),
            Phase::PriceReads => call("prepare_media", self.reads(Some(true))),
            Phase::Reads => call("prepare_media", self.reads(None)),
            Phase::Search => call("search_footage", self.search()),
            Phase::LeaveOut => call("search_footage", self.unwanted()),
            Phase::Pauses => call("transcribe_media", self.words()),
            Phase::Build => call("create_timeline", self.timeline()),
            Phase::PriceFilms => call("render_timeline", self.render(Some(true))),
            Phase::Films => call("render_timeline", self.render(None)),
            Phase::Reading | Phase::Filming => Move::Wait { jobs: self.jobs.clone() },
            Phase::Mark | Phase::Over(_) => unreachable!("it was looked at before"),
        }
    }

    /// Returns the ids of the timelines that it made.
    pub fn timelines(&self) -> &[String] {
        &self.timelines
    }

    /// Returns the ids of the rendered items, with their lengths in milliseconds.
    pub fn outputs(&self) -> &[(String, i64)] {
        &self.outputs
    }

    /// Returns the ids of jobs that it started and waits for. Jobs of others that it joined are left out.
    pub fn own_jobs(&self) -> impl Iterator<Item = &str> {
        self.own.iter().map(|(job, _)| job.as_str())
    }

    /// Returns the planned films as a project shows them; `None` before a timeline is made.
    pub fn shown(&self) -> Option<Value> {
        if self.timelines.is_empty() {
            return None;
        }
        match self.films.as_slice() {
            [] => None,
            [film] => Some(film.shown()),
            films => {
                let moments = films.iter().flat_map(|film| film.moments.iter().cloned()).collect();
                let all = FilmDraft { moments, music: None, ..films[0].clone() };
                Some(all.shown())
            }
        }
    }

    /// Ends in this way, and forgets what is not needed any more.
    pub fn end(&mut self, end: End) {
        self.phase = Phase::Over(end);
        self.footage = Vec::new();
        self.sounds = Vec::new();
        self.found = Vec::new();
        self.unwanted = Vec::new();
        self.apart = BTreeMap::new();
        self.pauses = BTreeMap::new();
        self.to_read = Vec::new();
        self.among = Vec::new();
    }
}
