//! Follows jobs until they end: a bar for each job on a terminal, a line for each change elsewhere, an object on each
//! line with `--json`.
//!
//! Bars never outgrow the window: a last line counts those that don't fit. Ctrl-C ends only the watching.

use super::{Out, event, plain};
use crate::client::{Client, Retries};
use crate::failure::Failure;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Seconds that a poll waits for an end: with bars that move, and without.
const WAIT_BARS_SECONDS: u64 = 0;
const WAIT_LINES_SECONDS: u64 = 5;
const BETWEEN_POLLS: Duration = Duration::from_millis(250);
/// How often a line is printed where nothing else is.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// Jobs that one call of `get_jobs` may name.
const MOST_A_CALL: usize = 200;
/// Lines of the window that bars leave free.
const LEFT_ALONE: usize = 4;

/// The jobs at their ends, in the order asked for.
#[derive(Debug)]
pub struct Followed {
    /// The jobs.
    pub jobs: Vec<Value>,
}

impl Followed {
    /// How many jobs ended in this state.
    pub fn count(&self, status: &str) -> usize {
        self.jobs.iter().filter(|job| job["status"] == status).count()
    }
}

/// Follows the jobs until all have ended.
pub async fn follow(client: &Client, out: &Out, ids: &[String]) -> Result<Followed, Failure> {
    let mut show = Show::new(out, ids.len());
    let followed = tokio::select! {
        followed = poll(client, out, ids, &mut show) => followed,
        _ = tokio::signal::ctrl_c() => {
            let said = "Stopped watching; the jobs go on. `mws jobs cancel ID…` stops them.".to_owned();
            Err(Failure::Interrupted(said))
        }
    };
    show.clear();
    followed
}

async fn poll(client: &Client, out: &Out, ids: &[String], show: &mut Show<'_>) -> Result<Followed, Failure> {
    let mut jobs: BTreeMap<String, Value> = BTreeMap::new();
    let mut retries = Retries::default();
    let wait_seconds = if out.bars { WAIT_BARS_SECONDS } else { WAIT_LINES_SECONDS };
    loop {
        let live: Vec<&String> = ids.iter().filter(|id| !jobs.get(*id).is_some_and(is_final)).collect();
        if live.is_empty() {
            let in_order = ids.iter().filter_map(|id| jobs.remove(id)).collect();
            return Ok(Followed { jobs: in_order });
        }
        let asked: Vec<&&String> = live.iter().take(MOST_A_CALL).collect();
        let looked = client.tool("get_jobs", &json!({ "job_ids": asked, "wait_seconds": wait_seconds })).await;
        let found = match looked {
            Ok(found) => found,
            Err(failure) => {
                retries.wait(failure, out, &watch_again(ids)).await?;
                continue;
            }
        };
        retries = Retries::default();
        if let Some(missing) = found["missing"].as_array().and_then(|missing| missing.first()) {
            return Err(Failure::Work(format!("there is no job {missing} in this workspace")));
        }
        for job in found["jobs"].as_array().into_iter().flatten() {
            let id = job["id"].as_str().unwrap_or_default().to_owned();
            let changed = jobs.get(&id).is_none_or(|before| before["status"] != job["status"]);
            if changed {
                show.show_change(job)?;
            }
            jobs.insert(id, job.clone());
        }
        show.tick(ids, &jobs);
        tokio::time::sleep(BETWEEN_POLLS).await;
    }
}

/// The next step where the service no longer answers: the jobs don't need who watches them.
fn watch_again(ids: &[String]) -> String {
    // More would not fit into a line or two.
    if ids.len() > 5 {
        return "`mws jobs list` shows how they stand; the jobs go on.".to_owned();
    }
    format!("`mws jobs watch {}` watches again; the jobs go on.", ids.join(" "))
}

/// Whether a job has ended.
fn is_final(job: &Value) -> bool {
    matches!(job["status"].as_str(), Some("succeeded" | "failed" | "cancelled"))
}

/// The display while jobs are followed.
struct Show<'a> {
    out: &'a Out,
    all: MultiProgress,
    bars: Vec<ProgressBar>,
    more: Option<ProgressBar>,
    spoke: Instant,
}

impl<'a> Show<'a> {
    fn new(out: &'a Out, jobs: usize) -> Self {
        let all = MultiProgress::with_draw_target(ProgressDrawTarget::stderr());
        let mut show = Self { out, all, bars: Vec::new(), more: None, spoke: Instant::now() };
        if !out.bars {
            return show;
        }
        let height = usize::from(console::Term::stderr().size().0);
        let fitting = height.saturating_sub(LEFT_ALONE).max(1);
        let style = ProgressStyle::with_template("{prefix:14} {bar:24} {percent:>3} %  {msg}");
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("█▓░");
        for _ in 0..jobs.min(fitting) {
            show.bars.push(show.all.add(ProgressBar::new(100).with_style(style.clone())));
        }
        if jobs > fitting {
            let line = ProgressStyle::with_template("{msg}").unwrap_or_else(|_| ProgressStyle::default_bar());
            show.more = Some(show.all.add(ProgressBar::new(1).with_style(line)));
        }
        show
    }

    /// Shows a job's new state.
    fn show_change(&mut self, job: &Value) -> Result<(), Failure> {
        if self.out.json {
            return event(&json!({ "type": "job", "job": job }));
        }
        if !self.out.bars {
            self.spoke = Instant::now();
            self.out.say(&line(job));
        }
        Ok(())
    }

