//! What operators are told of at their own endpoint: what was found, what was told, and how the last messages went.
//!
//! What stands now is found by `notices` and `verdict`. A row stands for a matter (`domain::notice`) and has the notice
//! that is to be told, or was told last. Each message is sent between two transactions; a notice is told once its
//! message was accepted.

use chrono::{DateTime, Utc};
use domain::ids::NoticeId;
use domain::notice::{Matter, Notice, NoticeKind};
use sqlx::PgConnection;

/// Minutes for which a matter has to be away before it is over: what comes and goes is told once.
const MINUTES_AWAY: i32 = 5;
/// Seconds for which an axis of the verdict stands before it is told.
const AXIS_SECONDS: f64 = 30.0;
/// Days after which a row that nothing changed is deleted.
const DAYS: i32 = 30;

/// Takes the turn to tell operators: one scheduler in so many seconds. Returns false when another one had it.
pub async fn take_turn(conn: &mut PgConnection, seconds: f64) -> sqlx::Result<bool> {
    let done = sqlx::query!(
        "UPDATE operator_notice_posts SET turn_at = mws_now()
         WHERE turn_at IS NULL OR turn_at <= mws_now() - make_interval(secs => $1)",
        seconds
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Returns the subjects of the matters of a kind that were found before and are not over.
pub async fn subjects(conn: &mut PgConnection, kind: NoticeKind) -> sqlx::Result<Vec<String>> {
    sqlx::query_scalar!("SELECT subject FROM operator_notices WHERE kind = $1 AND NOT is_over", kind.name())
        .fetch_all(conn)
        .await
}

/// Records what stands now: each matter that is new or has a higher step gets a notice, and one that has been away for
/// five minutes gets the notice of its end. A step that is lower again is not recorded, and one that is 0 leaves its
/// row as it is. What is over and was never told is deleted.
pub async fn record(conn: &mut PgConnection, matters: &[Matter]) -> sqlx::Result<()> {
    let known: Vec<&Matter> = matters.iter().filter(|one| one.step > 0).collect();
    let texts = |of: fn(&Matter) -> &str| known.iter().map(|one| of(one).to_owned()).collect::<Vec<String>>();
    let steps: Vec<i32> = known.iter().map(|one| one.step).collect();
    sqlx::query!(
        "INSERT INTO operator_notices AS n (kind, subject, notice_id, step, sentence, next)
         SELECT kind, subject, gen_random_uuid(), step, sentence, next
         FROM unnest($1::text[], $2::text[], $3::int4[], $4::text[], $5::text[])
             AS found (kind, subject, step, sentence, next)
         ON CONFLICT (kind, subject) DO UPDATE SET
             notice_id = CASE WHEN n.is_over OR excluded.step > n.step THEN excluded.notice_id ELSE n.notice_id END,
             sentence = CASE WHEN n.is_over OR excluded.step > n.step THEN excluded.sentence ELSE n.sentence END,
             next = CASE WHEN n.is_over OR excluded.step > n.step THEN excluded.next ELSE n.next END,
             since = CASE WHEN n.is_over THEN mws_now() ELSE n.since END,
             changed_at = CASE WHEN n.is_over OR excluded.step > n.step THEN mws_now() ELSE n.changed_at END,
             step = CASE WHEN n.is_over THEN excluded.step ELSE greatest(n.step, excluded.step) END,
             away_since = NULL, is_over = false
         WHERE n.is_over OR n.away_since IS NOT NULL OR excluded.step > n.step",
        &texts(|one| one.kind.name()),
        &texts(|one| one.subject.as_str()),
        &steps,
        &texts(|one| one.sentence.as_str()),
        &texts(|one| one.next.as_str())
    )
    .execute(&mut *conn)
    .await?;
    let all = |of: fn(&Matter) -> &str| matters.iter().map(|one| of(one).to_owned()).collect::<Vec<String>>();
    sqlx::query!(
        "UPDATE operator_notices AS n SET
             is_over = n.away_since IS NOT NULL,
             notice_id = CASE WHEN n.away_since IS NULL THEN n.notice_id ELSE gen_random_uuid() END,
             changed_at = CASE WHEN n.away_since IS NULL THEN n.changed_at ELSE mws_now() END,
             away_since = coalesce(n.away_since, mws_now())
         WHERE NOT n.is_over AND (n.away_since IS NULL OR n.away_since <= mws_now() - make_interval(mins => $3))
             AND NOT EXISTS (
                 SELECT FROM unnest($1::text[], $2::text[]) AS found (kind, subject)
                 WHERE found.kind = n.kind AND found.subject = n.subject)",
        &all(|one| one.kind.name()),
        &all(|one| one.subject.as_str()),
        MINUTES_AWAY
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!("DELETE FROM operator_notices WHERE is_over AND told_id IS NULL").execute(conn).await?;
    Ok(())
}

/// Returns the notices that are to be told, the oldest first, at most `limit`, and how many there are beyond these. An
/// axis of the verdict is told once it has stood for half a minute: no worker lives while a fleet is started anew.
pub async fn untold(conn: &mut PgConnection, limit: i64) -> sqlx::Result<(Vec<Notice>, i64)> {
    let rows = sqlx::query!(
        r#"SELECT notice_id AS "id: NoticeId", kind AS "kind: NoticeKind", subject, step, sentence, next, is_over, since,
               count(*) OVER () AS "many!"
           FROM operator_notices
           WHERE told_id IS DISTINCT FROM notice_id AND (kind <> 'axis' OR told_id IS NOT NULL
               OR (away_since IS NULL AND since <= mws_now() - make_interval(secs => $2)))
           ORDER BY changed_at, kind, subject LIMIT $1"#,
        limit,
        AXIS_SECONDS
    )
    .fetch_all(conn)
    .await?;
    let many = rows.first().map_or(0, |row| row.many);
    let notices: Vec<Notice> = rows
        .into_iter()
        .map(|row| Notice {
            id: row.id,
            kind: row.kind,
            subject: row.subject,
            step: row.step,
            sentence: row.sentence,
            next: row.next,
            is_over: row.is_over,
            since: row.since,
        })
        .collect();
    let more = many - i64::try_from(notices.len()).unwrap_or(many);
    Ok((notices, more))
}

/// Records that a message with these notices was accepted: they are told, and what is over is deleted. A matter that
/// got another notice meanwhile stays to be told.
pub async fn accepted(conn: &mut PgConnection, told: &[NoticeId]) -> sqlx::Result<()> {
    sqlx::query!("DELETE FROM operator_notices WHERE is_over AND notice_id = ANY ($1)", told as _)
        .execute(&mut *conn)
        .await?;
    sqlx::query!("UPDATE operator_notices SET told_id = notice_id WHERE notice_id = ANY ($1)", told as _)
        .execute(&mut *conn)
        .await?;
    sqlx::query!("UPDATE operator_notice_posts SET accepted_at = mws_now(), refused_at = NULL, refusal = NULL")
        .execute(conn)
        .await?;
    Ok(())
}

/// Records that a message was not accepted, and why. Returns whether the one before it was.
pub async fn refused(conn: &mut PgConnection, why: &str) -> sqlx::Result<bool> {
    let is_first = sqlx::query_scalar!(
        r#"UPDATE operator_notice_posts AS post SET refused_at = mws_now(), refusal = $1
           FROM operator_notice_posts AS before WHERE before.is_only = post.is_only
           RETURNING before.refused_at IS NULL AS "is_first!""#,
        why
    );
    is_first.fetch_one(conn).await
}

/// How the messages to the operators' endpoint went.
#[derive(Debug, Clone)]
pub struct Posts {
    /// When one was accepted last; none when none ever was.
    pub accepted_at: Option<DateTime<Utc>>,
    /// When one was refused last; none once another was accepted after it.
    pub refused_at: Option<DateTime<Utc>>,
    /// Why that was refused.
    pub refusal: Option<String>,
    /// The notices that are to be told.
    pub waiting: i64,
}

/// Returns how the last messages to the operators' endpoint went.
pub async fn posts(conn: &mut PgConnection) -> sqlx::Result<Posts> {
    sqlx::query_as!(
        Posts,
        r#"SELECT accepted_at, refused_at, refusal,
               (SELECT count(*) FROM operator_notices WHERE told_id IS DISTINCT FROM notice_id) AS "waiting!"
           FROM operator_notice_posts"#
    )
    .fetch_one(conn)
    .await
}

/// Deletes what nothing has changed for 30 days. What stands then is told anew, but for endpoints that were disabled
/// more than a day ago. Returns how many rows.
pub async fn prune(conn: &mut PgConnection) -> sqlx::Result<u64> {
    let done =
        sqlx::query!("DELETE FROM operator_notices WHERE changed_at < mws_now() - make_interval(days => $1)", DAYS);
    Ok(done.execute(conn).await?.rows_affected())
}
