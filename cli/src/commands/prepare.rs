//! `mws prepare`: starts reads, and with `--watch` follows them to their end (contract §4.2).

use super::Context;
use super::without_nulls;
use crate::client::Client;
use crate::failure::Failure;
use crate::output::{Column, Followed, Out, document, event, follow};
use domain::read::Read;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const COLUMNS: [Column; 6] = [
    Column::new("REF", "/ref"),
    Column::new("READ", "/read"),
    Column::new("STATUS", "/status"),
    Column::new("MINUTES", "/minutes"),
    Column::new("JOB", "/job_id"),
    Column::new("WHY", "/why"),
];

/// The names of all reads.
pub const ALL_READS: &str = "all";

/// Reads to start.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mws prepare itm_01J… --reads all --watch
  mws prepare itm_01J… itm_01K… --reads transcript,speech --context \"Cutting the interview\"
  mws items list --ids | xargs mws prepare --reads levels")]
pub struct Args {
    /// Items: refs, ids, or ids of the jobs that made them.
    #[arg(required = true, num_args = 1..=20)]
    refs: Vec<String>,
    /// Reads, comma-separated, or all: transcript, `search_index`, speech, speakers, beats, levels.
    #[arg(long, required = true, value_delimiter = ',')]
    reads: Vec<String>,
    /// One sentence that is shown beside the jobs.
    #[arg(long)]
    context: Option<String>,
    /// Show what would start and what it would hold, and start nothing.
    #[arg(long, conflicts_with = "watch")]
    dry_run: bool,
    /// Follow the jobs until they end.
    #[arg(long)]
    watch: bool,
    /// The same key returns the first call's answer instead of starting anything.
    #[arg(long)]
    idempotency_key: Option<String>,
    /// The workspace to act in.
    #[arg(long)]
    workspace: Option<String>,
    /// Exit with 5 when any read was refused.
    #[arg(long)]
    strict: bool,
}

/// A call of `prepare_media`.
#[derive(Debug)]
pub struct Request {
    /// Items.
    pub refs: Vec<String>,
    /// Reads.
    pub reads: Vec<&'static str>,
    /// One sentence.
    pub context: Option<String>,
    /// Whether nothing may start; none means false.
    pub dry_run: Option<bool>,
}

impl Request {
    /// Makes the call. Returns the answer's `data`.
    pub async fn send(&self, client: &Client, headers: &[(&str, &str)]) -> Result<Value, Failure> {
        let body = json!({ "refs": self.refs, "reads": self.reads, "context": self.context, "dry_run": self.dry_run });
        client.tool_with("prepare_media", &without_nulls(body), headers).await
    }
}

/// The reads that a list of names asks for.
pub fn asked_reads(names: &[String]) -> Result<Vec<&'static str>, Failure> {
    if names.iter().any(|name| name == ALL_READS) {
        return Ok(Read::ALL.iter().map(|read| read.name()).collect());
    }
    let known = |name: &String| {
        Read::from_name(name).map(Read::name).ok_or_else(|| {
            let all = Read::ALL.iter().map(|read| read.name()).collect::<Vec<_>>().join(", ");
            Failure::Usage(format!("there is no read `{name}`\n  next: choose of {all}, or all"))
        })
    };
    names.iter().map(known).collect()
}

pub(super) async fn run(args: Args, context: &Context) -> Result<(), Failure> {
    let dry_run = args.dry_run.then_some(true);
    let request = Request { reads: asked_reads(&args.reads)?, refs: args.refs, context: args.context, dry_run };
    let mut headers = Vec::new();
    headers.extend(args.idempotency_key.as_deref().map(|key| ("Idempotency-Key", key)));
    headers.extend(args.workspace.as_deref().map(|workspace| ("x-workspace-id", workspace)));
    let data = request.send(&context.client, &headers).await?;
    let out = &context.out;
    let estimate = &data["estimate"];
    let left = if args.dry_run { "left now" } else { "left after it" };
    out.say(&format!("estimate {} min, {} min {left}", estimate["minutes"], estimate["left_minutes"]));
    tell_of_engines(context, &job_ids(&data)).await;
    let followed = if args.watch { Some(follow(&context.client, out, &job_ids(&data)).await?) } else { None };
    let rows = rows(&data, followed.as_ref());
    show(out, &data, &rows, followed.as_ref())?;
    judge(&rows, followed.as_ref(), args.strict)
}

