//! `mws overview`: what is in the workspace, and what is under way.

use super::Context;
use crate::failure::Failure;
use crate::output::Column;

const FIELDS: [Column; 11] = [
    Column::new("items", "/items"),
    Column::new("ready", "/ready"),
    Column::new("newest", "/newest_items"),
    Column::new("reads missing", "/missing_reads"),
    Column::new("live jobs", "/live_jobs"),
    Column::new("running", "/running_jobs"),
    Column::new("projects", "/projects"),
    Column::new("minutes left", "/left_minutes"),
    Column::new("minutes held", "/held_minutes"),
    Column::new("AI credits left", "/left_credits"),
    Column::new("endpoints in trouble", "/troubled_endpoints"),
];

pub(super) async fn run(context: &Context) -> Result<(), Failure> {
    let mut overview = context.client.get("/overview").await?;
    if !context.out.json {
        let troubled = overview["troubled_endpoints"].as_array().into_iter().flatten();
        overview["troubled_endpoints"] = troubled.map(|endpoint| endpoint["id"].clone()).collect();
    }
    if !context.out.json && overview["counts_are_partial"] == true {
        context
            .out
            .say("Only the newest 10,000 items are counted, and of the newest 2,000 the reads that are missing.");
    }
    context.out.record(&overview, "left_minutes", &FIELDS)
}
