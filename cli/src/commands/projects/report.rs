//! `mws projects report`: what an agent of your own reports.

use crate::commands::api::input;
use crate::commands::rendered::word;
use crate::failure::Failure;
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

/// A status that is reported from outside.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Status {
    /// An agent works.
    Running,
    /// It waits for what models make.
    Generating,
    /// The film is rendered.
    Rendering,
    /// The work is done, or asks something.
    Idle,
    /// It came to nothing.
    Failed,
}

/// What an agent of your own reports.
#[derive(Debug, Args)]
pub struct StatusReport {
    /// The new status.
    #[arg(value_enum)]
    status: Status,
    /// A message to those who wait.
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
    /// The URL of the film.
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// When that URL ends, as 2026-11-27T12:00:00Z.
    #[arg(long, value_name = "TIME", requires = "url")]
    url_until: Option<String>,
    /// File with a JSON object of `assets` and `timeline`; - for standard input.
    #[arg(long, value_name = "FILE")]
    input: Option<String>,
}

impl StatusReport {
    /// The body of the call: these arguments over what the file has.
    pub(super) fn body(&self) -> Result<Value, Failure> {
        let mut body = input(self.input.as_deref())?.unwrap_or_else(|| json!({}));
        let Some(fields) = body.as_object_mut() else {
            return Err(Failure::Usage("--input: expected a JSON object".to_owned()));
        };
        fields.insert("status".to_owned(), json!(word(&self.status)));
        let given = [
            ("agent_message", &self.message),
            ("assembled_url", &self.url),
            ("assembled_url_expires_at", &self.url_until),
        ];
        fields.extend(given.into_iter().filter_map(|(name, text)| Some((name.to_owned(), json!(text.as_ref()?)))));
        Ok(body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        report: StatusReport,
    }

    fn reported_by(line: &str) -> Result<Value, Failure> {
        let Line { report } =
            Line::try_parse_from(line.split(' ')).map_err(|error| Failure::Usage(error.to_string()))?;
        report.body()
    }

    #[test]
    fn a_report_has_what_is_given_and_what_the_file_has() {
        assert_eq!(reported_by("report running").unwrap(), json!({ "status": "running" }));
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("more.json");
        std::fs::write(&file, json!({ "assets": [], "status": "failed", "assembled_url": "x" }).to_string()).unwrap();
        let all = format!("report idle --message Look --url u --url-until t --input {}", file.display());
        let wanted = json!({
            "status": "idle", "agent_message": "Look", "assembled_url": "u", "assembled_url_expires_at": "t",
            "assets": [],
        });
        assert_eq!(reported_by(&all).unwrap(), wanted);
        std::fs::write(&file, "[]").unwrap();
        assert!(reported_by(&all).is_err(), "a list is no report");
        assert!(reported_by("report cancelled").is_err());
        assert!(reported_by("report idle --url-until t").is_err());
    }
}