/// Says which of these jobs no worker that lives can run. Nothing fails where that can't be found out.
async fn tell_of_engines(context: &Context, ids: &[String]) {
    if ids.is_empty() || !context.out.in_words() {
        return;
    }
    let looked = context.client.tool("get_jobs", &json!({ "job_ids": ids })).await;
    if let Some(said) = looked.ok().and_then(|found| without_worker(&found)) {
        context.out.say(&said);
    }
}

/// What is said of those of these jobs that no worker that lives can run; none if there are none.
fn without_worker(found: &Value) -> Option<String> {
    let jobs = found["jobs"].as_array().into_iter().flatten();
    let stuck = jobs.filter(|job| job["waits"]["code"] == "engine").filter_map(|job| job["read"].as_str());
    let reads: Vec<&str> = stuck.collect::<BTreeSet<_>>().into_iter().collect();
    (!reads.is_empty()).then(|| {
        format!(
            "No worker that lives can run {}: the jobs wait until one can, and hold their minutes.\n  next: `mws doctor \
             --only engines` on the service's machine says what is missing; `mws jobs cancel ID…` frees the minutes",
            reads.join(", ")
        )
    })
}

/// The ids of all jobs that the answer names.
fn job_ids(data: &Value) -> Vec<String> {
    let ids = data["job_ids"].as_array().into_iter().flatten();
    ids.filter_map(|id| id.as_str().map(str::to_owned)).collect()
}

/// A row for each item and read: the answer, or how its job ended.
fn rows(data: &Value, followed: Option<&Followed>) -> Vec<Value> {
    let mut rows = Vec::new();
    for item in data["items"].as_array().into_iter().flatten() {
        for read in item["reads"].as_array().into_iter().flatten() {
            let job = followed.and_then(|followed| followed.jobs.iter().find(|job| job["id"] == read["job_id"]));
            let mut row = json!({
                "ref": item["ref"], "read": read["read"], "status": read["status"], "job_id": read["job_id"],
                "minutes": read["estimated_minutes"], "why": read["reason"]["code"],
            });
            if let Some(job) = job {
                row["status"] = job["status"].clone();
                row["minutes"] = job["cloud_minutes"].clone();
                row["why"] = job["error"]["code"].clone();
            }
            rows.push(row);
        }
    }
    rows
}

fn show(out: &Out, data: &Value, rows: &[Value], followed: Option<&Followed>) -> Result<(), Failure> {
    match (out.json, followed) {
        (true, None) => document(data),
        (true, Some(followed)) => event(&json!({ "type": "ended", "data": data, "jobs": followed.jobs })),
        (false, _) => {
            out.rows(rows, "job_id", &COLUMNS)?;
            if let Some(followed) = followed {
                let of = |status| followed.count(status);
                let (done, failed, cancelled) = (of("succeeded"), of("failed"), of("cancelled"));
                out.say(&format!("{done} done, {failed} failed, {cancelled} cancelled"));
            } else if !job_ids(data).is_empty() {
                out.say("Next: mws jobs watch ID…");
            }
            Ok(())
        }
    }
}

