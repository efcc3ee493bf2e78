//! `mws errors`: how jobs of the last day failed, those that failed alike on one line (`GET /operator/errors`).

use super::Context;
use crate::commands::admin::OperatorToken;
use crate::failure::Failure;
use crate::output::Column;
use serde_json::Value;

const COLUMNS: [Column; 11] = [
    Column::new("KIND", "/kind"),
    Column::new("READ", "/read"),
    Column::new("ERROR", "/error_code"),
    Column::new("JOBS", "/jobs"),
    Column::new("ACCOUNTS", "/accounts"),
    Column::new("NEW", "/is_new"),
    Column::new("WITH RELEASE", "/came_with_release"),
    Column::new("FIRST", "/first_at"),
    Column::new("LAST", "/last_at"),
    Column::new("NEWEST JOB", "/newest_job_id"),
    Column::new("MESSAGE", "/message"),
];

/// The arguments of `mws errors`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Looks through the newest 20,000 jobs. NEW is what was first seen within the last hour, WITH \
RELEASE what was\nnot seen before the workers of this release. --ids prints the newest job of each line.
Examples:
  mws errors
  mws errors --json | jq -r '.data[] | select(.is_new) | .newest_job_id'
  mws errors --ids | head -1 | xargs mws admin jobs get
  mws admin bulk rerun --since 24h --error reader_timeout --dry-run   # what running a line again would take")]
pub struct Args {
    #[command(flatten)]
    pub operator: OperatorToken,
}

pub(super) async fn run(context: &Context) -> Result<(), Failure> {
    let found = context.client.get("/operator/errors").await?;
    context.out.list(&found, "newest_job_id", &COLUMNS)?;
    context.out.say(&looked_at(&found));
    Ok(())
}

/// Says which jobs were looked at.
fn looked_at(found: &Value) -> String {
    let since = found["looked_from"].as_str().map_or_else(String::new, |from| format!(" (made since {from})"));
    let more = if found["left_out"] == true { " There are more kinds: these failed last." } else { "" };
    format!("Looked at were jobs that failed within a day, among the newest 20,000{since}.{more}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_was_looked_at_and_left_out_is_said() {
        let all = json!({ "data": [], "left_out": false, "looked_from": null });
        let said = "Looked at were jobs that failed within a day, among the newest 20,000";
        assert_eq!(looked_at(&all), format!("{said}."));
        let cut = json!({ "data": [], "left_out": true, "looked_from": "2026-11-28T09:00:00.000Z" });
        let more = format!("{said} (made since 2026-11-28T09:00:00.000Z). There are more kinds: these failed last.");
        assert_eq!(looked_at(&cut), more);
    }
}
