//! Events: their types, their derived ids and the body that every attempt sends (contract §6.1, §6.3).
//!
//! This file defines the order of the body's keys and how an id follows from a job. It never signs or sends: the bytes
//! made here are stored once, `signature` signs them at send time and `outbound` carries them.

use crate::ids::{DeliveryId, EndpointId, JobId, WorkspaceId};
use chrono::{DateTime, SecondsFormat, Utc};
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use sha2::{Digest, Sha256};
use std::fmt;
use std::str::FromStr;

/// The type of an event (contract §2, "Webhook endpoint"), or of the ping that an endpoint's owner asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, sqlx::Type)]
#[sqlx(type_name = "text")]
pub enum EventType {
    /// A job's result is stored.
    #[serde(rename = "job.succeeded")]
    #[sqlx(rename = "job.succeeded")]
    JobSucceeded,
    /// A job has failed for good.
    #[serde(rename = "job.failed")]
    #[sqlx(rename = "job.failed")]
    JobFailed,
    /// A job was cancelled.
    #[serde(rename = "job.cancelled")]
    #[sqlx(rename = "job.cancelled")]
    JobCancelled,
    /// A test that the endpoint's owner sent; nobody subscribes to it.
    #[serde(rename = "ping")]
    #[sqlx(rename = "ping")]
    Ping,
}

impl EventType {
    /// The three that an endpoint subscribes to, all of them when it names none (contract §2).
    pub const SUBSCRIBABLE: [Self; 3] = [Self::JobSucceeded, Self::JobFailed, Self::JobCancelled];

    /// All four.
    pub const ALL: [Self; 4] = [Self::JobSucceeded, Self::JobFailed, Self::JobCancelled, Self::Ping];

    /// Returns its name in `Service-Event`, in the body and in the tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::JobSucceeded => "job.succeeded",
            Self::JobFailed => "job.failed",
            Self::JobCancelled => "job.cancelled",
            Self::Ping => "ping",
        }
    }

    /// Returns the type of this name; `None` if there is none.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event_type| event_type.name() == name)
    }
}

impl fmt::Display for EventType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An event's id: `evt_` and the first 26 characters of the base32 of SHA-256 over its job or delivery, and its type.
///
/// The alphabet is Crockford's in upper case, so that the id looks like every other id of the service; but it is a
/// digest and not a ULID: it holds no time, and its first character may be any of the 32.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, sqlx::Type)]
#[serde(try_from = "String", into = "String")]
#[sqlx(transparent)]
pub struct EventId(String);

/// A text that is no event id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected `evt_` and 26 characters")]
pub struct EventIdError;

impl EventId {
    /// Returns the id of what happened to a job. The same job and type always give the same id, so that a receiver
    /// recognizes a repeated delivery (contract §6.1.4).
    pub fn of_job(job: JobId, event_type: EventType) -> Self {
        Self::derived(&format!("{job}.{event_type}"))
    }

    /// Returns the id of one ping, derived from its delivery: two pings are two events.
    pub fn of_ping(delivery: DeliveryId) -> Self {
        Self::derived(&format!("{delivery}.{}", EventType::Ping))
    }

    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn derived(from: &str) -> Self {
        const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
        let digest = Sha256::digest(from.as_bytes());
        let mut id = String::with_capacity(30);
        id.push_str("evt_");
        for position in 0..26_usize {
            // Five bits from bit 5 × position on, the highest first: they may straddle two bytes.
            let (byte, shift) = (position * 5 / 8, position * 5 % 8);
            let pair = u16::from_be_bytes([digest[byte], digest[byte + 1]]);
            id.push(char::from(ALPHABET[usize::from((pair >> (11 - shift)) & 31)]));
        }
        Self(id)
    }
}

impl FromStr for EventId {
    type Err = EventIdError;
    fn from_str(text: &str) -> Result<Self, EventIdError> {
        let known = |b: u8| b.is_ascii_digit() || (b.is_ascii_uppercase() && !b"ILOU".contains(&b));
        let rest = text.strip_prefix("evt_").ok_or(EventIdError)?;
        if rest.len() == 26 && rest.bytes().all(known) { Ok(Self(text.to_owned())) } else { Err(EventIdError) }
    }
}

impl TryFrom<String> for EventId {
    type Error = EventIdError;
    fn try_from(text: String) -> Result<Self, EventIdError> {
        text.parse()
    }
}

impl From<EventId> for String {
    fn from(id: EventId) -> Self {
        id.0
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The body of a job event: `{"id","type","created_at","workspace_id","timeline_id"?,"data":{"job":…}}`, the keys in
/// this order (contract §6.3). `job` is anything that serializes to the job's public shape.
#[derive(Debug)]
pub struct JobEvent<'a, J: ?Sized> {
    /// The event's id, from [`EventId::of_job`].
    pub id: &'a EventId,
    /// One of the subscribable three.
    pub event_type: EventType,
    /// When the job ended, by the database's clock.
    pub created_at: DateTime<Utc>,
    /// The workspace that the job ran in (contract §6.1.3).
    pub workspace_id: WorkspaceId,
    /// The timeline; only events of a language change have one (contract §6.1.3).
    pub timeline_id: Option<&'a str>,
    /// The job as `get_jobs` shows it.
    pub job: &'a J,
}

impl<J: Serialize + ?Sized> JobEvent<'_, J> {
    /// Returns the bytes that are stored once and sent on every attempt.
    ///
    /// # Errors
    /// If `job` does not serialize.
    pub fn to_bytes(&self) -> Result<Vec<u8>, serde_json::Error> {
        serde_json::to_vec(self)
    }
}

impl<J: Serialize + ?Sized> Serialize for JobEvent<'_, J> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Data<'a, J: ?Sized> {
            job: &'a J,
        }
        let mut body = serializer.serialize_map(None)?;
        body.serialize_entry("id", self.id)?;
        body.serialize_entry("type", &self.event_type)?;
        body.serialize_entry("created_at", &instant(self.created_at))?;
        body.serialize_entry("workspace_id", &self.workspace_id)?;
        if let Some(timeline_id) = self.timeline_id {
            body.serialize_entry("timeline_id", timeline_id)?;
        }
        body.serialize_entry("data", &Data { job: self.job })?;
        body.end()
    }
}

/// Returns the body of a ping: `{"id","type":"ping","created_at","data":{"endpoint_id"}}`. It names no workspace,
/// because an endpoint belongs to the account (contract §2).
///
/// # Errors
/// Never for these values; the error type is that of serde.
pub fn ping_bytes(id: &EventId, created_at: DateTime<Utc>, endpoint: EndpointId) -> Result<Vec<u8>, serde_json::Error> {
    #[derive(Serialize)]
    struct Data {
        endpoint_id: EndpointId,
    }
    #[derive(Serialize)]
    struct Ping<'a> {
        id: &'a EventId,
        r#type: EventType,
        created_at: String,
        data: Data,
    }
    let data = Data { endpoint_id: endpoint };
    serde_json::to_vec(&Ping { id, r#type: EventType::Ping, created_at: instant(created_at), data })
}

fn instant(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}

#[cfg(test)]
mod tests;
