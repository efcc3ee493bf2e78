//! `mws doctor`: checks everything that the service depends on, shows what it measured, and how to cure what is wrong.
//!
//! It changes nothing but for one object that it writes to the media store and deletes again. Without `DATABASE_URL` it
//! checks the data folder's embedded server, and starts it meanwhile if it does not run.

mod database;
pub(crate) mod finding;
pub(crate) mod machine;

use crate::data_dir::{DataDir, Occupied};
use crate::database::{Database, runtime};
use crate::failure::Failure;
use crate::globals::Globals;
use crate::output::{Out, counted, document, print};
use database::Found;
use finding::{Finding, State};
use runtime::config::Settings;
use serde_json::{Value, json};

/// The checks, in the order in which they are made: those of the database first.
const CHECKS: [&str; 21] = [
    "database",
    "schema",
    "replicas",
    "extensions",
    "queue",
    "listen",
    "clock",
    "workers",
    "engines",
    "backlog",
    "journal",
    "invariants",
    "seals",
    "audit",
    "notices",
    "machine",
    "decoders",
    "media",
    "providers",
    "disk",
    "secrets",
];

/// Which checks to run.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mws doctor
  mws doctor --only journal --strict
  mws doctor --json | jq '.data[] | select(.state != \"fine\")'")]
pub struct DoctorArgs {
    /// Count warnings as problems.
    #[arg(long)]
    strict: bool,
    /// Only this check.
    #[arg(long, value_name = "CHECK", value_parser = CHECKS)]
    only: Option<String>,
    #[command(flatten)]
    settings: Settings,
}

impl DoctorArgs {
    /// The settings, to be changed before logging starts.
    pub fn settings_mut(&mut self) -> &mut Settings {
        &mut self.settings
    }
}

/// Runs the checks. Call it on the main thread, before a runtime is made.
pub fn run(args: DoctorArgs, globals: &Globals) -> Result<(), Failure> {
    let DoctorArgs { strict, only, mut settings } = args;
    let out = Out::new(globals);
    let (opened, _held) = match open(&mut settings) {
        Ok((database, held)) => (Ok(database), held),
        Err(why) => (Err(why), None),
    };
    let mut findings = runtime()?.block_on(async {
        let Found { mut findings, failing, media } = match &opened {
            Ok(_) => database::look(&settings).await,
            Err(why) => Finding::problem("database", why.clone(), "run `mws up` once, or set DATABASE_URL").into(),
        };
        findings.extend(machine::findings(&settings, &failing, media).await);
        findings
    });
    if let Ok(database) = opened {
        database.stop();
    }
    if let Some(only) = &only {
        keep_only(only, &mut findings)?;
    }
    tell(&findings, &out)?;
    verdict(&findings, strict)
}

/// Leaves what this check found. Where it was not made because the database can't be looked at, the first finding says
/// why, and is left.
fn keep_only(only: &str, findings: &mut Vec<Finding>) -> Result<(), Failure> {
    if findings.iter().any(|finding| finding.check == only) {
        findings.retain(|finding| finding.check == only);
        return Ok(());
    }
    let why = match only {
        "providers" => "no models are configured here",
        "disk" => "the free space of the data folder can't be read",
        _ => {
            findings.truncate(1);
            return Ok(());
        }
    };
    Err(Failure::Usage(format!("`{only}` has nothing to check: {why}")))
}

/// Opens the database to check. An embedded server that runs is left to its owner; one that does not is started here,
/// with the data folder locked meanwhile.
fn open(settings: &mut Settings) -> Result<(Database, Option<Occupied>), String> {
    let words = |error: anyhow::Error| format!("{error:#}");
    settings.read_secret_files().map_err(|error| error.to_string())?;
    let folder = DataDir::find(&settings.data_dir);
    if let Ok(folder) = &folder {
        folder.path().clone_into(&mut settings.data_dir);
        folder.known_secrets(settings).map_err(words)?;
    }
    if settings.database_url.is_some() {
        return Ok((Database::open(settings).map_err(words)?, None));
    }
    let folder = folder.map_err(words)?;
    if !folder.has_cluster() {
        return Err(format!("there is no embedded server in {} yet", folder.path().display()));
    }
    let is_free = folder.occupant().map_err(words)?.is_none();
    let held = if is_free { Some(folder.occupy("`mws doctor`").map_err(words)?) } else { None };
    Ok((Database::open(settings).map_err(words)?, held))
}

fn tell(findings: &[Finding], out: &Out) -> Result<(), Failure> {
    if out.json {
        let rows: Vec<Value> = findings.iter().map(Finding::json).collect();
        return document(&json!({ "data": rows, "has_more": false, "next_cursor": null }));
    }
    for finding in findings {
        print(&finding.lines(out))?;
    }
    let count = |state| findings.iter().filter(|finding| finding.state == state).count();
    let (problems, warnings, fine) = (count(State::Problem), count(State::Warning), count(State::Fine));
    let (problems, warnings) = (counted(problems, "problem"), counted(warnings, "warning"));
    out.say(&format!("{problems}, {warnings}, {fine} fine"));
    Ok(())
}

fn verdict(findings: &[Finding], strict: bool) -> Result<(), Failure> {
    let bad = |finding: &&Finding| finding.state == State::Problem || (strict && finding.state == State::Warning);
    let names: Vec<&str> = findings.iter().filter(bad).map(|finding| finding.check).collect();
    if names.is_empty() { Ok(()) } else { Err(Failure::Work(format!("to be put right: {}", names.join(", ")))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_that_was_not_made_leaves_what_kept_it_from_being_made() {
        let left = |only: &str| {
            let away = Finding::problem("database", "can't be reached", "start it");
            let mut findings = vec![away, Finding::fine("secrets", "all three are set")];
            keep_only(only, &mut findings).map(|()| findings.iter().map(|one| one.check).collect::<Vec<_>>())
        };
        assert!(matches!(left("secrets"), Ok(checks) if checks == ["secrets"]));
        assert!(matches!(left("engines"), Ok(checks) if checks == ["database"]));
        assert!(matches!(left("providers"), Err(Failure::Usage(why)) if why.contains("no models are configured")));
    }

    #[test]
    fn warnings_count_only_when_asked_to() {
        let findings = [Finding::fine("disk", "much"), Finding::warning("clock", "off", "ntp")];
        assert!(verdict(&findings, false).is_ok());
        assert!(verdict(&findings, true).is_err());
        assert!(verdict(&[Finding::problem("media", "gone", "mount it")], false).is_err());
    }
}
