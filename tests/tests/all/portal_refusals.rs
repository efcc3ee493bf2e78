//! What the customers' pages say where something is refused, is not there, or has ended.

use crate::portal::{at, link};
use mws_tests::world::{Browser, World};
use reqwest::{Method, StatusCode, header};
use serde_json::json;

#[tokio::test]
async fn a_refused_form_has_the_words_of_the_form_and_a_way_back_to_it() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let endpoint = world.endpoint(&tenant, "http://127.0.0.1:9/a").await?;
    let browser = at(&world, &link(&tenant.client, json!({})).await?).await?;
    let (list, own) = ("/portal/webhooks", format!("/portal/webhooks/{endpoint}"));
    let add = |url: &'static str| vec![("url", url), ("event_types", "job.failed"), ("kinds", "read")];
    for (path, fields, said) in [
        (list, add("http://93.184.216.34/hook"), "The address must begin with https://."),
        (list, add("https://a:b@93.184.216.34/hook"), "The address is not a whole one"),
        (list, vec![("url", "https://93.184.216.34/hook")], "Tick an event and a kind of job"),
        (own.as_str(), vec![("do", "resend"), ("since", "yesterday")], "Give a date and a time"),
    ] {
        let refused = browser.post(path, &fields).await?;
        let (status, page) = (refused.status(), refused.text().await?);
        assert!(status.is_client_error() && page.contains(said) && !page.contains('`'), "{said}: {status} {page}");
        assert!(page.contains(&format!("<a href=\"{path}\">Back to the form</a>")), "{path}: {page}");
    }
    for (filter, said) in [
        (format!("{own}?http_status=many"), "The HTTP status must be a number"),
        (format!("{own}?cursor=x"), "Begin at its newest rows"),
        ("/portal/usage/statement?month=odd".to_owned(), "The month: expected a month"),
    ] {
        let (status, page) = browser.get(&filter).await?;
        assert!(status == StatusCode::BAD_REQUEST && page.contains(said) && !page.contains('`'), "{filter}: {page}");
        let path = filter.split('?').next().unwrap_or_default();
        assert!(page.contains(&format!("<a href=\"{path}\">Back to the form</a>")), "{path}: {page}");
    }
    let gone = browser.post("/portal/webhooks/whe_01J00000000000000000000000", &[("do", "pause")]).await?;
    assert_eq!(gone.status(), StatusCode::NOT_FOUND);
    assert!(!gone.text().await?.contains("Back to the form"), "the page that it stood on is not there");
    world.end().await
}

#[tokio::test]
async fn a_path_without_a_page_is_answered_by_a_page() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let asked = json!({ "pages": ["usage"], "theme": { "name": "Acme Video" } });
    let (inside, outside) = (at(&world, &link(&tenant.client, asked).await?).await?, Browser::new(&world)?);
    let nowhere = ["/portal/nowhere", "/portal/usage/of/nothing", "/portal/secret", "/portal/out"];
    for path in nowhere {
        for browser in [&inside, &outside] {
            let answer = browser.request(Method::GET, path).send().await?;
            assert_eq!(answer.status(), StatusCode::NOT_FOUND, "{path}");
            assert_eq!(answer.headers()[header::CONTENT_TYPE], "text/html; charset=utf-8", "{path}");
            let page = answer.text().await?;
            for part in ["<html lang=\"en\">", "<title>", "<main id=\"main\"", "<h1>", "There is no such page."] {
                assert!(page.contains(part), "{path}: {part}: {page}");
            }
            let is_inside = browser.cookie.is_some();
            assert_eq!(page.contains("<nav aria-label=\"Pages\">"), is_inside, "{path}: {page}");
            assert_eq!(page.contains("Acme Video"), is_inside, "{path}: {page}");
        }
    }
    let (status, page) = inside.get("/portal/keys").await?;
    assert!(
        status == StatusCode::NOT_FOUND && page.contains("<nav aria-label=\"Pages\">"),
        "not a page of its: {page}"
    );
    assert_eq!(inside.post("/portal/nowhere", &[]).await?.status(), StatusCode::NOT_FOUND);
    world.end().await
}

#[tokio::test]
async fn whoever_signs_out_is_told_where_to_go() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let back = json!({ "return_url": "https://app.example.com/settings?tab=1" });
    let led = json!({ "refresh_url": "https://app.example.com/again" });
    for (asked, links, has_back) in [
        (back, vec!["href=\"https://app.example.com/settings?tab=1\"", "Back to app.example.com"], true),
        (led, vec!["href=\"https://app.example.com/again\"", "Open them again"], false),
        (json!({}), vec![], false),
    ] {
        let browser = at(&world, &link(&tenant.client, asked).await?).await?;
        let page = browser.post("/portal/out", &[]).await?.text().await?;
        let (_, main) = page.split_once("<main").unwrap_or_default();
        assert!(main.contains("You are signed out") && main.contains("open them from where you came"), "{page}");
        assert!(links.iter().all(|link| main.contains(link)), "{links:?}: {page}");
        assert_eq!(main.contains("You can close this window"), !has_back, "{page}");
    }
    world.end().await
}
