//! What of old rows is deleted next, and how large the tables are: `/operator/retention` (contract §11). The console's
//! page of the fleet shows the same.

use super::OperatorAuth;
use crate::app::App;
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::Answer;
use crate::http::text::{Text, Time};
use crate::usecases::operator::retention::{Kept, retention};
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use store::sizes::TableSize;

/// The error codes of this operation, besides those that any operation may return.
pub const ERRORS: Refusals = &[("GET /operator/retention", &[])];

/// The operation on the tables.
pub struct OperatorRetention(pub App);

/// Rows that are deleted once they are old enough.
#[derive(Debug, Object)]
pub struct KeptRows {
    /// The table that has them.
    pub table: Text,
    /// The setting that says how long they are kept.
    pub setting: Text,
    /// How many days that is.
    pub days: u32,
    /// When the oldest row that may be deleted was made, or ended if it is a job; null if there is none.
    pub oldest_at: Option<Time>,
    /// From when on the oldest row is deleted. Schedulers do that every half minute, batch by batch, and what belongs
    /// to a row that has to stay stays with it. Null if there is none.
    pub deleted_from: Option<Time>,
}

/// The size of a table, by the database's own statistics.
#[derive(Debug, Object)]
pub struct OperatorTable {
    /// Its name.
    pub name: Text,
    /// About how many rows it has; null before it was vacuumed or analysed for the first time.
    pub rows: Option<i64>,
    /// The bytes of its rows.
    pub table_bytes: i64,
    /// The bytes of its indexes.
    pub index_bytes: i64,
    /// About how many deleted or changed rows are still to be vacuumed.
    pub dead_rows: i64,
    /// When it was vacuumed or analysed last; null if it never was.
    pub gathered_at: Option<Time>,
}

/// How long rows are kept, and how large the tables are.
#[derive(Debug, Object)]
pub struct RetentionAnswer {
    /// What is deleted once it is old enough.
    pub kept: Vec<KeptRows>,
    /// All tables, the largest first.
    pub tables: Vec<OperatorTable>,
}

#[OpenApi(tag = "Tag::Operator")]
impl OperatorRetention {
    /// Get what is deleted next, and the sizes of tables
    ///
    /// The age of the oldest rows of which old ones are deleted, and how large each table is. Sizes are those of the
    /// last vacuum or analysis of a table: nothing is counted for it.
    #[oai(path = "/operator/retention", method = "get", operation_id = "operator_get_retention")]
    async fn get(&self, _auth: OperatorAuth) -> Answer<Json<RetentionAnswer>> {
        let found = retention(&self.0).await?;
        let tables = found.tables.into_iter().map(OperatorTable::from).collect();
        Ok(Json(RetentionAnswer { kept: found.kept.iter().map(KeptRows::from).collect(), tables }))
    }
}

impl From<&Kept> for KeptRows {
    fn from(kept: &Kept) -> Self {
        Self {
            table: Text::from(kept.what),
            setting: Text::from(kept.setting),
            days: kept.days,
            oldest_at: kept.oldest_at.map(Time),
            deleted_from: kept.deleted_from().map(Time),
        }
    }
}

impl From<TableSize> for OperatorTable {
    fn from(table: TableSize) -> Self {
        Self {
            name: Text(table.name),
            rows: table.rows,
            table_bytes: table.table_bytes,
            index_bytes: table.index_bytes,
            dead_rows: table.dead_rows,
            gathered_at: table.gathered_at.map(Time),
        }
    }
}
