//! Processes of the release before work on beside this one's migrations: what their statements name is still there.
//! `migrations/previous.json` has the statements (`scripts/keep-statements`).

use std::collections::{BTreeMap, HashSet};
use std::fs;

use anyhow::Context;
use mws_tests::template::TestDatabase;
use serde_json::{Value, json};
use sqlx::postgres::PgStatement;
use sqlx::postgres::types::Oid;
use sqlx::{
    AssertSqlSafe, Column, ConnectOptions, Either, Executor, PgConnection, PgPool, SqlSafeStr, Statement, TypeInfo,
};

/// What stands behind a column that is never null.
const NEVER_NULL: &str = " NOT NULL";

/// What the schema says of the columns of its tables.
struct Schema {
    /// Those that are never null, by table and place.
    never_null: HashSet<(Oid, i16)>,
    /// By table those that an insertion must name: they are never null, and have no default.
    to_be_named: BTreeMap<String, Vec<String>>,
}

impl Schema {
    async fn of(conn: &mut PgConnection) -> sqlx::Result<Self> {
        let columns: Vec<(Oid, i16, String, String, bool)> = sqlx::query_as(
            "SELECT a.attrelid, a.attnum, a.attrelid::regclass::text, a.attname::text,
                 c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.atthasdef AND a.attidentity = ''
             FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
             WHERE a.attnotnull",
        )
        .fetch_all(conn)
        .await?;
        let mut schema = Self { never_null: HashSet::new(), to_be_named: BTreeMap::new() };
        for (table, place, table_name, column, is_to_be_named) in columns {
            schema.never_null.insert((table, place));
            if is_to_be_named {
                schema.to_be_named.entry(table_name).or_default().push(column);
            }
        }
        Ok(schema)
    }

    /// The columns that the insertions of a text would have to name and do not.
    fn unnamed(&self, text: &str) -> Vec<String> {
        let mut found = Vec::new();
        for insertion in text.split("INSERT INTO ").skip(1) {
            let (table, rest) = insertion.split_once('(').unwrap_or_default();
            let table = table.split_whitespace().next().unwrap_or_default();
            let named: Vec<&str> = rest.split(')').next().unwrap_or_default().split(',').map(str::trim).collect();
            let needed = self.to_be_named.get(table).into_iter().flatten();
            let missing = needed.filter(|column| !named.contains(&column.as_str()));
            found.extend(missing.map(|column| format!("{table}.{column}")));
        }
        found
    }

    /// The columns that a statement gives, as they are kept.
    fn given(&self, statement: &PgStatement) -> Vec<String> {
        let columns = statement.columns().iter().map(|column| {
            let place = column.relation_id().zip(column.relation_attribute_no());
            let bound = if place.is_some_and(|place| self.never_null.contains(&place)) { NEVER_NULL } else { "" };
            format!("{} {}{bound}", column.name(), column.type_info().name())
        });
        columns.collect()
    }
}

/// The types of a statement's parameters.
fn taken(statement: &PgStatement) -> Vec<String> {
    let types = statement.parameters().and_then(Either::left).unwrap_or_default();
    types.iter().map(|kind| kind.name().to_owned()).collect()
}

/// Whether code that was written for some columns can read others. Null may have been allowed and be so no more.
fn can_be_read(now: &[String], before: &[&str]) -> bool {
    let as_before = |(now, before): (&String, &&str)| now == before || now.strip_suffix(NEVER_NULL) == Some(*before);
    now.len() == before.len() && now.iter().zip(before).all(as_before)
}

fn strings(list: &Value) -> Vec<&str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Has a statement planned: only then does PostgreSQL look up the unique index that `ON CONFLICT` goes by.
async fn plan(conn: &mut PgConnection, text: &str, parameters: usize) -> sqlx::Result<()> {
    let nulls = vec!["NULL"; parameters].join(", ");
    let bound = if parameters == 0 { String::new() } else { format!("({nulls})") };
    let asked = format!("PREPARE planned AS {text}\n; EXPLAIN EXECUTE planned {bound}");
    let planned = sqlx::raw_sql(AssertSqlSafe(asked)).execute(&mut *conn).await;
    sqlx::raw_sql("DEALLOCATE planned").execute(conn).await?;
    planned.map(drop)
}

