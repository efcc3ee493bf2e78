//! What the customers' pages say where something is refused, is not there, or has ended.

use crate::portal::{at, link};
use domain::minutes::Minutes;
use domain::read::Read;
use mws_tests::world::{Browser, Media, Receiver, World, runners, until};
use reqwest::{Method, StatusCode, header};
use serde_json::json;
use worker::readers::ReadError;

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
        (list, add("https://a:b@93.184.216.34/hook"), "what stood before the @ is left out. "),
        (list, add("https://93.184.216.34 /hook"), "The address is not a whole one"),
        (list, vec![("url", "https://93.184.216.34/hook")], "The events: tick one at least."),
        (list, add("https://a:b%4093.184.216.34/hook"), "what stood before the @ is left out. "),
        (list, vec![("url", "https://a:b@93.184.216.34/hook")], "what stood before the @ is left out. "),
        (list, vec![("url", "https://93.184.216.34/hook"), ("event_types", "job.failed")], "The kinds of jobs: tick"),
        (own.as_str(), vec![("do", "resend"), ("since", "yesterday")], "The time: give a date and a time"),
    ] {
        let refused = browser.post(path, &fields).await?;
        let (status, page) = (refused.status(), refused.text().await?);
        assert!(status.is_client_error() && page.contains(said) && !page.contains('`'), "{said}: {status} {page}");
        assert!(page.contains(&format!("<a href=\"{path}\">Back to the page</a>")), "{path}: {page}");
        assert!(page.contains("What you wrote is still here"), "{said}: {page}");
        let written = fields.iter().filter(|(name, _)| ["url", "since"].contains(name));
        let is_there = |(_, value): &(&str, &str)| {
            page.contains(&format!("value=\"{}\"", value.replace("https://a:b%40", "").replace("a:b@", "")))
        };
        assert!(written.clone().count() == 1 && written.clone().all(is_there), "{said}: {page}");
        assert!(!page.contains("a:b@") && !page.contains("a:b%"), "a password is not shown again: {page}");
    }
    for (filter, said) in [
        (format!("{own}?http_status=many"), "The HTTP status must be a number"),
        (format!("{own}?cursor=x"), "Begin at its newest rows"),
        (format!("{own}?status=what"), "The status can't be “what”. Choose one of these: pending, succeeded, failed"),
        (
            "/portal/jobs?status=what".to_owned(),
            "The status can't be “what”. Choose one of these: queued, running, succeeded, failed, cancelled.",
        ),
        ("/portal/jobs?status=failed&kind=odd".to_owned(), "The kind can't be “odd”. Choose one of these: "),
        ("/portal/usage/statement?month=odd".to_owned(), "The month: expected a month"),
    ] {
        let (status, page) = browser.get(&filter).await?;
        assert!(status == StatusCode::BAD_REQUEST && page.contains(said) && !page.contains('`'), "{filter}: {page}");
        let path = filter.split('?').next().unwrap_or_default();
        assert!(page.contains(&format!("<a href=\"{path}\">Back to the page</a>")), "{path}: {page}");
        assert!(page.contains("<h2>Choose once more</h2><form class=\"filters\""), "{path}: {page}");
        assert!(!page.contains("What you wrote"), "some have nothing that was written: {filter}: {page}");
    }
    let gone = browser.post("/portal/webhooks/whe_01J00000000000000000000000", &[("do", "pause")]).await?;
    assert_eq!(gone.status(), StatusCode::NOT_FOUND);
    assert!(!gone.text().await?.contains("Back to the page"), "the page that it stood on is not there");
    world.end().await
}

