//! How the built-in planner takes in tools' answers and refusals, and the end of jobs.

use super::film::FilmDraft;
use super::library::Item;
use super::losing::ITEM_NOT_FOUND;
use super::memory::{Memory, Phase};
use super::moments::{Pause, WordHit};
use super::reading::{found, has_ended, held, hundredths, started_reads, texts, transcribed, why_not};
use super::{End, Refused, telling};
use crate::minutes::Minutes;
use crate::project::OutputType;
use serde_json::Value;

/// The most notes that its last message has.
const MOST_NOTES: usize = 6;
/// The code of refusals of an answer that is longer than an agent takes.
const TOO_LONG: &str = "file_too_large";

impl Memory {
    /// Takes in a tool's answer. `left` is what is left of the budget's minutes; `None` without such a budget.
    pub fn hear_answer(&mut self, answer: &Value, left: Option<Minutes>) {
        match self.phase {
            Phase::Footage => {
                self.footage.extend(Item::listed(answer));
                if self.turn_page(answer, "videos") {
                    let to = if self.wishes.music { Phase::Sounds } else { self.after_look() };
                    self.go(to);
                }
            }
            Phase::Sounds => {
                self.sounds.extend(Item::listed_sounds(answer));
                if self.turn_page(answer, "sounds") {
                    let to = self.after_look();
                    self.go(to);
                }
            }
            Phase::PriceReads => {
                let what = match self.to_read.len() {
                    1 => "Reading an item of the footage".to_owned(),
                    many => format!("Reading {many} items of the footage"),
                };
                let to = self.within(&what, Minutes::from_hundredths(held(answer)), left).unwrap_or(Phase::Reads);
                self.go(to);
            }
            Phase::Reads => {
                let started = started_reads(answer);
                self.note_started(started.jobs, started.own);
                for why in started.why_not {
                    self.note(format!("Not all could be read: {why}"));
                }
                let to = if self.jobs.is_empty() { self.begin_search() } else { Phase::Reading };
                self.go(to);
            }
            Phase::Search => {
                let to = self.take_matches(found(answer, self.at));
                self.go(to);
            }
            Phase::LeaveOut => {
                let to = self.take_unwanted(&found(answer, 0));
                self.go(to);
            }
            Phase::Pauses => self.hear_pauses(None),
            Phase::Build => {
                self.timelines.extend(answer["data"]["timeline"]["id"].as_str().map(str::to_owned));
                let after = if self.output == OutputType::Timeline { self.done() } else { Phase::PriceFilms };
                self.go_on(self.films.len(), after);
            }
            Phase::PriceFilms => {
                self.price += held(answer);
                let price = Minutes::from_hundredths(self.price);
                match self.within("Rendering it", price, left) {
                    Some(over) => self.go(over),
                    None => self.go_on(self.timelines.len(), Phase::Films),
                }
            }
            Phase::Films => self.filming(answer),
            Phase::Reading | Phase::Filming | Phase::Mark | Phase::Over(_) => {}
        }
    }

    /// Takes in where nobody speaks in the item that it is at; `None` if no transcript of it is stored.
    pub fn hear_pauses(&mut self, heard: Option<Vec<Pause>>) {
        let to = self.take_pauses(heard);
        self.go(to);
    }

    /// Takes in a tool's refusal.
    pub fn hear_refusal(&mut self, refused: &Refused) {
        let is_listing = matches!(self.phase, Phase::Footage | Phase::Sounds);
        if is_listing && refused.code == TOO_LONG && !self.small_pages {
            self.small_pages = true;
            return;
        }
        let is_short = ["insufficient_minutes", "insufficient_credits"].contains(&refused.code.as_str());
        let is_gone = refused.code == ITEM_NOT_FOUND;
        let why = &refused.message;
        let what = match self.phase {
            Phase::PriceFilms | Phase::Films => "The render",
            Phase::Build => "The timeline",
            Phase::Search | Phase::LeaveOut => "The search",
            _ => "A step",
        };
        let to = match self.phase {
            Phase::PriceReads | Phase::Reads if is_short && !self.some_is_read() => {
                Phase::Over(telling::out_of_minutes(why))
            }
            Phase::PriceReads | Phase::Reads => {
                self.note(format!("The footage could not be read: {why}"));
                self.begin_search()
            }
            Phase::Films if self.has_begun_films() => self.done_without(why),
            Phase::PriceFilms | Phase::Films if is_short => Phase::Over(telling::out_of_minutes(why)),
            Phase::PriceFilms | Phase::Films | Phase::Build | Phase::Search | Phase::LeaveOut if is_gone => {
                self.look_again(what, why)
            }
            // It may be cut anywhere then. What is deleted is missed by the timeline.
            Phase::Pauses => self.cut(),
            _ => Phase::Over(telling::stuck(what, why)),
        };
        self.go(to);
    }

