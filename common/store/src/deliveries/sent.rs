//! The attempts of a series as the log shows them, and what each sent (contract §6.1.11).

use chrono::{DateTime, Utc};
use domain::attempt_headers::{self, HeaderValues};
use domain::ids::DeliveryId;
use sqlx::PgConnection;

/// An attempt as the log shows it.
#[derive(Debug, Clone)]
pub struct AttemptRow {
    /// The delivery that it belongs to.
    pub delivery_id: DeliveryId,
    /// Its number; an interrupted attempt has the number of the one that took its place.
    pub attempt: i16,
    /// When it began.
    pub at: DateTime<Utc>,
    /// How long it took, in milliseconds.
    pub duration_ms: i32,
    /// The response's HTTP status; none without a response.
    pub response_status: Option<i16>,
    /// Why it failed, by its name in `domain::attempt`; none on success.
    pub error: Option<String>,
    /// The start of the response's body, at most 1 KiB.
    pub response_excerpt: Option<String>,
    /// Milliseconds of the name's lookup, of TCP's connect and of TLS, as `domain::attempt::AttemptTimes` has them.
    pub dns_ms: Option<i32>,
    /// See `dns_ms`.
    pub connect_ms: Option<i32>,
    /// See `dns_ms`.
    pub tls_ms: Option<i32>,
    /// Milliseconds until the headers of the response came; none without a response.
    pub first_byte_ms: Option<i32>,
    /// By how many seconds the receiver's clock was ahead of ours; none without a response that has a date.
    pub clock_ahead_seconds: Option<i32>,
    /// The response's headers, as `domain::answer_headers` keeps them; none without any.
    pub response_headers: Option<String>,
}

/// Returns the attempts of these deliveries: deliveries in any order, the attempts of each in the order in which they
/// were made.
pub async fn attempts_of(conn: &mut PgConnection, ids: &[DeliveryId]) -> sqlx::Result<Vec<AttemptRow>> {
    sqlx::query_as!(
        AttemptRow,
        r#"SELECT delivery_id AS "delivery_id: DeliveryId", attempt, at, duration_ms, response_status, error,
               response_excerpt, dns_ms, connect_ms, tls_ms, first_byte_ms, clock_ahead_seconds, response_headers
           FROM delivery_attempts WHERE delivery_id = ANY ($1) ORDER BY delivery_id, claim_no"#,
        ids as _
    )
    .fetch_all(conn)
    .await
}

/// An attempt and the request that it sent.
#[derive(Debug, Clone)]
pub struct SentRow {
    /// The attempt.
    pub attempt: AttemptRow,
    /// The host that it went to, with the port unless that is the scheme's; none when nothing is known to have been
    /// sent.
    pub url_host: Option<String>,
    /// The path there, without the query string.
    pub url_path: Option<String>,
    /// The headers as they were sent, as a JSON object.
    pub request_headers: Option<serde_json::Value>,
}

/// Returns the attempts of this delivery and their requests, in the order in which they were made.
pub async fn sent_of(conn: &mut PgConnection, id: DeliveryId) -> sqlx::Result<Vec<SentRow>> {
    let rows = sqlx::query!(
        r#"SELECT a.attempt, a.at, a.duration_ms, a.response_status, a.error, a.response_excerpt, a.url_host,
               a.url_path, a.request_headers, a.dns_ms, a.connect_ms, a.tls_ms, a.first_byte_ms,
               a.clock_ahead_seconds, a.response_headers, d.event_id, d.event_type
           FROM delivery_attempts AS a
           JOIN deliveries AS d ON d.id = a.delivery_id
           WHERE a.delivery_id = $1
           ORDER BY a.claim_no"#,
        id as _
    )
    .fetch_all(conn)
    .await?;
    let sent = rows.into_iter().map(|row| SentRow {
        attempt: AttemptRow {
            delivery_id: id,
            attempt: row.attempt,
            at: row.at,
            duration_ms: row.duration_ms,
            response_status: row.response_status,
            error: row.error,
            response_excerpt: row.response_excerpt,
            dns_ms: row.dns_ms,
            connect_ms: row.connect_ms,
            tls_ms: row.tls_ms,
            first_byte_ms: row.first_byte_ms,
            clock_ahead_seconds: row.clock_ahead_seconds,
            response_headers: row.response_headers,
        },
        url_host: row.url_host,
        url_path: row.url_path,
        request_headers: row.request_headers.map(|kept| {
            let values = HeaderValues { event_type: &row.event_type, event_id: &row.event_id, attempt: row.attempt };
            attempt_headers::as_sent(kept, values)
        }),
    });
    Ok(sent.collect())
}

/// Returns the bytes that every attempt of this delivery sends; none once the event is deleted.
pub async fn body_of(conn: &mut PgConnection, id: DeliveryId) -> sqlx::Result<Option<String>> {
    sqlx::query_scalar!(
        "SELECT e.body FROM deliveries AS d JOIN events AS e ON e.id = d.event_id WHERE d.id = $1",
        id as _
    )
    .fetch_optional(conn)
    .await
}