#[tokio::test]
async fn what_was_written_into_a_refused_form_is_sent_from_where_it_was_refused() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let browser = at(&world, &link(&tenant.client, json!({})).await?).await?;
    let mut fields = vec![
        ("url", "http://93.184.216.34/hook?token=s3cret"),
        ("description", "a \"hook\" & <more>"),
        ("event_types", "job.failed"),
        ("kinds", "read"),
        ("kinds", "dub"),
    ];
    let refused = browser.post("/portal/webhooks", &fields).await?;
    assert_eq!(refused.status(), StatusCode::UNPROCESSABLE_ENTITY);
    assert!(!refused.headers().contains_key(header::LOCATION), "what was written is in no address");
    let page = refused.text().await?;
    let form = page.split("<form class=\"form\"").nth(1).and_then(|rest| rest.split("</form>").next());
    let form = form.unwrap_or_default();
    assert!(form.contains("action=\"/portal/webhooks\""), "{page}");
    for (part, is_there) in [
        ("value=\"http://93.184.216.34/hook?token=s3cret\"", true),
        ("value=\"a &quot;hook&quot; &amp; &lt;more&gt;\"", true),
        ("value=\"job.failed\" checked", true),
        ("value=\"job.succeeded\" checked", false),
        ("value=\"read\" checked", true),
        ("value=\"dub\" checked", true),
        ("value=\"render\" checked", false),
    ] {
        assert_eq!(form.contains(part), is_there, "{part}: {form}");
    }
    assert!(!page.contains("href=\"/portal/webhooks?"), "{page}");

    // Another site's form is refused too, and what it wrote is not offered to be sent.
    let anothers = browser.form("/portal/webhooks", &fields).header("sec-fetch-site", "cross-site").send().await?;
    assert_eq!(anothers.status(), StatusCode::FORBIDDEN);
    assert!(!anothers.text().await?.contains("93.184.216.34"));

    // Whoever has no session any more is told so, and keeps what they wrote.
    browser.post("/portal/out", &[]).await?;
    let ended = browser.post("/portal/webhooks", &fields).await?;
    assert_eq!(ended.status(), StatusCode::UNAUTHORIZED);
    let page = ended.text().await?;
    let kept = "value=\"http://93.184.216.34/hook?token=s3cret\"";
    assert!(page.contains("That was not done") && page.contains(kept), "{page}");

    // Mended and sent from there, it is added.
    let browser = at(&world, &link(&tenant.client, json!({})).await?).await?;
    fields[0].1 = "https://93.184.216.34/hook";
    let added = browser.post("/portal/webhooks", &fields).await?;
    assert_eq!(added.status(), StatusCode::SEE_OTHER);
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

#[tokio::test]
async fn a_list_without_rows_says_what_to_do_and_a_resend_how_many_it_sends() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let browser = at(&world, &link(&tenant.client, json!({})).await?).await?;
    let (_, page) = browser.get("/portal/webhooks").await?;
    assert!(page.contains("There are no endpoints yet. Add the address of your server below"), "{page}");
    let unused = tenant.client.post("/keys", &json!({ "name": "for later" })).await?;
    assert_eq!(unused.status, 201, "{}", unused.text);
    let (_, page) = browser.get("/portal/keys").await?;
    assert!(page.contains("for later") && page.contains("<span class=\"soft\">never</span>"), "{page}");
    let (_, page) = browser.get("/portal/jobs").await?;
    assert!(page.contains("There are no jobs yet. ") && !page.contains("Show all"), "{page}");
    let (_, page) = browser.get("/portal/jobs?status=failed&kind=").await?;
    assert!(page.contains("There are no jobs like this. <a href=\"/portal/jobs\">Show all</a>"), "{page}");

    let endpoint = world.endpoint(&tenant, "http://127.0.0.1:9/a").await?;
    let own = format!("/portal/webhooks/{endpoint}");
    let sent = browser.post(&own, &[("do", "resend"), ("since", "2020-01-01T00:00")]).await?;
    let there = sent.headers()[header::LOCATION].to_str()?;
    assert_eq!((sent.status(), there), (StatusCode::SEE_OTHER, format!("{own}?resent=0").as_str()));
    let (_, page) = browser.get(there).await?;
    assert!(page.contains("Nothing failed since then") && page.contains("There are no deliveries yet. "), "{page}");
    let told = async |query: &str| browser.get(&format!("{own}?{query}")).await.map(|(_, page)| page);
    let one = told("resent=1").await?;
    assert!(one.contains("One delivery is sent again. It stands in the list below, as pending until"), "{one}");
    let more = told("resent=1000&more=yes").await?;
    assert!(more.contains("1000 deliveries are sent again.") && more.contains("There are more: send again."), "{more}");

    // What is not there yet is awaited, and the page says where it will be seen.
    browser.post(&own, &[("do", "ping")]).await?;
    let list = tenant.client.send("GET", &format!("/webhooks/{endpoint}/deliveries"), &[], None).await?.json;
    let ping = list["data"][0]["delivery_id"].as_str().unwrap_or_default();
    let (status, page) = browser.get(&format!("{own}/{ping}")).await?;
    assert!(status == StatusCode::OK && page.contains("None was made yet. The next one stands here"), "{page}");
    world.can_run(&[Read::Levels]).await?;
    let item = world.item(&tenant, Media::audio(60)).await?;
    let job = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?.remove(0);
    let (_, page) = browser.get(&format!("/portal/jobs/{job}")).await?;
    assert!(
        page.contains("What came of it") && page.contains("Nothing yet: it waits. Its result stands here"),
        "{page}"
    );
    world.end().await
}

