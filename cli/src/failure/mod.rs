//! The ways in which a command can fail, with their messages and exit codes (contract §13).

use serde_json::{Value, json};
use std::io::Write;
use std::process::ExitCode;

/// The exit codes, for the help.
const EXIT_CODES: &str = "\
0    done
1    the work failed or was cancelled; doctor found a problem
2    the command was not understood
3    not signed in, or forbidden
4    not found
5    refused by a rule (402, 409, 410, 422)
6    try again later (429, 503, no connection, --timeout)
130  Ctrl-C
";

/// The text below the list of commands.
pub fn help() -> String {
    format!("Exit codes:\n  {}", EXIT_CODES.trim_end().replace('\n', "\n  "))
}

/// Why a command did not do what it was asked.
#[derive(Debug)]
pub enum Failure {
    /// The service refused.
    Refused(Box<Refusal>),
    /// The command's arguments make no sense.
    Usage(String),
    /// There is no credential.
    SignedOut(String),
    /// The work itself failed.
    Work(String),
    /// It may succeed later.
    TryLater(String),
    /// Ctrl-C; the text says what goes on without us.
    Interrupted(String),
    /// The reader of standard output has gone, which is no fault.
    ReaderGone,
    /// Anything else.
    Other(anyhow::Error),
}

/// A refusal of the service, from either envelope (contract §7).
#[derive(Debug)]
pub struct Refusal {
    /// Its HTTP status.
    pub status: u16,
    /// Its code.
    pub code: String,
    /// Its message.
    pub message: String,
    /// Whether a retry may succeed.
    pub retryable: bool,
    /// The next step that helps.
    pub suggested_action: Option<String>,
    /// The id to look the request up by.
    pub request_id: Option<String>,
}

impl Refusal {
    /// Reads an answer's status, body and `X-Request-Id`.
    pub fn read(status: u16, body: &Value, request_id: Option<&str>) -> Self {
        let error = &body["error"];
        let text = |name: &str| error[name].as_str().map(str::to_owned);
        Self {
            status,
            code: text("code").unwrap_or_else(|| format!("http_{status}")),
            message: text("message").unwrap_or_else(|| "The answer is none of this service's.".to_owned()),
            retryable: error["retryable"].as_bool().unwrap_or(matches!(status, 429 | 500..)),
            suggested_action: text("suggested_action"),
            request_id: request_id.map(str::to_owned),
        }
    }

    /// Returns it with the next step of an operators' route, which differs from the usual one of its code.
    pub fn of_route(mut self, path: &str) -> Self {
        if path.starts_with("/operator/") && self.suggested_action.is_none() {
            self.suggested_action = operators_step(path, &self.code);
        }
        self
    }

    fn exit_code(&self) -> u8 {
        match self.status {
            400 | 405 => 2,
            401 | 403 => 3,
            404 => 4,
            402 | 409 | 410 | 413 | 415 | 422 => 5,
            429 | 502..=504 => 6,
            _ => 1,
        }
    }
}

