//! The pages of all accounts and of one account: its minutes, workspaces, keys and endpoints.

use super::shell::Fit;
use super::words::{amount, link, or_dash, short, state, theirs, time, time_or};
use super::{Visit, json, shell};
use crate::http::error::{Answer, Code};
use crate::http::json::json_of;
use crate::resources::operator::accounts::{OperatorAccount, OperatorAccounts};
use crate::usecases::balance::balance;
use crate::usecases::operator::accounts::unpaid_time;
use crate::usecases::operator::missing;
use chrono::{DateTime, Utc};
use domain::ids::AccountId;
use domain::job::{MAX_LIVE, PLACES};
use maud::{Markup, html};
use poem::Response;
use store::Seen;
use store::accounts::{self, AccountRow};
use store::keys::{self, KeyRow};
use store::minutes::Balance;
use store::{endpoints, workspaces};

/// The most keys, workspaces and endpoints that an account's page shows.
const MOST: i64 = 50;

pub(super) async fn show(visit: Visit) -> Answer<Response> {
    visit.takes(&["name", "cursor", "format"])?;
    if visit.asked("name").is_some() {
        visit.caller.may_select_by_name()?;
    }
    let page = visit.page("operator accounts")?;
    let now = visit.now().await?;
    let rows = accounts::list(&mut *visit.conn().await?, visit.asked("name"), page.after, page.fetch()).await?;
    if visit.wants_json()? {
        let shown = |row| OperatorAccount::shown(row, &visit.caller);
        return Ok(json(&json_of(&page.list(rows, |row| row.id.uuid(), shown))));
    }
    let (found, next) = page.cut(Seen { rows, last_seen: None }, |row| row.id.uuid());

    let main = html! {
        h1 { "Accounts" }
        @if visit.sees_payloads() { (shell::filters("/accounts", &shell::text_field(&visit, "name", "Name, whole"))) }
        (shell::newest(&visit, &html! {
            @if !found.is_empty() { (rows_of(&visit, &found, now)) }
            (shell::pages(&visit, found.len(), next.as_deref(), "accounts"))
        }))
        (shell::command(&super::words::command("mws admin accounts list", &visit, &[("name", "--name")])))
    };
    Ok(visit.whole("Accounts", &main))
}

/// Accounts as a table.
fn rows_of(visit: &Visit, found: &[AccountRow], now: DateTime<Utc>) -> Markup {
    let rows = html! {
        @for one in found {
            tr {
                td { (link("accounts", one.id)) }
                td.long { (theirs(visit, Some(&one.name))) }
                td { (standing(one)) }
                td.medium { (or_dash(one.monthly_allowance)) }
                td.wide { (time(one.created_at, now)) }
                @if visit.may_read() {
                    td.medium { a href={ "/console/accounts/" (one.id) "/minutes" } { "Statement" } }
                }
            }
        }
    };
    let columns = [
        ("Account", Fit::Any),
        ("Name", Fit::Any),
        ("State", Fit::Any),
        ("Own minutes a month", Fit::Medium),
        ("Opened", Fit::Wide),
        ("Minutes", Fit::Medium),
    ];
    shell::fitted_table("Accounts", &columns[..columns.len() - usize::from(!visit.may_read())], &rows)
}

fn standing(account: &AccountRow) -> Markup {
    match (account.erased_at, account.suspended_at) {
        (Some(_), _) => html! { span.state.plain { "· erased" } },
        (None, Some(_)) => state("suspended"),
        (None, None) => state("active"),
    }
}

