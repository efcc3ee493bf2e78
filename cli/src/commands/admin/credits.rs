//! `mws admin credits`: giving accounts AI credits, and taking back what nothing holds.

use super::Context;
use crate::client::part;
use crate::commands::without_nulls;
use crate::failure::Failure;
use crate::output::Column;
use clap::{Args, Subcommand};
use serde_json::{Number, json};

const FIELDS: [Column; 5] = [
    Column::new("applied", "/applied"),
    Column::new("changed by", "/changed_credits"),
    Column::new("left", "/balances/credits/left"),
    Column::new("held", "/balances/credits/held"),
    Column::new("used", "/balances/credits/used"),
];

/// Commands about credits.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Add credits.
    #[command(after_help = "Example:\n  mws admin credits grant acc_01J… 100 --note \"to try it\"")]
    Grant(Giving),
    /// Add credits that were paid for.
    #[command(after_help = "Example:\n  mws admin credits purchase acc_01J… 1000 --reference INV-17")]
    Purchase(Giving),
    /// Take back credits that nothing holds.
    #[command(after_help = "Example:\n  mws admin credits withdraw acc_01J… 100 --note \"given twice\"")]
    Withdraw(Giving),
}

/// The account, the amount and why.
#[derive(Debug, Args)]
pub struct Giving {
    /// The account.
    account: String,
    /// How many credits, with at most two decimals.
    credits: Number,
    /// Why, for the journal.
    #[arg(long)]
    note: Option<String>,
    /// Your own name for it, such as an invoice's number: the same one counts once. A purchase needs one.
    #[arg(long)]
    reference: Option<String>,
}

pub(super) async fn run(command: Command, context: &Context) -> Result<(), Failure> {
    let (kind, giving) = match command {
        Command::Grant(giving) => ("grant", giving),
        Command::Purchase(giving) => ("purchase", giving),
        Command::Withdraw(giving) => ("withdraw", giving),
    };
    let asked = json!({
        "kind": kind, "credits": giving.credits, "note": giving.note, "reference": giving.reference,
    });
    let path = format!("/operator/accounts/{}/credits", part(&giving.account));
    let given = context.client.post(&path, &without_nulls(asked)).await?;
    if given["applied"] == false {
        context.out.say("The reference has counted before: nothing was changed again.");
    }
    context.out.record(&given, "applied", &FIELDS)
}