/// The tools and routes that refusals name, and the commands that do the same; a longer name before one that it begins
/// with.
const COMMANDS: &[(&str, &str)] = &[
    ("GET /tools", "tools list"),
    ("GET /workspaces", "workspaces list"),
    ("GET /balances", "balances"),
    ("GET /events", "events list"),
    ("GET /keys", "keys list"),
    ("GET /operator/accounts", "admin accounts list"),
    ("GET /operator/bulk-operations", "admin bulk list"),
    ("GET /operator/members", "admin members list"),
    ("GET /operator/reads", "admin reads list"),
    ("GET /operator/users", "admin users list"),
    ("GET /operator/workspaces", "admin workspaces list"),
    ("GET /projects", "projects list"),
    ("GET /webhooks/{id}/deliveries", "deliveries list"),
    ("GET /webhooks", "webhooks list"),
    ("POST /keys", "keys create"),
    ("POST /operator/accounts/{id}/resume", "admin accounts resume ID"),
    ("POST /projects/{id}/messages", "projects message ID"),
    ("POST /projects/{id}/status", "projects report ID"),
    ("POST /uploads", "upload"),
    ("POST /webhook-secret with `{\"rotate\":true}`", "webhooks secret rotate"),
    ("POST /webhook-secret", "webhooks secret create"),
    ("PATCH /webhooks/{id} with `enabled: true`", "webhooks enable ID"),
    ("DELETE /keys/{keyId}", "keys delete ID"),
    ("DELETE /library/items/{id}/lease", "api DELETE /library/items/ID/lease"),
    ("DELETE /library/items/{id}", "items delete ID"),
    ("DELETE /projects/{id}", "projects delete ID"),
    ("DELETE /webhooks/{id}", "webhooks delete ID"),
    ("delete_comment", "comments delete"),
    ("delete_post", "research delete"),
    ("edit_canvas", "canvas edit"),
    ("edit_timeline", "timelines edit"),
    ("get_api_session", "tools call get_api_session"),
    ("get_item", "items get"),
    ("get_jobs", "jobs list"),
    ("import_media", "upload"),
    ("list_items", "items list"),
    ("list_boards", "boards list"),
    ("list_calendar_feeds", "calendar feeds"),
    ("list_calendar", "calendar list"),
    ("list_canvases", "canvas list"),
    ("list_comments", "comments list"),
    ("list_dubs", "dubs list"),
    ("list_models", "models list"),
    ("list_public_links", "links list"),
    ("list_skills", "skills list"),
    ("list_templates", "templates list"),
    ("list_timelines", "timelines list"),
    ("list_posts", "research list"),
    ("prepare_media", "prepare"),
    ("revoke_calendar_feed", "calendar revoke-feed"),
    ("revoke_public_link", "links revoke"),
];

/// Returns a next step with commands in place of tools and routes.
pub fn with_commands(step: &str) -> String {
    let named = |step: String, (tool, command): &(&str, &str)| {
        // Tools stand in backticks there, and routes do not.
        let quote = if tool.contains(' ') { "`" } else { "" };
        step.replace(tool, &format!("{quote}mws {command}{quote}"))
    };
    COMMANDS.iter().fold(step.to_owned(), named)
}

/// The next step for a code, where the service names none: refusals of routes have no field for it.
fn usual_step(code: &str) -> Option<&'static str> {
    Some(match code {
        "item_not_found" => "`mws items list` lists the items of the workspace.",
        "ref_taken" => "Take another ref, or give the other item one: `mws items update`.",
        "key_not_found" => "`mws keys list` lists the account's keys.",
        "webhook_not_found" => "`mws webhooks list` lists the account's endpoints.",
        "delivery_not_found" => "`mws deliveries list` lists what was sent.",
        "bulk_operation_not_found" => "`mws admin bulk list` lists them.",
        "event_not_found" => "`mws events list` lists the events that are kept.",
        "read_not_found" => "`mws prepare REF --reads READ --watch` reads it.",
        "workspace_not_found" | "workspace_forbidden" => "`mws workspaces list` lists those that you reach.",
        "member_not_found" | "user_not_found" => "`mws workspaces members ID` lists who acts there.",
        "role_forbidden" => "Ask an owner of the workspace for a role that may.",
        "quota_reached" => "Delete what is no longer needed.",
        "invalid_request" => "Correct what the message names; `--help` of the command shows what it takes.",
        _ => return None,
    })
}

/// The next step for a code of the operators' route at this path, where it is not the usual one.
fn operators_step(path: &str, code: &str) -> Option<String> {
    let account = path.strip_prefix("/operator/accounts/").and_then(|rest| rest.split_once('/'));
    if let ("key_not_found", Some((id, _))) = (code, account) {
        return Some(format!("`mws admin keys create --account {id}` makes one."));
    }
    let step = match code {
        "key_not_found" => "`mws admin keys list --account ID` lists an account's keys.",
        "key_limit_reached" => "`mws admin keys revoke ID` revokes one; `mws admin keys list --account ID` lists them.",
        "role_forbidden" => {
            "Use a token that has this role, or give yours the role in the service's MWS_OPERATOR_TOKENS."
        }
        "name_taken" => {
            "`mws admin bulk list` shows the operation of this name, and `mws admin bulk get ID` how far it is. \
             To start another one, take the free name that the message offers, or give none: it is then named by its \
             times."
        }
        _ => return None,
    };
    Some(step.to_owned())
}