    fn tick(&mut self, ids: &[String], jobs: &BTreeMap<String, Value>) {
        let shown = order(ids, jobs);
        for (bar, job) in self.bars.iter().zip(&shown) {
            bar.set_prefix(work(job).to_owned());
            bar.set_message(message(job));
            bar.set_position(if job["status"] == "succeeded" { 100 } else { job["progress"].as_u64().unwrap_or(0) });
        }
        let ended = jobs.values().filter(|job| is_final(job)).count();
        if let Some(more) = &self.more {
            let hidden = ids.len().saturating_sub(self.bars.len());
            more.set_message(format!("+{hidden} more · {ended} of {} ended", ids.len()));
        }
        if !self.out.bars && !self.out.json && self.spoke.elapsed() >= HEARTBEAT {
            self.spoke = Instant::now();
            self.out.say(&heartbeat(ended, ids.len(), &shown));
        }
    }

    /// Removes the bars, since a table with the same follows.
    fn clear(&self) {
        // A terminal that can't be cleared keeps the bars, which does no harm.
        let _ = self.all.clear();
    }
}

/// Running jobs first, then queued ones, then those that have ended; each in the order asked for.
fn order<'a>(ids: &[String], jobs: &'a BTreeMap<String, Value>) -> Vec<&'a Value> {
    let mut found: Vec<&Value> = ids.iter().filter_map(|id| jobs.get(id)).collect();
    if found.iter().all(|job| is_final(job)) || found.len() < 20 {
        return found;
    }
    found.sort_by_key(|job| match job["status"].as_str() {
        Some("running") => 0,
        Some("queued") => 1,
        _ => 2,
    });
    found
}

fn message(job: &Value) -> String {
    let status = job["status"].as_str().unwrap_or_default();
    let what = match status {
        "running" if job["attempt"].as_u64() > Some(1) => format!("attempt {}", job["attempt"]),
        "failed" => format!("failed: {}", job["error"]["code"].as_str().unwrap_or_default()),
        _ => status.to_owned(),
    };
    format!("{what:<10} {}", job["id"].as_str().unwrap_or_default())
}

/// What a job does: its read, or its kind if it computes none.
fn work(job: &Value) -> &str {
    job["read"].as_str().or_else(|| job["kind"].as_str()).unwrap_or("job")
}

/// How many have ended, and how far the one that runs has come, or how many run.
fn heartbeat(ended: usize, of: usize, jobs: &[&Value]) -> String {
    let running: Vec<&&Value> = jobs.iter().filter(|job| job["status"] == "running").collect();
    let going = match running.as_slice() {
        [] => String::new(),
        [one] => format!(", {} at {} %", work(one), one["progress"].as_u64().unwrap_or(0)),
        several => format!(", {} running", several.len()),
    };
    format!("{ended} of {of} ended{going}")
}

/// A job in one line: what it does, to which item or, where it works on none, why; its status, why it failed, and the
/// item that it made.
fn line(job: &Value) -> String {
    let about = if job["ref"].is_null() { &job["context"] } else { &job["ref"] };
    let said = |part: &Value| part.is_string().then(|| plain(part));
    let what = Some(work(job).to_owned());
    let made = job["result"]["item_id"].as_str().map(|item| format!("made {item}"));
    let parts = [said(&job["id"]), what, said(about), said(&job["status"]), said(&job["error"]["code"]), made];
    parts.into_iter().flatten().collect::<Vec<_>>().join("  ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runs_is_shown_before_what_waits_when_there_is_not_room_for_all() {
        let mut jobs = BTreeMap::new();
        let ids: Vec<String> = (0..30).map(|number| format!("job_{number:02}")).collect();
        for (number, id) in ids.iter().enumerate() {
            let status = ["succeeded", "queued", "running"][number % 3];
            jobs.insert(id.clone(), json!({ "id": id, "status": status }));
        }
        let statuses: Vec<&str> = order(&ids, &jobs).iter().filter_map(|job| job["status"].as_str()).collect();
        assert_eq!(statuses[..10], ["running"; 10]);
        assert_eq!(statuses[10..20], ["queued"; 10]);
    }

    #[test]
    fn whoever_watches_no_longer_is_told_how_to_watch_again() {
        let ids: Vec<String> = (1..=6).map(|number| format!("job_{number}")).collect();
        assert!(watch_again(&ids[..2]).contains("`mws jobs watch job_1 job_2`"));
        assert!(watch_again(&ids).contains("`mws jobs list`"));
    }

    #[test]
    fn a_line_says_why_a_job_failed() {
        let job = json!({ "id": "job_1", "read": "beats", "ref": "itm_1", "status": "failed",
            "error": { "code": "reader_timeout" } });
        assert_eq!(line(&job), "job_1  beats  itm_1  failed  reader_timeout");
    }

    #[test]
    fn a_line_of_what_is_made_says_its_kind_its_context_and_the_item() {
        let mut job = json!({ "id": "job_1", "kind": "render", "read": null, "ref": null, "status": "queued",
            "context": null, "result": null, "error": null });
        assert_eq!(line(&job), "job_1  render  queued");
        job["context"] = "For the\nnewsletter".into();
        job["status"] = "succeeded".into();
        job["result"] = json!({ "item_id": "itm_9" });
        assert_eq!(line(&job), "job_1  render  For the newsletter  succeeded  made itm_9");
    }

    #[test]
    fn a_heartbeat_says_how_far_the_one_that_runs_has_come() {
        let job = |kind: &str, status: &str| json!({ "kind": kind, "status": status, "progress": 40 });
        let (dub, render, queued) = (job("dub", "running"), job("render", "running"), job("render", "queued"));
        assert_eq!(heartbeat(0, 2, &[&dub, &queued]), "0 of 2 ended, dub at 40 %");
        assert_eq!(heartbeat(1, 3, &[&dub, &render]), "1 of 3 ended, 2 running");
        assert_eq!(heartbeat(0, 1, &[&queued]), "0 of 1 ended");
    }
}
