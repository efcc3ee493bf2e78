//! Typed ids: `<prefix>_<26-character ULID>` for clients, a 16-byte `uuid` in the database.
//!
//! Each noun has its own type, so that a job's id can't be passed for an item's. Event ids are not here: they are
//! derived from the job (`domain::event`), not minted.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::postgres::{PgArgumentBuffer, PgHasArrayType, PgTypeInfo, PgValueRef};
use sqlx::{Decode, Encode, Postgres, Type};
use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicI64, Ordering};
use ulid::Ulid;
use uuid::Uuid;

/// A text that is not an id of the kind asked for.
#[derive(Debug, Clone, thiserror::Error, PartialEq, Eq)]
#[error("expected `{prefix}_` and 26 characters, found `{found}`")]
pub struct IdError {
    prefix: &'static str,
    found: String,
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident = $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(Ulid);

        impl $name {
            /// The prefix of this kind, without the underscore.
            pub const PREFIX: &'static str = $prefix;

            /// Returns a new id. Ids of one process sort by the time they were made.
            pub fn mint() -> Self {
                Self(minted())
            }

            /// When it was minted, in milliseconds of Unix time.
            pub const fn minted_at_ms(self) -> u64 {
                self.0.timestamp_ms()
            }

            /// Returns the highest id that sorts below this one.
            #[must_use]
            pub fn just_before(self) -> Self {
                let id: u128 = self.0.into();
                Self(Ulid::from(id.saturating_sub(1)))
            }

            /// Returns the 16 bytes that the database stores.
            pub fn uuid(self) -> Uuid {
                Uuid::from_u128(self.0.into())
            }
        }

        impl From<Uuid> for $name {
            fn from(uuid: Uuid) -> Self {
                Self(Ulid::from(uuid.as_u128()))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "_{}"), self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        impl FromStr for $name {
            type Err = IdError;
            fn from_str(text: &str) -> Result<Self, IdError> {
                parsed($prefix, text).map(Self)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
            }
        }

        impl Type<Postgres> for $name {
            fn type_info() -> PgTypeInfo {
                <Uuid as Type<Postgres>>::type_info()
            }
        }

        impl PgHasArrayType for $name {
            fn array_type_info() -> PgTypeInfo {
                <Uuid as PgHasArrayType>::array_type_info()
            }
        }

        impl Encode<'_, Postgres> for $name {
            fn encode_by_ref(&self, buffer: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
                <Uuid as Encode<'_, Postgres>>::encode(self.uuid(), buffer)
            }
        }

        impl<'r> Decode<'r, Postgres> for $name {
            fn decode(value: PgValueRef<'r>) -> Result<Self, BoxDynError> {
                <Uuid as Decode<'r, Postgres>>::decode(value).map(Self::from)
            }
        }
    )*};
}

ids! {
    /// An account: who pays and who owns workspaces.
    AccountId = "acc";
    /// A person known by an OAuth subject.
    UserId = "usr";
    /// A workspace (contract §2).
    WorkspaceId = "wsp";
    /// An API key.
    KeyId = "key";
    /// A library item.
    ItemId = "itm";
    /// An upload or an import.
    UploadId = "upl";
    /// A comment on an item.
    CommentId = "cmt";
    /// A link that shows an item to whoever has it.
    PublicLinkId = "lnk";
    /// A board.
    BoardId = "brd";
    /// A post that was pulled from a feed or a page.
    PostId = "pst";
    /// An entry of the calendar.
    CalendarEntryId = "cal";
    /// A calendar feed.
    CalendarFeedId = "cfd";
    /// A run of the agent on a project.
    ProjectRunId = "run";
    /// A step of such a run.
    ProjectStepId = "stp";
    /// A document that is found by its name, or that a workspace has only one of; clients never see this id.
    NamedDocumentId = "doc";
    /// A timeline.
    TimelineId = "tml";
    /// A canvas.
    CanvasId = "cnv";
    /// A dub.
    DubId = "dub";
    /// A job (contract §2).
    JobId = "job";
    /// A webhook endpoint (contract §2).
    EndpointId = "whe";
    /// A delivery series (contract §2).
    DeliveryId = "dlv";
    /// A project (contract §2).
    ProjectId = "prj";
    /// The one webhook of a project's change of status (contract §6.2).
    ProjectWebhookId = "pwh";
    /// A notice to the operators' own endpoint (docs/operators.md).
    NoticeId = "ntc";
    /// A message with such notices.
    NoticeMessageId = "ntm";
    /// One change that an operator made.
    AuditId = "aud";
    /// What an operator has done with all that match a filter.
    BulkOperationId = "blk";
    /// The folder that a database's media is in; clients never see this id.
    MediaFolderId = "med";
    /// One HTTP request (`X-Request-Id`).
    RequestId = "req";
}

