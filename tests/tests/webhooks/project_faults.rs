//! The webhook of a project is sent at most once, whatever crashes and wherever (contract §6.2.5).

use crate::project_bench::{ProjectBench, body, send};
use mws_tests::world::{Receiver, cut_short, runners, until};
use runtime::queue::{self, Queue, Subject, Ticket};
use serde_json::json;
use std::time::Duration;
use store::project_webhooks::{self, Outcome};

#[tokio::test]
async fn a_failure_is_final() -> anyhow::Result<()> {
    let stage = ProjectBench::new().await?;
    let id = stage.project().await?;
    stage.receiver.answer_next([503]);
    stage.work().await?;
    stage.world.advance(Duration::from_hours(24)).await?;
    assert_eq!((stage.duties().await?, stage.work().await?), ((0, 0), 0));
    assert_eq!(stage.receiver.received().len(), 1);
    let log = stage.get(&format!("/projects/{id}/deliveries")).await?;
    let row = &log["data"][0];
    assert_eq!(
        (&row["status"], &row["response_status"], &row["error"]),
        (&json!("failed"), &json!(503), &json!("http_status"))
    );
    assert_eq!(row["response_excerpt"], "heard");
    assert_eq!(row["response_headers"]["content-length"], "5", "{row}");
    stage.world.end().await
}

#[tokio::test]
async fn two_tickets_of_one_webhook_send_it_once() -> anyhow::Result<()> {
    let stage = ProjectBench::new().await?;
    stage.project().await?;
    let ticket = stage.tickets().await?[0];
    futures_util::future::join_all((0..4).map(|_| stage.notifier.notify(ticket))).await;
    stage.notifier.notify(ticket).await;
    assert_eq!(stage.receiver.received().len(), 1);
    stage.world.end().await
}

#[tokio::test]
async fn a_crash_between_the_mark_and_the_record_is_unknown_and_never_sent_again() -> anyhow::Result<()> {
    let stage = ProjectBench::new().await?;
    let id = stage.project().await?;
    let webhook = stage.only_webhook().await?;
    stage.world.stop_clock().await?;
    let mut conn = stage.world.pool().acquire().await?;
    let mark = async |conn: &mut _| project_webhooks::mark_sent(conn, webhook, "dead-1-X", &json!({}), 30_000).await;
    assert!(mark(&mut conn).await?);
    assert!(!mark(&mut conn).await?, "the leave to send is given once");
    assert_eq!(stage.work().await?, 1, "the ticket finds nothing to send");
    stage.world.advance(Duration::from_secs(29)).await?;
    assert_eq!(stage.duties().await?, (0, 0), "its sender may still tell");
    stage.world.advance(Duration::from_secs(2)).await?;
    assert_eq!(stage.duties().await?, (1, 0));
    assert_eq!(stage.log(&id).await?, [(1, "running".to_owned(), "unknown".to_owned())]);
    // The dead worker comes back: it can't change what was said without it.
    let (response_excerpt, response_headers) = (None, None);
    let late = Outcome { response_status: Some(200), error: None, response_excerpt, response_headers, duration_ms: 1 };
    assert!(!project_webhooks::record(&mut conn, webhook, "dead-1-X", &late).await?);
    assert_eq!((stage.duties().await?, stage.work().await?), ((0, 0), 0));
    assert!(stage.receiver.received().is_empty());
    drop(conn);
    stage.world.end().await
}

#[tokio::test]
async fn a_worker_killed_while_the_receiver_answers_leaves_one_request_and_unknown() -> anyhow::Result<()> {
    let stage = ProjectBench::new().await?;
    let first = stage.world.worker(runners::instant()).await?;
    stage.receiver.hold();
    let id = stage.project().await?;
    until("the request is under way", async || Ok((stage.receiver.in_flight() == 1).then_some(()))).await?;
    first.kill().await;
    stage.receiver.release();
    stage.world.work(runners::instant()).await?;
    stage.world.advance(Duration::from_mins(1)).await?;
    assert_eq!(stage.duties().await?, (1, 0));
    // Another change is told by the other worker, so that one has looked at the queue.
    stage.change(&id, json!({ "status": "idle" })).await?;
    let told = until("both are over", async || {
        let log = stage.log(&id).await?;
        Ok(log.iter().all(|(.., status)| status != "pending" && status != "sent").then_some(log))
    });
    let words: Vec<String> = told.await?.into_iter().map(|(.., status)| status).collect();
    assert_eq!(words, ["unknown", "succeeded"]);
    assert_eq!(stage.receiver.received().len(), 2);
    stage.world.end().await
}