/// The exit code: 1 when a watched job failed, 5 when nothing started or, with `--strict`, when anything was refused.
fn judge(rows: &[Value], followed: Option<&Followed>, strict: bool) -> Result<(), Failure> {
    let refused: Vec<String> = rows
        .iter()
        .filter(|row| row["status"] == "refused")
        .map(|row| format!("{} of {} ({})", row["read"], row["ref"], row["why"]).replace('"', ""))
        .collect();
    if let Some(followed) = followed
        && followed.jobs.iter().any(|job| job["status"] != "succeeded")
    {
        return Err(Failure::Work("not every job succeeded".to_owned()));
    }
    if !refused.is_empty() && (strict || refused.len() == rows.len()) {
        return Err(refusal(&refused));
    }
    Ok(())
}

fn refusal(refused: &[String]) -> Failure {
    let message = format!("refused: {}", refused.join(", "));
    Failure::Refused(Box::new(crate::failure::Refusal {
        status: 422,
        code: "refused".to_owned(),
        message,
        retryable: false,
        suggested_action: None,
        request_id: None,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        text.split(',').map(str::to_owned).collect()
    }

    #[test]
    fn the_help_names_every_read() {
        let help = <Args as clap::Args>::augment_args(clap::Command::new("prepare")).render_help().to_string();
        let told = help.rsplit("--reads <").next().and_then(|rest| rest.split("--").next()).unwrap_or_default();
        for read in Read::ALL {
            assert!(told.contains(read.name()), "{read} is missing: {told}");
        }
    }

    #[test]
    fn all_is_every_read_and_a_misspelt_one_is_named() {
        assert_eq!(asked_reads(&names("all")).unwrap(), Read::ALL.map(Read::name));
        assert_eq!(asked_reads(&names("levels,speech")).unwrap(), ["levels", "speech"]);
        let Err(Failure::Usage(said)) = asked_reads(&names("level")) else { panic!("it should be refused") };
        assert!(said.contains("`level`") && said.contains("search_index"), "{said}");
    }

    fn answer() -> Value {
        json!({
            "items": [{ "ref": "itm_A", "reads": [
                { "read": "levels", "status": "queued", "job_id": "job_1", "estimated_minutes": 0.1 },
                { "read": "beats", "status": "refused", "reason": { "code": "queue_full" } },
            ]}],
            "job_ids": ["job_1"],
        })
    }

    #[test]
    fn a_row_says_what_was_answered_until_its_job_has_ended() {
        let before = rows(&answer(), None);
        assert_eq!(before[0]["status"], "queued");
        assert_eq!(before[1]["why"], "queue_full");
        let ended = json!({ "id": "job_1", "status": "succeeded", "cloud_minutes": 0.08 });
        let after = rows(&answer(), Some(&Followed { jobs: vec![ended] }));
        assert_eq!((&after[0]["status"], &after[0]["minutes"]), (&json!("succeeded"), &json!(0.08)));
    }

    #[test]
    fn reads_that_no_worker_can_run_are_named_once_with_what_helps() {
        let job = |read: &str, code: &str| json!({ "read": read, "waits": { "code": code } });
        let jobs = [job("transcript", "engine"), job("beats", "slot"), job("transcript", "engine")];
        let said = without_worker(&json!({ "jobs": jobs })).unwrap();
        assert!(
            said.starts_with("No worker that lives can run transcript: ") && said.contains("jobs cancel"),
            "{said}"
        );
        let fine = json!({ "jobs": [job("levels", "place"), { "read": "beats", "waits": null }] });
        assert_eq!(without_worker(&fine), None);
    }

    #[test]
    fn something_refused_is_a_failure_only_when_asked_for_or_when_nothing_else_came_of_it() {
        let rows = rows(&answer(), None);
        assert!(judge(&rows, None, false).is_ok());
        assert!(matches!(judge(&rows, None, true), Err(Failure::Refused(_))));
        assert!(matches!(judge(&rows[1..], None, false), Err(Failure::Refused(_))));
        let failed = Followed { jobs: vec![json!({ "id": "job_1", "status": "failed" })] };
        assert!(matches!(judge(&rows, Some(&failed), false), Err(Failure::Work(_))));
    }
}
