//! Pausing and resuming reads: `/operator/reads` (contract §11, §4.5).

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

/// What these operations refuse with, beside what every operation may.
pub const ERRORS: Refusals = &[("GET /operator/reads", &[]), ("PATCH /operator/reads/{read}", &[Code::ReadNotFound])];

/// The operations on reads.
pub struct OperatorReads(pub App);

/// What to change of a read.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct ChangeRead {
    /// `true`: no job of it is begun, and calls are answered `held` with `reads_paused`. `false`: all goes on.
    pub paused: bool,
}

/// A read, and whether it is computed.
#[derive(Debug, Object)]
pub struct OperatorRead {
    /// Which.
    pub read: ReadKind,
    /// Since when it is paused, or null.
    pub paused_at: Option<Time>,
    /// What computes it, as a worker last said, or null.
    pub engine: Option<Text>,
    /// And in which version, or null.
    pub engine_version: Option<Text>,
    /// When a worker last said so, or null.
    pub engine_seen_at: Option<Time>,
    /// Jobs of it that wait; 10,001 means more than 10,000.
    pub waiting_jobs: u32,
}

/// The six reads.
#[derive(Debug, Object)]
pub struct OperatorReadList {
    /// By their names.
    pub data: Vec<OperatorRead>,
    /// Always false: they are few, and all here.
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
    /// The six reads: what computes each, whether it is paused, and how many jobs wait for it.
    #[oai(path = "/operator/reads", method = "get", operation_id = "operator_list_reads")]
    async fn list(&self, _auth: OperatorAuth) -> Answer<Json<OperatorReadList>> {
        let rows = reads::list(&mut *self.0.conn().await?).await?;
        let data = rows.into_iter().map(OperatorRead::from).collect();
        Ok(Json(OperatorReadList { data, has_more: false, next_cursor: None }))
    }

    /// Pause or resume a read
    ///
    /// While a read is paused its running jobs go on, its waiting ones wait and give their places to others, and calls
    /// for it are answered `held`. Nothing is cancelled and nothing is charged.
    #[oai(path = "/operator/reads/:read", method = "patch", operation_id = "operator_update_read")]
    async fn change(
        &self,
        auth: OperatorAuth,
        /// The read's name.
        read: Path<Text>,
        body: Json<ChangeRead>,
    ) -> Answer<Json<OperatorRead>> {
        let OperatorAuth(operator) = auth;
        let named = || ApiError::new(Code::ReadNotFound, "There is no such read; GET /operator/reads lists them.");
        let read = Read::from_name(&read.0).ok_or_else(named)?;
        let begun = if body.0.paused { Begun::Paused } else { Begun::Resumed };
        Ok(Json(pause_or_resume_read(&self.0, &operator, read, begun).await?.into()))
    }
}
