//! Pauses and resumes reads: `/operator/reads` (contract §11, §4.5).

use super::OperatorAuth;
use crate::app::App;
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::text::{Text, Time};
use crate::resources::tools::prepare_media::ReadKind;
use crate::usecases::operator::reads::pause_or_resume_read;
use domain::read::Read;
use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use store::reads::{self, Begun, KindRow};

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[("GET /operator/reads", &[]), ("PATCH /operator/reads/{read}", &[Code::ReadNotFound])];

/// The operations on reads.
pub struct OperatorReads(pub App);

/// What to change in a read.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct ChangeRead {
    /// `true`: its jobs do not start, and calls for it are answered `held` with `reads_paused`. `false`: they start
    /// again.
    pub paused: bool,
}

/// A read, its engine, and whether it is paused.
#[derive(Debug, Object)]
pub struct OperatorRead {
    /// The read.
    pub read: ReadKind,
    /// Since when it is paused; null when it is not.
    pub paused_at: Option<Time>,
    /// The engine that computes it, as a worker last reported, or null.
    pub engine: Option<Text>,
    /// That engine's version, or null.
    pub engine_version: Option<Text>,
    /// When a worker last reported it, or null.
    pub engine_seen_at: Option<Time>,
    /// The number of its jobs that wait; 10,001 means more than 10,000.
    pub waiting_jobs: u32,
}

/// The reads.
#[derive(Debug, Object)]
pub struct OperatorReadList {
    /// The reads, ordered by name.
    pub data: Vec<OperatorRead>,
    /// Always false: one page has all reads.
    pub has_more: bool,
    /// Always null.
    pub next_cursor: Option<Text>,
}

impl From<KindRow> for OperatorRead {
    fn from(row: KindRow) -> Self {
        Self {
            read: row.read.into(),
            paused_at: row.paused_at.map(Time),
            engine: row.engine.map(Text),
            engine_version: row.engine_version.map(Text),
            engine_seen_at: row.engine_seen_at.map(Time),
            waiting_jobs: u32::try_from(row.waiting).unwrap_or(u32::MAX),
        }
    }
}

#[OpenApi(tag = "Tag::Operator")]
impl OperatorReads {
    /// List reads
    ///
    /// The reads: the engine of each, whether it is paused, and how many of its jobs wait.
    #[oai(path = "/operator/reads", method = "get", operation_id = "operator_list_reads")]
    async fn list(&self, _auth: OperatorAuth) -> Answer<Json<OperatorReadList>> {
        let rows = reads::list(&mut *self.0.conn().await?).await?;
        let data = rows.into_iter().map(OperatorRead::from).collect();
        Ok(Json(OperatorReadList { data, has_more: false, next_cursor: None }))
    }

    /// Pause or resume a read
    ///
    /// While a read is paused its running jobs continue, its waiting jobs wait and give their places to others, and
    /// calls for it are answered `held`. Nothing is cancelled and nothing is charged.
    #[oai(path = "/operator/reads/:read", method = "patch", operation_id = "operator_update_read")]
    async fn change(
        &self,
        auth: OperatorAuth,
        /// The read's name.
        read: Path<Text>,
        body: Json<ChangeRead>,
    ) -> Answer<Json<OperatorRead>> {
        let OperatorAuth(operator) = auth;
        let named = || ApiError::new(Code::ReadNotFound, "There is no such read; `GET /operator/reads` lists them.");
        let read = Read::from_name(&read.0).ok_or_else(named)?;
        let begun = if body.0.paused { Begun::Paused } else { Begun::Resumed };
        Ok(Json(pause_or_resume_read(&self.0, &operator, read, begun).await?.into()))
    }
}