pub(super) async fn one(visit: Visit) -> Answer<Response> {
    visit.takes(&[])?;
    let id: AccountId = visit.own_id(Code::AccountNotFound)?;
    let now = visit.now().await?;
    let mut conn = visit.conn().await?;
    let account = accounts::find(&mut conn, id).await?.ok_or_else(|| missing(Code::AccountNotFound, id))?;
    let settings = &visit.app.process.settings;
    let balance = balance(settings, &mut conn, id).await?;
    let unpaid = unpaid_time(settings, &mut conn, id).await?;
    let own = workspaces::list(&mut conn, Some(id), None, MOST).await?;
    let keys = keys::every(&mut conn, id, None, MOST).await?;
    let endpoints = endpoints::every(&mut conn, None, Some(id), None, MOST).await?;
    drop(conn);
    let detail = json_of(&OperatorAccounts(visit.app.clone()).detail(&visit.caller, id).await?);
    let main = html! {
        h1 { "Account " (theirs(&visit, Some(&account.name))) }
        (shell::section("state", "State", &html! {
            (shell::facts(&[
                ("Id", html! { code { (id) } }),
                ("State", html! {
                    (standing(&account))
                    @if let Some(why) = &account.suspended_reason { " " (theirs(&visit, Some(why))) }
                }),
                ("Opened", time(account.created_at, now)),
                ("Live jobs", html! { (balance.live) " of " (MAX_LIVE) }),
                ("Places in use", html! { (balance.admitted) " of " (PLACES) }),
                ("Unpaid processor time", html! { (unpaid.seconds) " s of " (settings.unpaid_processor_seconds) " s a day" }),
            ]))
            @if unpaid.wait_seconds > 0 {
                p { "Its work waits for " (unpaid.wait_seconds) " s: media that fail or take far more work than usual "
                    "have used up the day. To let it go on:" }
                (shell::command(&format!("mws admin accounts forgive {id}")))
            }
            p { a href={ "/console/jobs?account_id=" (id) } { "Jobs" } " · " a href={ "/console/deliveries?account_id=" (id) } { "Deliveries" }
                @if visit.may_read() { " · " a href={ "/console/audit?target=" (id) } { "What operators did" } } }
            @if visit.may_act() && account.suspended_at.is_none() {
                p.acts { a.button href={ "/console/accounts/" (id) "/portal" } { "Link to its portal…" } }
            }
        }))
        (shell::section("minutes", "Minutes", &minutes(&visit, id, &balance)))
        (shell::section("workspaces", "Workspaces", &html! {
            ul { @for one in &own { li {
                a.id href={ "/console/jobs?workspace_id=" (one.id) } { (one.id) } " " (theirs(&visit, Some(&one.name)))
                @if one.is_default { " (default)" }
                @if visit.may_read() {
                    " " a href={ "/console/items?workspace_id=" (one.id) } { "Items" span.hidden { " of " (one.id) } }
                }
            } } }
        }))
        (shell::section("keys", "Keys", &html! {
            (keyed(&visit, &keys, now))
            @if keys.is_empty() && account.suspended_at.is_none() && visit.may_act() {
                p { "Nobody can call for it yet, or open its portal. To make its first key:" }
                (shell::command(&format!("mws admin keys create --account {id}")))
            }
        }))
        (shell::section("endpoints", "Endpoints", &html! {
            @if endpoints.is_empty() { p.soft { "None." } }
            ul { @for one in &endpoints { li {
                (link("endpoints", one.endpoint.id)) " " (super::words::endpoint_url(&visit, &one.endpoint.url)) " "
                @if one.deleted_at.is_some() { "removed" }
                @else { (state(if one.endpoint.enabled { "enabled" } else { "disabled" })) }
            } } }
        }))
        (shell::section("document", "As operators' programs see it", &shell::document(&detail)))
        (shell::command(&format!("mws admin accounts get {id}")))
    };
    Ok(visit.whole(&format!("Account {id}"), &main))
}

fn minutes(visit: &Visit, id: AccountId, balance: &Balance) -> Markup {
    html! {
        (shell::facts(&[
            ("Month", html! { (balance.month.format("%Y-%m")) }),
            ("Allowance", amount(balance.allowance)),
            ("Used", amount(balance.used)),
            ("Held", amount(balance.held_in_all)),
            ("Left of the month", amount(balance.left())),
            ("Bought and left", amount(balance.bought)),
            ("AI credits left", amount(balance.credits.left())),
            ("AI credits held", amount(balance.credits.held)),
        ]))
        @if visit.may_read() {
            p { a href={ "/console/accounts/" (id) "/minutes" } { "The statement: every entry, and what it left" } }
        }
    }
}

fn keyed(visit: &Visit, keys: &[KeyRow], now: DateTime<Utc>) -> Markup {
    if keys.is_empty() {
        return html! { p.soft { "None." } };
    }
    let rows = html! {
        @for key in keys {
            tr {
                td { code { (key.prefix) "…" } }
                td.long { (theirs(visit, key.name.as_ref())) }
                td.wide { span.id title=(key.id) { (short(&key.id.to_string())) } }
                td.medium { (time(key.created_at, now)) }
                td.medium { (time_or(key.last_used_at, now, "never")) }
                td { @match key.revoked_at { Some(at) => { "revoked " (time(at, now)) } None => { (state("live")) } } }
            }
        }
    };
    let columns = [
        ("Begins with", Fit::Any),
        ("Name", Fit::Any),
        ("Id", Fit::Wide),
        ("Made", Fit::Medium),
        ("Last used", Fit::Medium),
        ("State", Fit::Any),
    ];
    shell::fitted_table("Keys", &columns, &rows)
}
