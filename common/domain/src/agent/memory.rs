//! The agent: what it remembers of its work, and what it does next. What it makes of an answer is `hearing`, what it
//! decides of the footage `cutting`.
//!
//! All of it is in [`Memory`], which is kept after each step: whoever takes the work up later does the same next.

use super::film::Film;
use super::library::Item;
use super::moments::Found;
use super::wishes::Wishes;
use super::{End, Move, telling};
use crate::project::{OutputType, ProjectStatus};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::borrow::Cow;

/// Places that are asked for of one word.
const MOST_MATCHES: usize = 20;
/// Items of a page of the library.
const PAGE: usize = 100;
/// Pages that are looked at, of videos and of sounds.
pub(super) const MOST_PAGES: usize = 10;

/// How far it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// It looks which videos there are.
    Footage,
    /// And which sounds.
    Sounds,
    /// It asks what reading them costs.
    PriceReads,
    /// It has them read.
    Reads,
    /// It waits for that.
    Reading,
    /// It looks for each word.
    Search,
    /// It makes timelines.
    Build,
    /// It asks what rendering them costs.
    PriceFilms,
    /// It has them rendered.
    Films,
    /// It waits for that.
    Filming,
    /// What was made is tagged: a step of releases before, which ends the run.
    Mark,
    /// It has ended.
    Over(End),
}

/// What the agent remembers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// The project.
    pub project: String,
    /// What is wanted.
    pub wishes: Wishes,
    /// What is to come out.
    pub output: OutputType,
    /// How far it is.
    pub phase: Phase,
    /// Steps of this run that are done.
    pub number: u32,
    /// Steps of all of the project's runs.
    pub steps: u32,
    /// Minutes of all of the project's runs, in hundredths: what was charged, or is held.
    pub spent: i64,
    /// AI credits that another planner took before this one, likewise: this one takes none.
    #[serde(default)]
    pub credits: i64,
    /// The place of the page, word or film that it is at.
    pub(super) at: usize,
    /// Where the next page of the library begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) cursor: Option<String>,
    pub(super) footage: Vec<Item>,
    pub(super) sounds: Vec<Item>,
    /// The footage that is looked through, by its ids; all of it when there is none.
    pub(super) among: Vec<String>,
    pub(super) to_read: Vec<String>,
    /// Whether all of the footage is looked through, since what the brief names holds nothing.
    pub(super) widened: bool,
    pub(super) price: i64,
    pub(super) jobs: Vec<String>,
    pub(super) own: Vec<(String, i64)>,
    pub(super) found: Vec<Found>,
    pub(super) films: Vec<Film>,
    pub(super) timelines: Vec<String>,
    /// The job that renders each film, and how long that is.
    pub(super) renders: Vec<(String, i64)>,
    /// The items that were made, and how long each is.
    pub(super) outputs: Vec<(String, i64)>,
    pub(super) notes: Vec<String>,
}

