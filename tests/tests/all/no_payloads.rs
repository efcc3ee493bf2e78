//! An operator of the role `metadata` sees how work stands, and nothing that customers wrote, sent or made: not by any
//! route and not on any page.

use crate::console::{Traces, pages, signed_in, traces};
use crate::operators::{refusal, send};
use anyhow::Context;
use api::contract::access::Needs;
use api::contract::table::{Row, TABLE};
use domain::operator::OperatorRole;
use mws_tests::world::{Receiver, World};
use reqwest::StatusCode;
use serde_json::json;
use std::collections::BTreeMap;

const BO: &str = "token-of-bo-who-reads";
const MIA: &str = "token-of-mia-who-sees-no-payloads";
/// What stands in everything that customers wrote, sent or made.
const WORD: &str = "kingfisher";
/// What stands on pages in its place.
const HIDDEN: &str = "Hidden by your role";

/// Leaves the word in the texts of a job, of its delivery, and of what is around them.
async fn mark(world: &World) -> anyhow::Result<()> {
    for marks in [
        "UPDATE calls SET context = 'kingfisher'",
        "UPDATE jobs SET result = '{\"said\": \"kingfisher\"}', error_code = 'internal', error_message = 'kingfisher',
             error_retryable = true",
        "UPDATE job_claims SET error_code = 'internal', error_message = 'kingfisher'",
        "UPDATE items SET name = 'kingfisher', ref = 'kingfisher', tags = '{kingfisher}'",
        "UPDATE events SET body = '{\"said\":\"kingfisher\"}'",
        "UPDATE delivery_attempts SET response_excerpt = 'kingfisher', url_path = '/kingfisher',
             request_headers = '{\"x-said\": \"kingfisher\"}', response_headers = 'x-said: kingfisher'",
        "UPDATE webhook_endpoints SET description = 'kingfisher', url = 'http://127.0.0.1:9/kingfisher'",
        "UPDATE accounts SET name = 'kingfisher', suspended_at = mws_now(), suspended_reason = 'kingfisher'",
        "UPDATE workspaces SET name = 'kingfisher'",
        "UPDATE api_keys SET name = 'kingfisher'",
        "UPDATE users SET name = 'kingfisher'",
    ] {
        sqlx::query(marks).execute(world.pool()).await.with_context(|| marks.to_owned())?;
    }
    Ok(())
}

/// A service with an operator who reads all and one who sees no payloads, and a customer's job whose texts are marked.
async fn marked() -> anyhow::Result<(World, Traces, String)> {
    let tokens = format!("bo:read:{BO},mia:metadata:{MIA}");
    let world = World::with(|settings| settings.operator_tokens = Some(tokens.into())).await?;
    let tenant = world.tenant("a").await?;
    let receiver = Receiver::start()?;
    let traces = traces(&world, &tenant, &receiver).await?;
    mark(&world).await?;
    let account = tenant.account.to_string();
    Ok((world, traces, account))
}

#[tokio::test]
async fn no_operation_shows_a_payload_to_an_operator_who_sees_none() -> anyhow::Result<()> {
    let (world, traces, account) = marked().await?;
    let [mia, bo] = [MIA, BO].map(|token| world.client(Some(token.to_owned())));
    let mut shown_to_bo = Vec::new();
    for Row { operation, needs, .. } in TABLE {
        let Needs::Operator(role) = needs else { continue };
        let (method, template) = operation.split_once(' ').unwrap_or_default();
        let of = [("/jobs/", &traces.job), ("/deliveries/", &traces.delivery)];
        let id = of.iter().find(|(within, _)| template.contains(within)).map_or(&account, |(_, id)| *id);
        let path = ["{id}", "{workspaceId}", "{userId}", "{read}"]
            .iter()
            .fold(template.to_owned(), |path, name| path.replace(name, id));
        let answer = send(&mia, method, &path, &json!({})).await?;
        if *role == OperatorRole::Metadata {
            assert!((200..300).contains(&answer.status), "{operation}: {}", answer.text);
        } else {
            assert_eq!(refusal(&answer), (403, "role_forbidden"), "{operation}: {}", answer.text);
        }
        assert!(!answer.text.contains(WORD), "{operation}: {}", answer.text);
        if method == "GET" && send(&bo, method, &path, &json!({})).await?.text.contains(WORD) {
            shown_to_bo.push(*operation);
        }
    }
    // Whoever may read all finds the word in what the other was shown without it: the test looks at payloads.
    for operation in [
        "GET /operator/accounts",
        "GET /operator/accounts/{id}",
        "GET /operator/jobs",
        "GET /operator/jobs/{id}",
        "GET /operator/deliveries",
        "GET /operator/deliveries/{id}",
        "GET /operator/webhooks",
    ] {
        assert!(shown_to_bo.contains(&operation), "{operation} is not among {shown_to_bo:?}");
    }
    // What is found by a name would tell it.
    for name in [WORD, "heron"] {
        let path = format!("/operator/accounts?name={name}");
        let refused = send(&mia, "GET", &path, &json!({})).await?;
        assert_eq!(refusal(&refused), (403, "role_forbidden"), "{name}: {}", refused.text);
        assert_eq!(send(&bo, "GET", &path, &json!({})).await?.status, 200, "{name}");
    }
    let seen = send(&mia, "GET", &format!("/operator/accounts/{account}"), &json!({})).await?.json;
    assert_eq!(seen["account"]["suspended_reason"], "Hidden by your role.", "{seen:#}");
    assert!(seen["account"]["suspended_at"].is_string(), "{seen:#}");
    let whole = send(&bo, "GET", &format!("/operator/accounts/{account}"), &json!({})).await?.json;
    assert_eq!(whole["account"]["suspended_reason"], WORD, "{whole:#}");
    let job = send(&mia, "GET", &format!("/operator/jobs/{}", traces.job), &json!({})).await?.json;
    for field in ["result", "context", "ref"] {
        assert!(job["job"][field].is_null(), "{field}: {job:#}");
    }
    assert_eq!((&job["payloads_hidden"], &job["job"]["status"]), (&json!(true), &json!("succeeded")), "{job:#}");
    let whole = send(&bo, "GET", &format!("/operator/jobs/{}", traces.job), &json!({})).await?.json;
    assert_eq!(whole["payloads_hidden"], false, "{whole:#}");
    world.end().await
}

