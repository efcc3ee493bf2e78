//! Running a job again with another input: a form with the input as JSON, what it would cost, and the call.
//!
//! The tool that the account itself would call judges the input, holds what it costs and starts the jobs. The form has
//! an idempotency key, so that a form that is sent twice starts the jobs once.

use super::words::{link, or_dash, quoted, state};
use super::{Visit, leads_to, responses, shell};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::pages::field;
use crate::http::text::Text;
use crate::resources::tools::calling::{CalledAnswer, call_as};
use crate::usecases::operator::jobs::{on_behalf, refuse_rerun};
use domain::generation::GenerationTool;
use domain::ids::{JobId, RequestId};
use domain::read::Read;
use maud::{Markup, html};
use poem::Response;
use poem::http::StatusCode;
use serde_json::{Map, Value, json};
use store::jobs::{self, Origin};

const TITLE: &str = "Run it again with another input?";

/// A job whose work can be asked for with another input.
struct Again {
    id: JobId,
    origin: Origin,
    /// The tool that takes the input.
    tool: &'static str,
}

/// Returns the tool that does a job's work with another input; none for work that is neither a read nor a generation.
/// `called` is the tool that started the job, if that is still known.
pub(super) fn tool_of(read: Option<Read>, called: Option<&str>) -> Option<&'static str> {
    if read.is_some() {
        return Some("prepare_media");
    }
    GenerationTool::ALL.into_iter().map(GenerationTool::name).find(|tool| called == Some(*tool))
}

async fn find(visit: &Visit) -> Answer<Again> {
    let id: JobId = visit.own_id(Code::JobNotFound)?;
    let missing = || ApiError::new(Code::JobNotFound, format!("Nothing has the id `{id}`."));
    let mut conn = visit.conn().await?;
    let origin = jobs::origin(&mut conn, id).await?.ok_or_else(missing)?;
    let called = jobs::standing(&mut conn, id).await?.ok_or_else(missing)?.tool;
    drop(conn);
    let Some(tool) = tool_of(origin.read, called.as_deref()) else {
        let message =
            "The job is no read and no generation: its account changes what it is made of, and starts it anew.";
        return Err(ApiError::new(Code::ReadNotApplicable, message));
    };
    refuse_rerun(&visit.app, &origin).await?;
    Ok(Again { id, origin, tool })
}

/// The page with the job's own input.
pub(super) async fn show(visit: Visit) -> Answer<Response> {
    visit.takes(&[])?;
    let again = find(&visit).await?;
    let input = again.kept_input();
    Ok(again.page(&visit, &format!("{input:#}"), Some(&input), &Markup::default()))
}

/// Shows what the typed input would cost, or starts its jobs if the form has the key of a page that showed the cost.
pub(super) async fn run(visit: Visit) -> Answer<Response> {
    let again = find(&visit).await?;
    let text = field(&visit.form, "input");
    let mut input = match typed(&text) {
        Ok(input) => input,
        Err(refusal) => return Ok(again.refused(&visit, &text, None, &refusal)),
    };
    let sent = field(&visit.form, "key");
    let key: Option<RequestId> = if sent.is_empty() { None } else { Some(Text(sent).id_in("key")?) };
    input.shift_remove("dry_run");
    let mut fields: Vec<&str> = input.keys().map(String::as_str).collect();
    fields.sort_unstable();
    let after = json!({ "tool": again.tool, "fields": fields });
    let entry = visit.caller.changed("job.rerun", again.id, None, Some(after));
    let caller = on_behalf(&visit.app, &visit.caller, again.id, &again.origin, entry).await?;
    let shown = Value::Object(input.clone());
    input.insert("dry_run".to_owned(), json!(key.is_none()));
    let key = key.map(|key| format!("rerun-{key}"));
    let heard = call_as(&visit.app, &caller, again.tool, &Value::Object(input), key.as_deref()).await?;
    if !(200..300).contains(&heard.status) {
        return Ok(again.refused(&visit, &text, Some(&shown), &refusal_of(&heard)));
    }
    if key.is_none() {
        return Ok(again.page(&visit, &text, Some(&shown), &again.priced(&text, &heard.body)));
    }
    Ok(again.started(&visit, &heard.body))
}

/// Returns the input that was typed.
fn typed(text: &str) -> Answer<Map<String, Value>> {
    let refused = |message: String| ApiError::new(Code::InvalidRequest, message);
    match serde_json::from_str(text) {
        Ok(Value::Object(input)) => Ok(input),
        Ok(_) => Err(refused("The input has to be one JSON object, in braces.".to_owned())),
        Err(error) => Err(refused(format!("The input is no JSON: {error}."))),
    }
}