/// What stands from a field's start until the end of what holds it.
fn field<'a>(page: &'a str, starts: &str) -> &'a str {
    let rest = page.split(starts).nth(1).unwrap_or_default();
    rest.split("</div>").next().unwrap_or_default()
}

#[tokio::test]
async fn the_field_that_was_refused_is_marked_with_the_reason_beside_it() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let endpoint = world.endpoint(&tenant, "http://127.0.0.1:9/a").await?;
    let browser = at(&world, &link(&tenant.client, json!({})).await?).await?;
    let own = format!("/portal/webhooks/{endpoint}");
    for (path, given, wrong, said) in [
        (own.as_str(), "status=failed&http_status=many", "http_status", "The HTTP status must be a number"),
        (own.as_str(), "status=what&http_status=404", "status", "The status can't be “what”"),
        ("/portal/jobs", "status=failed&kind=odd", "kind", "The kind can't be “odd”"),
        ("/portal/jobs", "status=what&kind=read", "status", "The status can't be “what”"),
        ("/portal/jobs", "kind=read&kind=dub", "kind", "The kind is there twice"),
        ("/portal/usage/statement", "month=odd", "month", "The month: expected a month"),
    ] {
        let (status, page) = browser.get(&format!("{path}?{given}")).await?;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{path}?{given}");
        for (name, value) in given.split('&').filter_map(|pair| pair.split_once('=')) {
            let field = field(&page, &format!("id=\"{name}\" "));
            let kept = [format!(" value=\"{value}\""), format!("<option value=\"{value}\" selected>")];
            assert!(value == "dub" || kept.iter().any(|kept| field.contains(kept)), "{given}: {name}: {page}");
            let marks = [" aria-invalid=\"true\"".to_owned(), format!(" aria-describedby=\"{name}-why\"")];
            assert!(marks.iter().all(|mark| field.contains(mark) == (name == wrong)), "{given}: {name}: {page}");
            let reason = format!("<span class=\"fault\" id=\"{name}-why\">✗ {said}");
            assert_eq!(field.contains(&reason), name == wrong, "{given}: {name}: {page}");
        }
    }
    // Browsers leave a field of months empty where it is given what is none.
    for (month, kind) in [("2026-13", "text"), ("xx", "text"), ("2026-11", "month")] {
        let (_, page) = browser.get(&format!("/portal/usage/statement?month={month}")).await?;
        let field = field(&page, "id=\"month\" ");
        let parts = [format!(" type=\"{kind}\""), format!(" value=\"{month}\"")];
        assert!(parts.iter().all(|part| field.contains(part)), "{month}: {page}");
    }
    let add = |more: &[(&'static str, &'static str)]| [&[("url", "https://93.184.216.34/hook")][..], more].concat();
    let far = [("url", "http://93.184.216.34/hook"), ("event_types", "job.failed"), ("kinds", "read")].to_vec();
    let form = vec![("do", "resend"), ("since", "yesterday")];
    for (path, sent, wrong, marked) in [
        ("/portal/webhooks", far, "url", 1),
        ("/portal/webhooks", add(&[("kinds", "read")]), "event_types", 3),
        ("/portal/webhooks", add(&[("event_types", "job.failed")]), "kinds", 5),
        (own.as_str(), form, "since", 1),
    ] {
        let page = browser.post(path, &sent).await?.text().await?;
        assert_eq!(page.matches(" aria-invalid=\"true\"").count(), marked, "{wrong}: {page}");
        assert_eq!(page.matches(&format!(" aria-describedby=\"{wrong}-why\"")).count(), 1, "{wrong}: {page}");
        assert_eq!(page.matches("-why\">✗ ").count(), 1, "{wrong}: {page}");
    }
    assert!(!browser.get(&own).await?.1.contains(" aria-invalid="), "nothing was refused");
    world.end().await
}

