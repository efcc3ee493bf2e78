//! `mws balances` and `mws credits`: the month's minutes, the AI credits, and what a minute of media costs.

use super::Context;
use crate::failure::Failure;
use crate::output::Column;

const FIELDS: [Column; 19] = [
    Column::new("month", "/month"),
    Column::new("allowance", "/allowance_minutes"),
    Column::new("used", "/used_minutes"),
    Column::new("held", "/held_minutes"),
    Column::new("left", "/left_minutes"),
    Column::new("bought", "/bought_minutes"),
    Column::new("resets", "/resets_at"),
    Column::new("credits left", "/credits/left"),
    Column::new("credits held", "/credits/held"),
    Column::new("credits used", "/credits/used"),
    Column::new("rate of transcript", "/rates/transcript"),
    Column::new("rate of search_index", "/rates/search_index"),
    Column::new("rate of speech", "/rates/speech"),
    Column::new("rate of speakers", "/rates/speakers"),
    Column::new("rate of beats", "/rates/beats"),
    Column::new("rate of levels", "/rates/levels"),
    Column::new("rate of render", "/rates/render"),
    Column::new("rate of generation", "/rates/generation"),
    Column::new("rate of dub", "/rates/dub"),
];

pub(super) async fn run(context: &Context) -> Result<(), Failure> {
    let balances = context.client.get("/balances").await?;
    context.out.record(&balances, "month", &FIELDS)
}

const CREDITS: [Column; 3] =
    [Column::new("left", "/credits/left"), Column::new("held", "/credits/held"), Column::new("used", "/credits/used")];

pub(super) async fn credits(context: &Context) -> Result<(), Failure> {
    let balances = context.client.get("/balances").await?;
    context.out.record(&balances, "left", &CREDITS)
}

#[cfg(test)]
mod tests {
    use super::FIELDS;
    use domain::task::Task;

    #[test]
    fn the_rate_of_every_task_is_shown() {
        for task in Task::ALL {
            let pointer = format!("/rates/{}", task.name());
            assert!(FIELDS.iter().any(|field| field.pointer == pointer), "{pointer}");
        }
    }
}