/// Returns the refusal of the tool.
fn refusal_of(heard: &CalledAnswer) -> ApiError {
    let said = heard.body.pointer("/error/message").and_then(Value::as_str).unwrap_or("It was refused.");
    let refusal = ApiError::new(heard.refused.unwrap_or(Code::Internal), said);
    match heard.retry_after {
        Some(after) => refusal.retry_after(after.as_secs()),
        None => refusal,
    }
}

impl Again {
    /// Returns the job's input, as far as it is kept.
    fn kept_input(&self) -> Value {
        let mut input = Map::new();
        match (self.origin.read, self.origin.item) {
            (Some(read), item) => {
                input.insert("refs".to_owned(), json!(item.as_slice()));
                input.insert("reads".to_owned(), json!([read.name()]));
            }
            (None, Some(item)) => {
                input.insert("ref".to_owned(), json!(item));
            }
            (None, None) => {}
        }
        if let Some(context) = &self.origin.context {
            input.insert("context".to_owned(), json!(context));
        }
        Value::Object(input)
    }

    /// Returns the page with the form, in which `text` stands. `input` is that text as JSON, if it is an input.
    fn page(&self, visit: &Visit, text: &str, input: Option<&Value>, said: &Markup) -> Response {
        responses::html(StatusCode::OK, &self.whole(visit, text, input, said))
    }

    /// Returns the page with the form, and why what is typed there was refused.
    fn refused(&self, visit: &Visit, text: &str, input: Option<&Value>, refusal: &ApiError) -> Response {
        let said = html! {
            p.fault role="alert" { (refusal.message()) " (" (refusal.code().name()) ")" }
            p { "Nothing was started." }
        };
        responses::refused_on(&self.whole(visit, text, input, &said), refusal)
    }

    fn whole(&self, visit: &Visit, text: &str, input: Option<&Value>, said: &Markup) -> Markup {
        let main = html! {
            h1 { (TITLE) }
            (said)
            p {
                "The input is sent to the tool " code { (self.tool) } " for " (link("accounts", self.origin.payer))
                ", who paid for the job " (link("jobs", self.id)) ". It is checked, held and charged like a call of "
                "theirs, in the same workspace. The first job stays as it is."
            }
            @if self.origin.read.is_none() {
                p.soft { "What was asked of a generation is not kept once it has ended: write it anew." }
            }
            form method="post" {
                label for="input" { "Input (JSON)" }
                textarea #input name="input" rows="10" spellcheck="false" autocomplete="off" required { (text) }
                div.acts { button { "Show the price" } a href={ "/console/jobs/" (self.id) } { "Leave it" } }
            }
            @if let Some(input) = input {
                p.cli { span.soft { "With a key of the account, the same in a terminal: " }
                    code data-copy="" { "printf %s " (quoted(&input.to_string())) " | mws tools call " (self.tool) " --input -" }
                }
            }
        };
        shell::whole(Some(&visit.seat), TITLE, &main)
    }

    /// Shows what the input would start and cost, with the button that starts it.
    fn priced(&self, text: &str, answer: &Value) -> Markup {
        let outcomes = outcomes(self.tool, &answer["data"]);
        let number = |path: &str| answer.pointer(path).map_or_else(|| "0".to_owned(), Value::to_string);
        let does = html! {
            (table(&outcomes))
            @if outcomes.iter().any(|outcome| outcome.status == "startable") {
                p role="status" {
                    "Up to " b { (number("/meta/cloud_processing/minutes")) } " minutes and "
                    b { (number("/meta/cost/credits")) } " AI credits of the account are held, and what it takes is charged. It has "
                    (number("/meta/cloud_processing/left_minutes")) " minutes of the month and "
                    (number("/meta/cloud_processing/bought_minutes")) " bought ones left."
                }
                form method="post" {
                    input type="hidden" name="input" value=(text);
                    input type="hidden" name="key" value=(RequestId::mint());
                    div.acts { button { "Start it" } }
                }
            } @else {
                p role="status" { "Nothing would start." }
            }
        };
        shell::still("price", "What it would do", &does)
    }