/// What a process of the release before would notice at a statement of its own.
async fn fault_of(conn: &mut PgConnection, schema: &Schema, kept: &Value) -> Option<String> {
    let text = kept["text"].as_str().unwrap_or_default();
    let statement = match conn.prepare(AssertSqlSafe(text).into_sql_str()).await {
        Ok(statement) => statement,
        Err(refused) => return Some(refused.to_string()),
    };
    let (takes, took) = (taken(&statement), strings(&kept["takes"]));
    if takes != took {
        return Some(format!("takes {takes:?}, and took {took:?}"));
    }
    let (gives, gave) = (schema.given(&statement), strings(&kept["gives"]));
    if !can_be_read(&gives, &gave) {
        return Some(format!("gives {gives:?}, and gave {gave:?}"));
    }
    let unnamed = schema.unnamed(text);
    if !unnamed.is_empty() {
        return Some(format!("leaves out {}", unnamed.join(", ")));
    }
    if text.contains("ON CONFLICT")
        && let Err(refused) = plan(conn, text, took.len()).await
    {
        return Some(refused.to_string());
    }
    None
}

/// What processes of the release before would notice of the database's schema, each with the statement.
async fn faults(database: &TestDatabase, statements: &[Value]) -> anyhow::Result<Vec<String>> {
    // A connection of its own: one that has prepared a text before does not ask again.
    let mut conn = database.connect_options().connect().await?;
    let schema = Schema::of(&mut conn).await?;
    let mut found = Vec::new();
    for kept in statements {
        if let Some(fault) = fault_of(&mut conn, &schema, kept).await {
            found.push(format!("{fault}: {}", kept["text"]));
        }
    }
    Ok(found)
}

async fn migrate(pool: &PgPool) -> anyhow::Result<()> {
    Ok(store::migrate(pool).await?)
}

#[tokio::test]
async fn the_release_before_finds_all_that_its_statements_name_beside_newer_migrations() -> anyhow::Result<()> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../migrations/previous.json");
    let kept: Value = serde_json::from_str(&fs::read_to_string(file)?)?;
    let statements = kept["statements"].as_array().context("no statements are kept")?;
    assert!(statements.len() >= 500, "only {} statements are kept", statements.len());
    let database = TestDatabase::new(migrate).await?;
    let found = faults(&database, statements).await?;
    assert!(
        found.is_empty(),
        "processes of {} are broken by a migration after {}:\n{}",
        kept["release"],
        kept["migration"],
        found.join("\n")
    );
    database.close().await
}

#[tokio::test]
async fn what_a_migration_takes_from_statements_is_noticed_and_what_it_adds_is_not() -> anyhow::Result<()> {
    let statements = [
        json!({
            "text": "SELECT id, name AS \"name!\" FROM kept WHERE id = $1",
            "takes": ["UUID"],
            "gives": ["id UUID NOT NULL", "name! TEXT NOT NULL"],
        }),
        json!({
            "text": "INSERT INTO kept AS k (id, name) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING",
            "takes": ["UUID", "TEXT"],
            "gives": [],
        }),
    ];
    let changes = [
        ("CREATE TABLE kept (id uuid NOT NULL CONSTRAINT one UNIQUE, name text NOT NULL)", ""),
        ("ALTER TABLE kept ADD more text, ADD filled text NOT NULL DEFAULT ''", ""),
        ("ALTER TABLE kept DROP CONSTRAINT one", "no unique or exclusion constraint"),
        ("ALTER TABLE kept ADD must text NOT NULL", "leaves out kept.must"),
        ("ALTER TABLE kept ALTER name DROP NOT NULL", "gives [\"id UUID NOT NULL\", \"name! TEXT\"]"),
        ("ALTER TABLE kept ALTER id TYPE text", "takes [\"TEXT\"]"),
        ("ALTER TABLE kept RENAME name TO title", "column \"name\" does not exist"),
    ];
    let database = TestDatabase::new(migrate).await?;
    for (change, told) in changes {
        sqlx::query(change).execute(database.pool()).await?;
        let found = faults(&database, &statements).await?.join("\n");
        let is_right = if told.is_empty() { found.is_empty() } else { found.contains(told) };
        assert!(is_right, "{change}: {found}");
    }
    database.close().await
}