impl Failure {
    /// The exit code.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::ReaderGone => 0,
            Self::Work(_) | Self::Other(_) => 1,
            Self::Usage(_) => 2,
            Self::SignedOut(_) => 3,
            Self::TryLater(_) => 6,
            Self::Interrupted(_) => 130,
            Self::Refused(refusal) => refusal.exit_code(),
        })
    }

    /// Prints to standard error what happened, why, and the next step; with `json` one line of JSON.
    pub fn report(&self, json: bool) {
        let text = match (self, json) {
            (Self::ReaderGone, _) => return,
            (_, true) => self.json().to_string(),
            (_, false) => self.words(),
        };
        // If nobody reads standard error, there is nowhere left to say so.
        let _ = writeln!(std::io::stderr(), "{text}");
    }

    /// Returns it with another next step, for what goes on in the service without this command.
    #[must_use]
    pub fn with_next(self, next: &str) -> Self {
        match self {
            Self::TryLater(said) => {
                Self::TryLater(format!("{}\n  next: {next}", said.lines().next().unwrap_or_default()))
            }
            Self::Refused(mut refusal) => {
                refusal.suggested_action = Some(next.to_owned());
                Self::Refused(refusal)
            }
            other => other,
        }
    }

    /// Returns what went wrong, without its code and the next step.
    pub fn message(&self) -> String {
        match self {
            Self::Refused(refusal) => refusal.message.clone(),
            other => other.words().trim_start_matches("error: ").to_owned(),
        }
    }

    fn words(&self) -> String {
        match self {
            Self::Refused(refusal) => {
                let id = refusal.request_id.as_deref().map(|id| format!(", {id}")).unwrap_or_default();
                let next = refusal.suggested_action.as_deref().or_else(|| usual_step(&refusal.code));
                let next = next.map(|next| format!("\n  next: {}", with_commands(next)));
                let message = with_commands(&refusal.message);
                format!("error: {message}      ({}{id}){}", refusal.code, next.unwrap_or_default())
            }
            Self::Interrupted(said) => said.clone(),
            Self::Usage(said) | Self::SignedOut(said) | Self::Work(said) | Self::TryLater(said) => {
                format!("error: {said}")
            }
            Self::Other(error) => format!("error: {}", causes(error)),
            Self::ReaderGone => String::new(),
        }
    }

    fn json(&self) -> Value {
        let own = |code: &str, message: &str, retryable: bool| {
            json!({ "error": {
                "code": code, "message": message, "retryable": retryable,
                "suggested_action": null, "status": null, "request_id": null,
            }})
        };
        match self {
            Self::Refused(refusal) => json!({ "error": {
                "code": refusal.code, "message": refusal.message, "retryable": refusal.retryable,
                "suggested_action": refusal.suggested_action, "status": refusal.status,
                "request_id": refusal.request_id,
            }}),
            Self::Usage(said) => own("usage", said, false),
            Self::SignedOut(said) => own("signed_out", said, false),
            Self::Work(said) => own("work_failed", said, false),
            Self::TryLater(said) => own("try_later", said, true),
            Self::Interrupted(said) => own("interrupted", said, true),
            Self::Other(error) => own("failed", &causes(error), false),
            Self::ReaderGone => Value::Null,
        }
    }
}

/// The error and its causes, each once, since some errors repeat their cause.
fn causes(error: &anyhow::Error) -> String {
    let mut told = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if told.contains(&cause) {
            continue;
        }
        if !told.is_empty() {
            told.push_str(": ");
        }
        told.push_str(&cause);
    }
    told
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self::Other(error)
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::BrokenPipe { Self::ReaderGone } else { Self::Other(error.into()) }
    }
}

#[cfg(test)]
mod tests;
