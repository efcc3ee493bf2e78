//! Two accounts that share a service hammer each other's ids through every operation and every tool, by every kind of
//! credential: they are told that these are not theirs, or not there, and nothing else of them (contract §5.4, §5.6).
//! One of each is a viewer in the other's workspace, who reads there and does no more.

mod events;
mod owner;

use api::contract::access::Needs;
use api::contract::table;
use domain::role::Role;
use futures_util::{StreamExt, TryStreamExt, stream};
use mws_tests::document::{Attempt, attempts};
use mws_tests::world::{Answer, AuthorizationServer, Client, World, mcp_call};
use owner::{Owner, Stranger, everybody};
use runtime::config::Signup;

/// The operations that answer what they find of a list of ids, and what they don't find likewise.
const ANSWERS_LISTS: [&str; 3] = ["/tools/prepare_media", "/tools/get_jobs", "/tools/cancel_jobs"];

/// Two accounts with one of everything, on a service that takes the tokens of this server.
async fn stage() -> anyhow::Result<(World, AuthorizationServer, Owner, Owner)> {
    let server = AuthorizationServer::start(env!("CARGO_TARGET_TMPDIR"))?;
    let world = World::with_api(|_, api| api.oauth = server.settings(Signup::Refuse)).await?;
    let (one, other) = (Owner::settled(&world, "heron").await?, Owner::settled(&world, "plover").await?);
    Ok((world, server, one, other))
}

/// Nothing that is hidden may be in the answer but what was in the question.
fn assert_blind(answer: &Answer, attempt: &Attempt, owner: &Owner, hidden: &[&str]) {
    let asked = format!("{} {} {}", attempt.path, attempt.body.clone().unwrap_or_default(), owner.ids["wsp"]);
    assert!(answer.status < 500, "{attempt:?}: {}", answer.text);
    for private in hidden.iter().filter(|private| !asked.contains(**private)) {
        assert!(!answer.text.contains(private), "{attempt:?} tells {private}: {}", answer.text);
    }
}

async fn tried(stranger: &Stranger, attempt: &Attempt, owner: &Owner) -> anyhow::Result<()> {
    let body = attempt.body.as_ref().map(ToString::to_string);
    let answer = stranger.client.send(&attempt.method, &attempt.path, &[], body.clone()).await?;
    // A guest knows what the workspaces are called.
    let guest_lists = stranger.turned_away.is_none() && attempt.operation == "GET /workspaces";
    let hidden = if guest_lists { owner.of_the_account() } else { owner.private() };
    assert_blind(&answer, attempt, owner, &hidden);
    if attempt.names_in_path {
        let operators = attempt.path.starts_with("/operator/") || attempt.path.ends_with("/content");
        let wanted: &[u16] = match attempt.path.split('/').nth(1) {
            // A link that this service did not make lacks its proof.
            Some("thumbnails") => &[400, 401],
            Some("media") => &[400, 403],
            // What uploads speak is the same for every upload, and for none.
            _ if attempt.method == "OPTIONS" => &[204],
            _ if operators => &[401],
            _ => &[403, 404],
        };
        assert!(wanted.contains(&answer.status), "{attempt:?}: {} {}", answer.status, answer.text);
    }
    let lists = ANSWERS_LISTS.contains(&attempt.path.as_str());
    let names = attempt.body.as_ref().is_some_and(|body| owner.ids.values().any(|id| body.to_string().contains(id)));
    if names && !lists {
        assert!([400, 401, 403, 404].contains(&answer.status), "{attempt:?}: {} {}", answer.status, answer.text);
    }
    Ok(())
}

/// The same in the owner's workspace, by its name.
async fn tried_there(stranger: &Stranger, attempt: &Attempt, owner: &Owner) -> anyhow::Result<()> {
    let body = attempt.body.as_ref().map(ToString::to_string);
    let theirs = [("x-workspace-id", owner.ids["wsp"].as_str())];
    let answer = stranger.client.send(&attempt.method, &attempt.path, &theirs, body).await?;
    // Whatever a guest may see, they see nothing of the account's.
    assert_blind(&answer, attempt, owner, &owner.of_the_account());
    let told = (answer.status, answer.code());
    match (stranger.turned_away, table::find(&attempt.operation).map(|row| row.needs)) {
        (Some(code), _) => {
            // The refusal names the workspace that was asked for at most.
            assert_blind(&answer, attempt, owner, &owner.private());
            assert_eq!(told, (403, code), "{attempt:?}: {}", answer.text);
        }
        (None, Some(Needs::Workspace(Role::Viewer))) => {}
        (None, Some(Needs::Workspace(_))) => {
            assert_blind(&answer, attempt, owner, &owner.private());
            assert_eq!(told, (403, "role_forbidden"), "{attempt:?}: {}", answer.text);
        }
        (None, _) if attempt.names_in_path => assert!([403, 404].contains(&answer.status), "{attempt:?}: {told:?}"),
        (None, _) => {}
    }
    Ok(())
}

/// The same by MCP, for the tools.
async fn called(world: &World, client: &Client, attempt: &Attempt, owner: &Owner) -> anyhow::Result<()> {
    let (Some(name), Some(body)) = (attempt.path.strip_prefix("/tools/"), &attempt.body) else { return Ok(()) };
    let answer = client.below(world.base_url()).mcp("/mcp", &mcp_call(name, body)).await?;
    assert_blind(&answer, attempt, owner, &owner.private());
    assert_eq!(answer.status, 200, "{attempt:?}: {}", answer.text);
    assert!(answer.json["result"]["structuredContent"]["ok"].is_boolean(), "{attempt:?}: {}", answer.text);
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn strangers_learn_nothing_of_each_other_whatever_they_try() -> anyhow::Result<()> {
    let (world, server, one, other) = stage().await?;
    let before = (one.state().await?, other.state().await?);
    let mut sides = Vec::new();
    for (home, owner) in [(&one, &other), (&other, &one)] {
        sides.push((everybody(&world, &server, home, owner).await?, owner));
    }
    let mut all = Vec::new();
    for (strangers, owner) in &sides {
        for attempt in attempts(&owner.ids)? {
            for stranger in strangers {
                let (world, attempt) = (&world, attempt.clone());
                all.push(async move {
                    tried(stranger, &attempt, owner).await?;
                    if attempt.signed {
                        tried_there(stranger, &attempt, owner).await?;
                    }
                    called(world, &stranger.client, &attempt, owner).await
                });
            }
        }
    }
    assert!(all.len() > 500, "only {} were tried", all.len());
    // Not all at once: a connection is waited for no longer than five seconds, a write of a document two.
    stream::iter(all).buffer_unordered(8).try_collect::<Vec<()>>().await?;
    assert_eq!((one.state().await?, other.state().await?), before, "nothing of theirs has changed");
    world.end().await
}