    /// Redirects to the job that was started. If it is not exactly one, shows what came of each part of the input.
    fn started(&self, visit: &Visit, answer: &Value) -> Response {
        let outcomes = outcomes(self.tool, &answer["data"]);
        let mut jobs = outcomes.iter().filter_map(|outcome| outcome.job);
        if let (Some(job), None) = (jobs.next(), jobs.next()) {
            return leads_to(&format!("/console/jobs/{job}?done=changed"));
        }
        let has_jobs = outcomes.iter().any(|outcome| outcome.job.is_some());
        let title = if has_jobs { "What came of it" } else { "Nothing was started" };
        let main = html! {
            h1 { (title) }
            @if outcomes.is_empty() {
                p { "The input names nothing that could be done: no job is awaited." }
            } @else {
                (table(&outcomes))
            }
            @if has_jobs { p { "The jobs are under way: the page of each says how far it is and, once it has ended, what came of it." } }
            p { "The job " (link("jobs", self.id)) }
        };
        visit.whole(title, &main)
    }
}

/// What came, or would come, of one part of the input.
struct Outcome<'a> {
    what: String,
    status: &'a str,
    job: Option<&'a str>,
    why: Option<&'a str>,
}

impl<'a> Outcome<'a> {
    fn of(what: String, shown: &'a Value) -> Self {
        Self {
            what,
            status: shown["status"].as_str().unwrap_or_default(),
            job: shown["job_id"].as_str(),
            why: shown.pointer("/reason/message").and_then(Value::as_str),
        }
    }
}

/// Returns the outcomes in a tool's answer: one for each read of each item, or a single one for a generation.
fn outcomes<'a>(tool: &str, data: &'a Value) -> Vec<Outcome<'a>> {
    let Some(items) = data["items"].as_array() else { return vec![Outcome::of(tool.to_owned(), data)] };
    let mut all = Vec::new();
    for item in items {
        let asked = item["ref"].as_str().unwrap_or_default();
        for read in item["reads"].as_array().into_iter().flatten() {
            all.push(Outcome::of(format!("{} of {asked}", read["read"].as_str().unwrap_or_default()), read));
        }
    }
    all
}

fn table(outcomes: &[Outcome<'_>]) -> Markup {
    let rows = html! {
        @for Outcome { what, status, job, why } in outcomes {
            tr {
                td.long { (what) }
                td { (state(status)) }
                td { @match job { Some(job) => { (link("jobs", job)) } None => { "–" } } }
                td.long { (or_dash(why.as_ref())) }
            }
        }
    };
    shell::table("Outcomes", &["What", "Status", "Job", "Why not"], &rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_generations_have_a_tool_that_takes_another_input_and_other_work_has_none() {
        assert_eq!(tool_of(Some(Read::Beats), None), Some("prepare_media"));
        assert_eq!(tool_of(Some(Read::Speech), Some("remove_silence")), Some("prepare_media"));
        assert_eq!(tool_of(None, Some("generate_audio")), Some("generate_audio"));
        for other in [None, Some("render_timeline"), Some("dub"), Some("delete_item")] {
            assert_eq!(tool_of(None, other), None, "{other:?}");
        }
    }

    #[test]
    fn an_answer_is_told_read_by_read_or_as_one() {
        let reads = json!({ "items": [{ "ref": "a", "reads": [
            { "read": "beats", "status": "startable" },
            { "read": "levels", "status": "queued", "job_id": "job_1" },
            { "read": "search_index", "status": "skipped", "reason": { "message": "It is no video." } },
        ] }] });
        let told = outcomes("prepare_media", &reads);
        let rows: Vec<_> = told.iter().map(|one| (one.what.as_str(), one.status, one.job, one.why)).collect();
        assert_eq!(
            rows,
            [
                ("beats of a", "startable", None, None),
                ("levels of a", "queued", Some("job_1"), None),
                ("search_index of a", "skipped", None, Some("It is no video.")),
            ]
        );
        let one = json!({ "status": "queued", "job_id": "job_2" });
        let told = outcomes("generate_audio", &one);
        assert_eq!((told.len(), told[0].what.as_str(), told[0].job), (1, "generate_audio", Some("job_2")));
    }

    #[test]
    fn an_input_is_one_object() {
        assert_eq!(typed("{\"a\": 1}").map(|input| input.len()).ok(), Some(1));
        for wrong in ["", "[]", "1", "{", "{} {}"] {
            assert_eq!(typed(wrong).map_err(|refusal| refusal.code()).err(), Some(Code::InvalidRequest), "{wrong}");
        }
    }
}