    /// Takes in the state of the awaited jobs. Returns whether all have ended; one that is gone counts as ended.
    pub fn hear_jobs(&mut self, answer: &Value) -> bool {
        let jobs = answer["data"]["jobs"].as_array().map(Vec::as_slice).unwrap_or_default();
        if jobs.iter().any(|job| !has_ended(job)) {
            return false;
        }
        for (own, held) in std::mem::take(&mut self.own) {
            let charged = jobs.iter().find(|job| job["id"] == *own).map(|job| hundredths(&job["cloud_minutes"]));
            self.spent += charged.unwrap_or(held) - held;
        }
        self.jobs.clear();
        // Only where no step is left: otherwise the next render would be begun.
        if self.phase == Phase::Films {
            self.note("Not all is rendered: the budget's steps are used up.".to_owned());
        }
        let to = if self.phase == Phase::Reading { self.have_read(jobs) } else { self.have_filmed(jobs) };
        self.go(to);
        true
    }

    /// Counts what its own jobs that have ended were charged, in place of what was held for them.
    pub fn settle(&mut self, charged: &dyn Fn(&str) -> Option<Minutes>) {
        for (job, held) in std::mem::take(&mut self.own) {
            match charged(&job) {
                Some(minutes) => self.spent += minutes.hundredths() - held,
                None => self.own.push((job, held)),
            }
        }
    }

    /// Whether a render was begun, or its item was there.
    fn has_begun_films(&self) -> bool {
        !self.renders.is_empty() || !self.outputs.is_empty()
    }

    /// Goes on to the end of the renders that were begun, without those that are refused: they are paid for.
    fn done_without(&mut self, why: &str) -> Phase {
        self.note(format!("Not all could be rendered: {why}"));
        if self.jobs.is_empty() { self.done() } else { Phase::Filming }
    }

    /// Takes in the ends of reads. Renders that it began before it looked again may be among the jobs.
    fn have_read(&mut self, jobs: &[Value]) -> Phase {
        let reads: Vec<&Value> = jobs.iter().filter(|job| job["kind"] != "render").collect();
        let failures: Vec<&Value> = reads.iter().copied().filter(|job| job["status"] != "succeeded").collect();
        if let Some(failure) = failures.first() {
            self.note(format!("{} of {} reads failed: {}", failures.len(), reads.len(), why_not(failure)));
        }
        let read = transcribed(jobs);
        for item in self.footage.iter_mut().filter(|item| read.contains(&item.id.as_str())) {
            item.note_read("transcript");
        }
        self.begin_search()
    }

    /// Takes in the ends of renders. One that was cancelled may have lost its footage.
    fn have_filmed(&mut self, jobs: &[Value]) -> Phase {
        let renders = std::mem::take(&mut self.renders);
        let ended = |render: &str| jobs.iter().find(|job| job["id"] == *render);
        for (render, ms) in &renders {
            let made = ended(render).and_then(|job| job["result"]["item_id"].as_str());
            self.outputs.extend(made.map(|item| (item.to_owned(), *ms)));
        }
        let mut failures = renders.iter().filter_map(|(render, _)| ended(render));
        let failure = failures.find(|job| job["status"] != "succeeded");
        match failure {
            Some(job) if self.outputs.is_empty() && job["status"] == "cancelled" => {
                self.look_again("The render", why_not(job))
            }
            _ if self.outputs.is_empty() => {
                Phase::Over(telling::stuck("The render", failure.map_or("it is gone.", why_not)))
            }
            Some(job) => {
                self.note(format!("Not all could be rendered: {}", why_not(job)));
                self.done()
            }
            None => self.done(),
        }
    }