#[tokio::test]
async fn a_filter_that_no_page_has_is_refused_and_not_passed_over() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("a").await?;
    let endpoint = world.endpoint(&tenant, "http://127.0.0.1:9/a").await?;
    let browser = at(&world, &link(&tenant.client, json!({})).await?).await?;
    let own = format!("/portal/webhooks/{endpoint}");
    for (path, given, name) in [
        (own.as_str(), "status=failed&event=ping", "event"),
        ("/portal/jobs", "status=failed&since=2026-11-01", "since"),
        ("/portal/jobs", "Status=failed", "Status"),
        ("/portal/webhooks", "enabled=false", "enabled"),
        ("/portal/keys", "name=a", "name"),
        ("/portal/usage", "month=2026-11", "month"),
        ("/portal/usage/statement", "month=2026-11&kind=charge", "kind"),
        ("/portal/usage/statement.csv", "cursor=x", "cursor"),
    ] {
        let (status, page) = browser.get(&format!("{path}?{given}")).await?;
        let said = format!("This page has no filter “{name}”, and nothing was looked for.");
        assert!(status == StatusCode::BAD_REQUEST && page.contains(&said), "{path}?{given}: {status} {page}");
        let back = path.trim_end_matches(".csv");
        assert!(page.contains(&format!("<a href=\"{back}\">Back to the page</a>")), "{path}: {page}");
        assert!(!given.starts_with("status=") || page.contains("<option value=\"failed\" selected>"), "{path}: {page}");
    }
    // A form is sent to the address that its page had.
    let sent = browser.post(&format!("{own}?status=failed&event=ping"), &[("do", "pause")]).await?;
    assert_eq!(sent.status(), StatusCode::SEE_OTHER);
    assert_eq!(browser.get("/portal?from=mail").await?.0, StatusCode::SEE_OTHER, "the first page shows nothing itself");
    world.end().await
}

#[tokio::test]
async fn what_failed_is_told_in_plain_words_and_so_is_that_no_minutes_are_left() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (tenant, receiver) = (world.tenant("a").await?, Receiver::start()?);
    world.work(runners::failing(|| ReadError::Unsupported("it takes too long"))).await?;
    let item = world.item(&tenant, Media::video(60)).await?;
    let job = tenant.client.prepare(&[item], &["search_index"]).await?.job_ids()?.remove(0);
    let failed = tenant.client.reaches(&job, "failed").await?;
    let browser = at(&world, &link(&tenant.client, json!({})).await?).await?;
    let (_, page) = browser.get("/portal/jobs").await?;
    let said = failed["error"]["message"].as_str().unwrap_or_default();
    assert!(!said.is_empty() && page.contains(said) && page.contains("search index"), "{failed}: {page}");

    receiver.answer(500);
    let endpoint = world.endpoint(&tenant, &receiver.url).await?;
    let own = format!("/portal/webhooks/{endpoint}");
    browser.post(&own, &[("do", "ping")]).await?;
    let list = tenant.client.send("GET", &format!("/webhooks/{endpoint}/deliveries"), &[], None).await?.json;
    let ping = format!("{own}/{}", list["data"][0]["delivery_id"].as_str().unwrap_or_default());
    let tried = until("the attempt is on its page", async || {
        let (_, page) = browser.get(&ping).await?;
        Ok(page.contains("Attempt 1").then_some(page))
    });
    let page = tried.await?;
    assert!(page.contains("Your server answered with an error. Only a status from 200 to 299 counts"), "{page}");
    assert!(page.contains("content-length: 5\n") && page.contains("timingSafeEqual("), "{page}");

    assert!(!browser.get("/portal/usage").await?.1.contains("No minutes are left"));
    let poor = world.tenant_with("poor", Minutes::from_whole(0)).await?;
    let (_, page) = at(&world, &link(&poor.client, json!({})).await?).await?.get("/portal/usage").await?;
    assert!(
        page.contains("No minutes are left.") && page.contains("whoever runs this service gives you more"),
        "{page}"
    );
    world.end().await
}