impl Memory {
    /// That of a project whose work begins.
    pub fn new(project: String, wishes: Wishes, output: OutputType) -> Self {
        Self {
            project,
            wishes,
            output,
            phase: Phase::Footage,
            number: 0,
            steps: 0,
            spent: 0,
            credits: 0,
            at: 0,
            cursor: None,
            footage: Vec::new(),
            sounds: Vec::new(),
            among: Vec::new(),
            to_read: Vec::new(),
            widened: false,
            price: 0,
            jobs: Vec::new(),
            own: Vec::new(),
            found: Vec::new(),
            films: Vec::new(),
            timelines: Vec::new(),
            renders: Vec::new(),
            outputs: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// That of the next run, after something was said.
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

    /// What the project is, as far as it is.
    pub const fn status(&self) -> ProjectStatus {
        match &self.phase {
            Phase::Reading => ProjectStatus::Generating,
            Phase::Films | Phase::Filming | Phase::Mark => ProjectStatus::Rendering,
            Phase::Over(end) => end.status,
            Phase::Footage
            | Phase::Sounds
            | Phase::PriceReads
            | Phase::Reads
            | Phase::Search
            | Phase::Build
            | Phase::PriceFilms => ProjectStatus::Running,
        }
    }

    /// What it does next, with so many steps left.
    pub fn next(&self, steps_left: u32) -> Move {
        if let Phase::Over(end) = &self.phase {
            return Move::Stop(end.clone());
        }
        if self.phase == Phase::Mark
            && let Phase::Over(end) = self.done()
        {
            return Move::Stop(end);
        }
        // What is begun is waited for.
        let waits = matches!(self.phase, Phase::Reading | Phase::Filming);
        if steps_left == 0 && !waits {
            return Move::Stop(telling::out_of_steps(self.steps));
        }
        let call = |tool, arguments| Move::Call { tool: Cow::Borrowed(tool), arguments };
        match self.phase {
            Phase::Footage => call("list_items", self.page("video")),
            Phase::Sounds => call("list_items", self.page("audio")),
            Phase::PriceReads => call("prepare_media", self.reads(Some(true))),
            Phase::Reads => call("prepare_media", self.reads(None)),
            Phase::Search => call("search_footage", self.search()),
            Phase::Build => call("create_timeline", self.timeline()),
            Phase::PriceFilms => call("render_timeline", self.render(Some(true))),
            Phase::Films => call("render_timeline", self.render(None)),
            Phase::Reading | Phase::Filming => Move::Wait { jobs: self.jobs.clone() },
            Phase::Mark | Phase::Over(_) => unreachable!("it was looked at before"),
        }
    }

    /// The timelines that it made.
    pub fn timelines(&self) -> &[String] {
        &self.timelines
    }

    /// The items that were made, with how long each is in milliseconds.
    pub fn outputs(&self) -> &[(String, i64)] {
        &self.outputs
    }

    /// The jobs that it has started and waits for; those of others that it joined are theirs.
    pub fn own_jobs(&self) -> impl Iterator<Item = &str> {
        self.own.iter().map(|(job, _)| job.as_str())
    }

    /// How a project shows what is put together.
    pub fn shown(&self) -> Option<Value> {
        if self.timelines.is_empty() {
            return None;
        }
        match self.films.as_slice() {
            [] => None,
            [film] => Some(film.shown()),
            films => {
                let moments = films.iter().flat_map(|film| film.moments.iter().cloned()).collect();
                let all = Film { moments, music: None, ..films[0].clone() };
                Some(all.shown())
            }
        }
    }

    /// Ends in this way. What is not needed any more is forgotten.
    pub fn end(&mut self, end: End) {
        self.phase = Phase::Over(end);
        self.footage = Vec::new();
        self.sounds = Vec::new();
        self.found = Vec::new();
        self.to_read = Vec::new();
        self.among = Vec::new();
    }

    fn page(&self, kind: &str) -> Value {
        let mut call = json!({ "type": kind, "status": "ready", "limit": PAGE });
        if let Some(cursor) = &self.cursor {
            call["cursor"] = cursor.as_str().into();
        }
        call
    }

    fn reads(&self, dry_run: Option<bool>) -> Value {
        let context = format!("For the project {}.", self.project);
        let mut call = json!({ "refs": self.to_read, "reads": self.wanted(), "context": context });
        if let Some(dry_run) = dry_run {
            call["dry_run"] = dry_run.into();
        }
        call
    }

    fn search(&self) -> Value {
        let word = self.wishes.words.get(self.at).cloned().unwrap_or_default();
        let mut call = json!({ "query": word, "limit": MOST_MATCHES });
        if !self.widened && !self.among.is_empty() {
            call["refs"] = json!(self.among);
        }
        call
    }

    fn timeline(&self) -> Value {
        let film = self.films.get(self.at);
        json!({
            "name": film.map(|film| film.name.clone()).unwrap_or_default(),
            "ops": film.map(Film::ops).unwrap_or_default(),
        })
    }

    fn render(&self, dry_run: Option<bool>) -> Value {
        let timeline = self.timelines.get(self.at).cloned().unwrap_or_default();
        let mut call = json!({ "timeline_id": timeline, "format": "mp4" });
        if let Some(dry_run) = dry_run {
            call["dry_run"] = dry_run.into();
        }
        call
    }
}