#[tokio::test]
async fn sending_that_is_cut_off_at_any_of_its_waits_sends_at_most_once() -> anyhow::Result<()> {
    let stage = ProjectBench::new().await?;
    let mut cuts = 0;
    // How often it waits depends on what is ready at once, so each round cuts elsewhere.
    for _round in 0..4 {
        for waits in 0.. {
            let id = stage.project().await?;
            let ticket = stage.tickets().await?[0];
            let ended = cut_short(stage.notifier.notify(ticket), waits).await;
            let status = end_of(&stage, &id).await?;
            let received = stage.receiver.received().iter().filter(|sent| body(sent)["id"] == id.as_str()).count();
            assert!(received <= 1, "cut off at wait {waits}: received {received} times");
            let known = status == "unknown" || (status == "succeeded" && received == 1);
            assert!(known, "cut off at wait {waits}: {status}, received {received} times");
            if ended.is_some() {
                assert_eq!(status, "succeeded");
                break;
            }
            cuts += 1;
        }
    }
    assert!(cuts > 4, "only {cuts} cuts");
    stage.world.end().await
}

/// Does what schedulers and workers do until the end of the project's one webhook is known, and answers it.
async fn end_of(stage: &ProjectBench, project: &str) -> anyhow::Result<String> {
    until("its end is known", async || {
        stage.duties().await?;
        stage.work().await?;
        let status = stage.log(project).await?.remove(0).2;
        if status == "sent" {
            // A mark that was cut off may be committed only now, under the clock as it stands now.
            stage.world.advance(Duration::from_secs(31)).await?;
        }
        Ok((status != "pending" && status != "sent").then_some(status))
    })
    .await
}

#[tokio::test]
async fn one_without_a_ticket_gets_another_and_old_ones_are_pruned() -> anyhow::Result<()> {
    let stage = ProjectBench::new().await?;
    stage.project().await?;
    assert_eq!(stage.duties().await?, (0, 0), "it has its ticket");
    assert_eq!(stage.tickets().await?.len(), 1, "which is lost");
    let (one, other) = tokio::try_join!(stage.duties(), stage.duties())?;
    assert_eq!(one.1 + other.1, 1);
    assert_eq!(stage.work().await?, 1);
    assert_eq!(stage.receiver.received().len(), 1);
    stage.project().await?;
    stage.world.advance(Duration::from_hours(31 * 24)).await?;
    assert_eq!(scheduler::prune_project_webhooks::run_once(&stage.world.process).await?, 1);
    let left: Vec<String> =
        sqlx::query_scalar("SELECT status FROM project_webhooks").fetch_all(stage.world.pool()).await?;
    assert_eq!(left, ["pending"], "what has not ended stays");
    stage.world.end().await
}

#[tokio::test]
async fn one_that_got_a_ticket_while_another_scheduler_looked_gets_no_second() -> anyhow::Result<()> {
    let stage = ProjectBench::new().await?;
    stage.project().await?;
    assert_eq!(stage.tickets().await?.len(), 1, "which is lost");
    let webhook = stage.only_webhook().await?;
    let reissue = scheduler::reissue_project_webhooks::run_once(&stage.world.process);
    let pushed = stage.world.amid_look(reissue, async || {
        let ticket = Ticket::new(Queue::Project, Subject::ProjectWebhook(webhook));
        let mut other = stage.world.pool().begin().await?;
        project_webhooks::set_tickets(&mut other, &[webhook], std::slice::from_ref(&ticket.id)).await?;
        queue::push(&mut other, &[ticket]).await?;
        Ok(other.commit().await?)
    });
    assert_eq!(Box::pin(pushed).await?, 0);
    assert_eq!(stage.work().await?, 1);
    assert_eq!(stage.receiver.received().len(), 1);
    stage.world.end().await
}

#[tokio::test]
async fn whoever_comes_while_all_places_are_taken_is_looked_at_and_comes_again() -> anyhow::Result<()> {
    let stage = ProjectBench::new().await?;
    // One place for webhooks of projects.
    let worker = stage.world.worker_with(runners::instant(), |settings| settings.worker_webhooks = 4).await?;
    stage.receiver.hold();
    stage.project().await?;
    until("the place is taken", async || Ok((stage.receiver.in_flight() == 1).then_some(()))).await?;
    let (other, receiver) = (stage.world.tenant("two").await?, Receiver::start()?);
    let project = json!({ "brief": "A film", "webhook_url": receiver.url });
    assert_eq!(send(&other.client, "POST", "/projects", &project).await?.status, 201);
    let sent_away = "SELECT count(*) FROM project_webhooks WHERE status = 'pending' AND ticket_id IS NULL";
    until("it finds no place", async || Ok((stage.world.count(sent_away).await? == 1).then_some(()))).await?;
    stage.receiver.release();
    let ended = "SELECT count(*) FROM project_webhooks WHERE status = 'succeeded'";
    until("the place is given back", async || Ok((stage.world.count(ended).await? == 1).then_some(()))).await?;
    stage.world.advance(Duration::from_secs(1)).await?;
    assert_eq!(stage.duties().await?, (0, 1));
    assert_eq!(receiver.gets(1).await?.len(), 1);
    until("it is recorded", async || Ok((stage.world.count(ended).await? == 2).then_some(()))).await?;
    worker.stop().await?;
    stage.world.end().await
}
