//! The stream of events is of the account alone, whoever asks for it and wherever they say that they were.

use super::{Owner, Stranger, everybody, stage};
use mws_tests::world::{Feed, Media, Message, World};
use reqwest::StatusCode;
use serde_json::{Value, json};

/// So many messages are looked through at most.
const MOST: usize = 50;

/// Ends a new job of the account, and answers its id.
async fn ends_a_job(world: &World, owner: &Owner) -> anyhow::Result<String> {
    let item = world.item(&owner.tenant, Media::video(60)).await?;
    let job = owner.tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?.remove(0);
    owner.tenant.client.tool("cancel_jobs", &json!({ "job_ids": [job] })).await?.data()?;
    Ok(job)
}

/// What a stream tells up to the end of this job.
async fn told_until(feed: &mut Feed, job: &str) -> anyhow::Result<Vec<Message>> {
    let mut told = Vec::new();
    while told.len() < MOST {
        let next = feed.next().await;
        let Ok(Some(message)) = next else { anyhow::bail!("{job} was not told but {told:?}, and then {next:?}") };
        let found = message.data.contains(job);
        told.push(message);
        if found {
            return Ok(told);
        }
    }
    anyhow::bail!("{job} was not told but {told:?}")
}

/// The streams that a stranger gets: from now on, after the last that the owner saw, and from the beginning.
async fn streams(stranger: &Stranger, owner: &Owner, seen: &str) -> anyhow::Result<Vec<Feed>> {
    let theirs = ("x-workspace-id", owner.ids["wsp"].as_str());
    let mut feeds = Vec::new();
    for last in [None, Some(seen), Some("0-0")] {
        let headers: Vec<_> = last.into_iter().map(|last| ("Last-Event-ID", last)).collect();
        let answer = stranger.client.stream(&headers).await?;
        assert_eq!(answer.status(), StatusCode::OK, "after {last:?}");
        feeds.push(Feed::of(answer));
        let there = stranger.client.stream(&[headers, vec![theirs]].concat()).await?;
        match stranger.turned_away {
            None => {
                assert_eq!(there.status(), StatusCode::OK, "after {last:?}");
                feeds.push(Feed::of(there));
            }
            Some(code) => {
                assert_eq!(there.status(), StatusCode::FORBIDDEN, "after {last:?}");
                assert_eq!(there.json::<Value>().await?["error"]["code"], code);
            }
        }
    }
    Ok(feeds)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stranger_hears_nothing_of_anothers_events_wherever_they_say_that_they_were() -> anyhow::Result<()> {
    let (world, server, one, other) = stage().await?;
    for (home, owner) in [(&one, &other), (&other, &one)] {
        let mut own = Feed::of(owner.tenant.client.stream(&[]).await?);
        let first = ends_a_job(&world, owner).await?;
        let seen = told_until(&mut own, &first).await?.pop().expect("its end").id;
        let mut feeds = Vec::new();
        for stranger in everybody(&world, &server, home, owner).await? {
            feeds.extend(streams(&stranger, owner, &seen).await?);
        }
        assert_eq!(feeds.len(), 15, "three of each, and three more of the guest");
        let second = ends_a_job(&world, owner).await?;
        told_until(&mut own, &second).await?;
        // The order is that of commits: what the owner's stream told would have come before this.
        let mine = ends_a_job(&world, home).await?;
        for feed in &mut feeds {
            for message in told_until(feed, &mine).await? {
                let event: Value = serde_json::from_str(&message.data).unwrap_or_default();
                assert!(message.data.is_empty() || event["workspace_id"] == home.ids["wsp"], "{message:?}");
                for private in owner.private() {
                    assert!(!message.data.contains(private), "{message:?} tells {private}");
                }
            }
        }
    }
    world.end().await
}
