//! Whether an account's balances are what its journal adds up to: a part of its statement's page.

use super::Visit;
use super::words::{amount, word};
use crate::http::error::{Answer, ApiError, Code};
use crate::resources::account::statement::month_of;
use crate::usecases::operator::missing;
use domain::ids::AccountId;
use domain::minutes::Minutes;
use domain::verdict::span;
use maud::{Markup, html};
use store::{journal, ledger, minutes, statement};

/// The entries of a journal that a page adds up at most.
pub(super) const ADDED_UP: i64 = 20_000;

/// Compares the account's balances with its whole journal now, or with the ledger's tallies of it if it is long. If
/// that takes too long, shows the last check of all books. `begins` is what was left of the bought minutes before the
/// first entry, where the page shows that entry.
pub(super) async fn proof(visit: &Visit, id: AccountId, begins: Option<Minutes>) -> Markup {
    html! {
        @match compared(visit, id).await {
            Ok(Compared::Tallies(true)) => {
                p {
                    span.state.good { "✓ adds up" }
                    " Its journal is long: its balances are what the ledger's tallies and the entries since add up to. "
                    (last_check(visit).await)
                }
            }
            Ok(Compared::Tallies(false)) => { p.fault role="alert" { (DOES_NOT_ADD_UP) } }
            Ok(Compared::Whole(drift)) if drift.is_empty() => {
                p { span.state.good { "✓ adds up" } " Its balances are what its whole journal adds up to, read just now." }
            }
            Ok(Compared::Whole(drift)) => {
                p.fault role="alert" { (DOES_NOT_ADD_UP) }
                ul { @for one in &drift { li { (one.what) ": the balance says " (amount(one.balance)) ", the journal " (amount(one.journal)) } } }
            }
            Err(_) => { p { "The journal could not be read within two seconds. " (last_check(visit).await) } }
        }
        @if let Some(begins) = begins {
            p.soft { "Before the first entry that is shown, " (amount(begins)) " "
                (word(begins.hundredths() == 100, "bought minute was left", "bought minutes were left"))
                @if begins == Minutes::ZERO { ", as it must be." } @else { ": it should be none." } }
        }
    }
}

const DOES_NOT_ADD_UP: &str = "✗ It does not add up: stop grants and find out why, and edit no balance.";

/// What an account's balances were compared with.
enum Compared {
    /// Each entry of the journal: these balances differ from what it adds up to.
    Whole(Vec<minutes::Drift>),
    /// The tallies of the ledger's last check and the entries since: whether they add up to the balances.
    Tallies(bool),
}

async fn compared(visit: &Visit, id: AccountId) -> Answer<Compared> {
    let mut conn = visit.conn().await?;
    if !journal::is_longer(&mut conn, id, 0, ADDED_UP).await? {
        return Ok(Compared::Whole(minutes::drift(&mut conn, Some(&[id])).await?));
    }
    let month = month_of(&mut conn, None).await?;
    let sums = statement::sums(&mut conn, id, month).await?.ok_or_else(|| missing(Code::AccountNotFound, id))?;
    Ok(Compared::Tallies(sums.adds_up))
}

async fn last_check(visit: &Visit) -> Markup {
    let last = async { Ok::<_, ApiError>(ledger::last_check(&mut *visit.conn().await?).await?) }.await;
    html! { @match last.ok().and_then(|last| Some((last.age_seconds?, last.drifting))) {
        Some((age, 0)) => { "The last check of all books, " (span(age)) " ago, found nothing wrong." }
        Some((age, many)) => {
            "The last check of all books, " (span(age)) " ago, found "
            (many) " " (word(many == 1, "balance", "balances")) " wrong."
        }
        None => { "The books were never checked." }
    } }
}