/// Milliseconds by which the database's clock is ahead of the host's; new ids add it to the host's time.
static AHEAD_MS: AtomicI64 = AtomicI64::new(0);
/// A change by no more than these milliseconds is ignored.
const SAME_MS: i64 = 100;

/// Makes new ids carry the database's time, whose clock shows `theirs_ms` when the host's shows `ours_ms`. Ids sort by
/// time, and searches by id must not depend on the host's clock.
pub fn follow_clock(theirs_ms: i64, ours_ms: i64) {
    let ahead = theirs_ms.saturating_sub(ours_ms);
    if ahead.saturating_sub(AHEAD_MS.load(Ordering::Relaxed)).abs() > SAME_MS {
        AHEAD_MS.store(ahead, Ordering::Relaxed);
    }
}

/// Returns the ULID with its time moved by `ahead_ms` milliseconds.
fn shifted(fresh: Ulid, ahead_ms: i64) -> Ulid {
    Ulid::from_parts(fresh.timestamp_ms().saturating_add_signed(ahead_ms), fresh.random())
}

/// Returns a ULID greater than all that this process has minted before, even within one millisecond.
fn minted() -> Ulid {
    use std::sync::{Mutex, PoisonError};
    static LAST: Mutex<Ulid> = Mutex::new(Ulid::nil());
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    let fresh = shifted(Ulid::generate(), AHEAD_MS.load(Ordering::Relaxed));
    let next = if fresh.timestamp_ms() > last.timestamp_ms() { fresh } else { last.increment().unwrap_or(fresh) };
    *last = next;
    next
}

/// Accepts exactly one text for each id: 26 characters have two bits more than an id, and if those were set they would
/// be dropped.
fn parsed(prefix: &'static str, text: &str) -> Result<Ulid, IdError> {
    text.strip_prefix(prefix)
        .and_then(|rest| rest.strip_prefix('_'))
        .filter(|rest| rest.len() == 26 && rest.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit()))
        .filter(|rest| rest.as_bytes()[0] <= b'7')
        .and_then(|rest| Ulid::from_string(rest).ok())
        .ok_or_else(|| IdError { prefix, found: text.chars().take(64).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_reads_back_what_it_wrote_and_refuses_another_kind() {
        let job = JobId::mint();
        assert_eq!(job.to_string().parse::<JobId>(), Ok(job));
        assert_eq!(job.to_string().len(), 30);
        assert!(job.to_string().parse::<ItemId>().is_err());
        assert!("job_0".parse::<JobId>().is_err());
    }

    #[test]
    fn an_id_carries_the_databases_time() {
        let fresh = Ulid::generate();
        for ahead in [-90_000_i64, 0, 3_600_000] {
            let shifted = shifted(fresh, ahead);
            let by = i128::from(shifted.timestamp_ms()) - i128::from(fresh.timestamp_ms());
            assert_eq!((by, shifted.random()), (i128::from(ahead), fresh.random()));
        }
    }

    #[test]
    fn an_id_has_one_text() {
        assert!("job_01JD0000000000000000000000".parse::<JobId>().is_ok());
        for more in ["8", "G", "Z"] {
            assert!(format!("job_{more}1JD0000000000000000000000").parse::<JobId>().is_err(), "{more}");
        }
        assert!("job_7ZZZZZZZZZZZZZZZZZZZZZZZZZ".parse::<JobId>().is_ok());
    }

    #[test]
    fn ids_of_one_process_sort_by_the_order_they_were_minted_in() {
        let ids: Vec<JobId> = (0..1000).map(|_| JobId::mint()).collect();
        assert!(ids.is_sorted());
    }
}