    /// Takes in what the search for one word found, and goes on to the next word.
    fn take_matches(&mut self, found: Vec<WordHit>) -> Phase {
        self.found.extend(found);
        self.at += 1;
        if self.at < self.wishes.words.len() {
            return Phase::Search;
        }
        self.at = 0;
        self.widened_search().unwrap_or_else(|| self.begin_to_leave_out())
    }

    /// Takes in the answer to a render, and goes on to the next film.
    fn filming(&mut self, answer: &Value) {
        let data = &answer["data"];
        let ms = self.films.get(self.at).map_or(0, FilmDraft::ms);
        if let Some(job) = data["job_id"].as_str() {
            self.renders.push((job.to_owned(), ms));
            let held = held(answer);
            let own = if held > 0 { vec![(job.to_owned(), held)] } else { Vec::new() };
            self.note_started(vec![job.to_owned()], own);
        }
        self.outputs.extend(data["output_item_id"].as_str().map(|item| (item.to_owned(), ms)));
        for warning in texts(&data["warnings"]) {
            self.note(warning);
        }
        let after = if self.jobs.is_empty() { self.done() } else { Phase::Filming };
        self.go_on(self.timelines.len(), after);
    }

    /// Moves on to the next page. Returns whether there is none, or as many were listed as may.
    fn turn_page(&mut self, answer: &Value, what: &str) -> bool {
        self.cursor = answer["data"]["next_cursor"].as_str().map(str::to_owned);
        self.at += 1;
        if self.cursor.is_some() && self.at < self.most_pages() {
            return false;
        }
        if self.cursor.take().is_some() {
            self.note(format!("There are more {what} than the newest ones that were looked through."));
        }
        self.at = 0;
        true
    }

    /// Notes the jobs to wait for, and of its own the hundredths of a minute that are held for each.
    fn note_started(&mut self, jobs: Vec<String>, own: Vec<(String, i64)>) {
        let new: Vec<String> = jobs.into_iter().filter(|job| !self.jobs.contains(job)).collect();
        self.jobs.extend(new);
        self.spent += own.iter().map(|(_, held)| held).sum::<i64>();
        self.own.extend(own);
    }

    /// Goes on to the next of `many` in this phase, or to the phase `after` when there are no more.
    fn go_on(&mut self, many: usize, after: Phase) {
        self.at += 1;
        if self.at >= many {
            self.at = 0;
            self.go(after);
        }
    }

    pub(super) fn note(&mut self, note: String) {
        if self.notes.len() < MOST_NOTES && !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Notes what is told before all else, however much there is to tell.
    pub(super) fn note_first(&mut self, note: String) {
        self.notes.insert(0, note);
        self.notes.truncate(MOST_NOTES);
    }

    fn go(&mut self, to: Phase) {
        self.phase = match to {
            Phase::Over(end) => Phase::Over(self.with_reading(end)),
            phase => phase,
        };
    }

    /// Returns an end whose message also says how the brief was read, so that who wrote it sees what was misread.
    pub(super) fn with_reading(&self, mut end: End) -> End {
        end.message = format!("{} {}", end.message, self.wishes.read_as());
        end
    }

    /// Whether some footage can be searched without a new read.
    fn some_is_read(&self) -> bool {
        self.footage.iter().any(|item| item.has("transcript") || item.has("search_index"))
    }

    /// Returns the end of the run if the price exceeds what is left; `None` if it is within the budget.
    fn within(&self, what: &str, price: Minutes, left: Option<Minutes>) -> Option<Phase> {
        let left = left.filter(|left| price > *left)?;
        Some(Phase::Over(telling::over_budget(what, price, left, Minutes::from_hundredths(self.spent))))
    }
}
