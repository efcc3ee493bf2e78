//! `mws errors`: how jobs of the last day failed, or deliveries, those that failed alike on one line
//! (`GET /operator/errors`).

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

const DELIVERIES: [Column; 13] = [
    Column::new("HOST", "/host"),
    Column::new("ERROR", "/error"),
    Column::new("HTTP STATUS", "/response_status"),
    Column::new("DELIVERIES", "/deliveries"),
    Column::new("TRIED AGAIN", "/pending"),
    Column::new("SENT AGAIN", "/sent_again"),
    Column::new("ARRIVED", "/arrived"),
    Column::new("UNSENT", "/unsent"),
    Column::new("ENDPOINTS", "/endpoints"),
    Column::new("ACCOUNTS", "/accounts"),
    Column::new("FIRST MADE", "/first_at"),
    Column::new("LAST MADE", "/last_at"),
    Column::new("NEWEST DELIVERY", "/newest_delivery_id"),
];

/// The arguments of `mws errors`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Looks through the newest 20,000 failed jobs. NEW is what was first seen within the last hour, \
WITH RELEASE what was\nnot seen before the workers of this release. --ids prints the newest job of each line.
Of deliveries, ARRIVED counts those SENT AGAIN, and UNSENT what can be sent again. What needs nothing stands last.
Examples:
  mws errors
  mws errors --json | jq -r '.data[] | select(.is_new) | .newest_job_id'
  mws errors --ids | head -1 | xargs mws admin jobs get
  mws errors --deliveries                # which receivers answer what
  mws admin bulk rerun --since 24h --error reader_timeout --dry-run   # what running a line again would take"
)]
pub struct Args {
    #[command(flatten)]
    pub operator: OperatorToken,
    /// Deliveries of a day whose last attempt failed, by the host and by what it answered.
    #[arg(long)]
    pub deliveries: bool,
}

pub(super) async fn run(args: &Args, context: &Context) -> Result<(), Failure> {
    let found = context.client.get("/operator/errors").await?;
    let sent = &found["deliveries"];
    if args.deliveries {
        context.out.list(sent, "newest_delivery_id", &DELIVERIES)?;
        context.out.say(&looked_at(sent, "deliveries of a day whose last attempt failed", "these are the first"));
        return Ok(());
    }
    context.out.list(&found, "newest_job_id", &COLUMNS)?;
    context.out.say(&looked_at(&found, "jobs that failed within a day", "these failed last"));
    if sent["data"].as_array().is_some_and(|kinds| !kinds.is_empty()) {
        context.out.say("Deliveries failed too: mws errors --deliveries shows them.");
    }
    Ok(())
}

/// Says what was looked at, and which kinds are shown where there are more.
fn looked_at(found: &Value, what: &str, shown: &str) -> String {
    let since = found["looked_from"].as_str().map_or_else(String::new, |from| format!(" (made since {from})"));
    let more = if found["left_out"] == true { format!(" There are more kinds: {shown}.") } else { String::new() };
    format!("Looked at were {what}, among the newest 20,000{since}.{more}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_was_looked_at_and_left_out_is_said() {
        let all = json!({ "data": [], "left_out": false, "looked_from": null });
        let said = "Looked at were jobs that failed, among the newest 20,000";
        let looked_at = |found: &Value| looked_at(found, "jobs that failed", "these failed last");
        assert_eq!(looked_at(&all), format!("{said}."));
        let cut = json!({ "data": [], "left_out": true, "looked_from": "2026-11-28T09:00:00.000Z" });
        let more = format!("{said} (made since 2026-11-28T09:00:00.000Z). There are more kinds: these failed last.");
        assert_eq!(looked_at(&cut), more);
    }
}
