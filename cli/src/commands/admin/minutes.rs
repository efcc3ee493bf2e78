//! `mws admin minutes`: giving accounts minutes.

use super::Context;
use crate::client::part;
use crate::commands::without_nulls;
use crate::failure::Failure;
use crate::output::Column;
use clap::{Args, Subcommand};
use serde_json::{Number, json};

const FIELDS: [Column; 7] = [
    Column::new("applied", "/applied"),
    Column::new("given", "/given_minutes"),
    Column::new("month", "/balances/month"),
    Column::new("allowance", "/balances/allowance_minutes"),
    Column::new("used", "/balances/used_minutes"),
    Column::new("left", "/balances/left_minutes"),
    Column::new("bought", "/balances/bought_minutes"),
];

/// Commands about minutes.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Add minutes to the open month alone.
    #[command(after_help = "Example:\n  mws admin minutes grant acc_01J… 100 --note \"for the outage\"")]
    Grant(Giving),
    /// Add bought minutes, which never lapse.
    #[command(after_help = "Example:\n  mws admin minutes purchase acc_01J… 1000 --reference INV-17")]
    Purchase {
        /// The account.
        account: String,
        /// How many minutes, with at most two decimals.
        minutes: Number,
        /// Your own name for it, such as an invoice's number: the same one counts once, however often it is sent.
        #[arg(long)]
        reference: String,
        /// Why, for the journal.
        #[arg(long)]
        note: Option<String>,
    },
    /// Set how many minutes each month has, from the open one on.
    Allow {
        /// The account.
        account: String,
        /// Minutes a month.
        minutes: Number,
        /// Why, for the journal.
        #[arg(long)]
        note: Option<String>,
    },
}

/// The account, the amount and why.
#[derive(Debug, Args)]
pub struct Giving {
    /// The account.
    account: String,
    /// How many minutes, with at most two decimals.
    minutes: Number,
    /// Why, for the journal.
    #[arg(long)]
    note: Option<String>,
    /// Your own name for it, such as an invoice's number: the same one counts once.
    #[arg(long)]
    reference: Option<String>,
}

pub(super) async fn run(command: Command, context: &Context) -> Result<(), Failure> {
    let (kind, giving) = match command {
        Command::Grant(giving) => ("grant", giving),
        Command::Purchase { account, minutes, reference, note } => {
            ("purchase", Giving { account, minutes, note, reference: Some(reference) })
        }
        Command::Allow { account, minutes, note } => ("allowance", Giving { account, minutes, note, reference: None }),
    };
    let asked = json!({
        "kind": kind, "minutes": giving.minutes, "note": giving.note, "reference": giving.reference,
    });
    let path = format!("/operator/accounts/{}/minutes", part(&giving.account));
    let given = context.client.post(&path, &without_nulls(asked)).await?;
    if given["applied"] == false {
        context.out.say("The reference has counted before: nothing was given again.");
    }
    context.out.record(&given, "applied", &FIELDS)
}