#[tokio::test]
async fn no_page_of_the_console_shows_a_payload_to_an_operator_who_sees_none() -> anyhow::Result<()> {
    let (world, traces, account) = marked().await?;
    let (mia, bo) = (signed_in(&world, MIA).await?, signed_in(&world, BO).await?);
    let mut paths = pages(&traces, &account);
    paths.push(format!("/console/accounts/{account}/minutes.csv"));
    paths.push(format!("/console/find?id={}", traces.job));
    let files = ["media", "captions.vtt", "still"].map(|file| format!("/console/items/{}/{file}", traces.item));
    paths.extend(files.clone());
    let lists = ["jobs", "deliveries", "endpoints", "accounts", "bulk", "items", "errors", "audit"];
    paths.extend(lists.map(|list| format!("/console/{list}?format=json")));
    let (mut seen, mut shown_to_bo) = (Vec::new(), Vec::new());
    for path in paths {
        let (status, page) = mia.get(&path).await?;
        assert!(!page.contains(WORD), "{path}: {page}");
        if status != StatusCode::FORBIDDEN {
            seen.push(path.clone());
        }
        if bo.get(&path).await?.1.contains(WORD) {
            shown_to_bo.push((path, page.contains(HIDDEN)));
        }
    }
    let Traces { job, delivery, endpoint, .. } = &traces;
    for path in [
        format!("/console/jobs/{job}"),
        format!("/console/deliveries/{delivery}"),
        format!("/console/endpoints/{endpoint}"),
        format!("/console/accounts/{account}"),
        "/console/accounts".to_owned(),
    ] {
        assert!(seen.contains(&path), "{path} is refused");
        assert!(shown_to_bo.contains(&(path.clone(), true)), "{path} does not say what is hidden: {shown_to_bo:?}");
    }
    let rows = "/console/jobs?format=json".to_owned();
    assert!(seen.contains(&rows) && shown_to_bo.iter().any(|(path, _)| *path == rows), "rows as JSON: {shown_to_bo:?}");
    // An endpoint is told by its host.
    for path in ["/console/endpoints", "/console/endpoints?format=json"] {
        let endpoints = mia.get(path).await?.1;
        assert!(endpoints.contains("http://127.0.0.1:9/…"), "{path}: {endpoints}");
    }
    // What is found by a name would tell it.
    let (accounts, box_of_name) = ("/console/accounts", "id=\"f-name\"");
    assert!(!mia.get(accounts).await?.1.contains(box_of_name));
    assert!(bo.get(accounts).await?.1.contains(box_of_name));
    for name in [WORD, "heron"] {
        let path = format!("{accounts}?name={name}");
        assert_eq!(mia.get(&path).await?.0, StatusCode::FORBIDDEN, "{path}");
        assert_eq!(bo.get(&path).await?.0, StatusCode::OK, "{path}");
    }
    let of_all = ["/console/items", "/console/audit", "/console/errors"].map(str::to_owned);
    for path in of_all.iter().chain(&files) {
        assert!(!seen.contains(path), "{path} is for operators who read all");
    }
    world.end().await
}

#[tokio::test]
async fn no_page_of_the_console_offers_one_that_does_not_open() -> anyhow::Result<()> {
    let (world, traces, account) = marked().await?;
    for (token, reads) in [(MIA, false), (BO, true)] {
        let browser = signed_in(&world, token).await?;
        // Each link, with a page that has it.
        let mut offered: BTreeMap<String, String> = BTreeMap::new();
        for path in pages(&traces, &account) {
            let (_, page) = browser.get(&path).await?;
            let links = page.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
            for link in links.filter(|link| link.starts_with("/console")) {
                offered.insert(link.replace("&amp;", "&"), path.clone());
            }
        }
        for (link, page) in &offered {
            assert_ne!(browser.get(link).await?.0, StatusCode::FORBIDDEN, "{page} offers {link}");
        }
        let has = |link: &str| offered.contains_key(link);
        assert!(has("/console/jobs") && has(&format!("/console/endpoints/{}", traces.endpoint)), "{offered:?}");
        for link in ["/console/audit", "/console/rerun", &format!("/console/items/{}", traces.item)] {
            assert_eq!(has(link), reads, "{link}: {offered:?}");
        }
    }
    world.end().await
}
