//! `mws statement`: a month of the account's journal, and what it adds up to.

use super::{Context, pages};
use crate::client::query;
use crate::failure::Failure;
use crate::output::Column;
use serde_json::Value;

const COLUMNS: [Column; 8] = [
    Column::new("AT", "/at"),
    Column::new("KIND", "/kind"),
    Column::new("JOB", "/job_id"),
    Column::new("REFERENCE", "/reference"),
    Column::new("HELD", "/held_minutes"),
    Column::new("MINUTES", "/minutes"),
    Column::new("BOUGHT", "/bought_minutes"),
    Column::new("CREDITS", "/credits"),
];

/// Which month to show.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mws statement
  mws statement --month 2026-11 --all > 2026-11.tsv
  mws statement --month 2026-11 --all --json")]
pub struct Args {
    /// The month, such as 2026-11; the open one unless it is given.
    #[arg(long)]
    month: Option<String>,
    #[command(flatten)]
    pages: pages::Pages,
}

pub(super) async fn run(args: Args, context: &Context) -> Result<(), Failure> {
    show(context, "/statement", args.month, args.pages).await
}

/// Shows the statement of a month that is at this path.
pub(super) async fn show(
    context: &Context,
    path: &str,
    month: Option<String>,
    pages: pages::Pages,
) -> Result<(), Failure> {
    let asked = [("month", month), ("limit", Some("1".to_owned()))];
    let mut whole = context.client.get(&format!("{path}{}", query(&asked))).await?;
    // The month that was answered: another may begin meanwhile.
    let month = [("month", whole["month"].as_str().map(str::to_owned))];
    let mut list = pages::fetch(context, path, &month, pages).await?;
    for name in ["data", "has_more", "next_cursor"] {
        whole[name] = list[name].take();
    }
    context.out.list(&whole, "job_id", &COLUMNS)?;
    context.out.say(&sums(&whole));
    if whole["adds_up"] != true {
        let wrong = "The balances are not what the journal adds up to: tell whoever runs the service.";
        context.out.say(&context.out.bad(wrong));
    }
    Ok(())
}

/// What was before, what changed, and what is after, in a line.
fn sums(whole: &Value) -> String {
    let of = |name: &str, label: &str| {
        let part = |part: &str| whole[name][part].to_string();
        let change = part("change");
        let change = change.strip_prefix('-').map_or(format!("+ {change}"), |less| format!("- {less}"));
        format!("{label} {} {change} = {}", part("before"), part("after"))
    };
    let month = whole["month"].as_str().unwrap_or_default();
    let sums = [of("minutes", "minutes"), of("bought_minutes", "bought"), of("credits", "credits")].join(" · ");
    format!("{month}: {sums}{}", if whole["adds_up"] == true { " · adds up" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::sums;
    use serde_json::json;

    #[test]
    fn what_was_and_what_changed_are_what_is() {
        let of = |before: f64, change: f64, after: f64| json!({ "before": before, "change": change, "after": after });
        let whole = json!({
            "month": "2026-11", "minutes": { "before": 0, "change": 1099.27, "after": 1099.27 },
            "bought_minutes": of(50.5, -0.25, 50.25), "credits": { "before": 2, "change": 0, "after": 2 }, "adds_up": true,
        });
        assert_eq!(
            sums(&whole),
            "2026-11: minutes 0 + 1099.27 = 1099.27 · bought 50.5 - 0.25 = 50.25 · credits 2 + 0 = 2 · adds up"
        );
    }
}
