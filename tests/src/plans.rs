//! What PostgreSQL plans for a statement, whatever it is asked.

use sqlx::{AssertSqlSafe, PgConnection, Row};

/// The plan, for whatever is bound, of the statement that was prepared last on the connection.
pub async fn of_last(conn: &mut PgConnection) -> anyhow::Result<String> {
    let last = "SELECT name, cardinality(parameter_types) AS many FROM pg_prepared_statements
        ORDER BY prepare_time DESC LIMIT 1";
    let last = sqlx::raw_sql(last).fetch_one(&mut *conn).await?;
    let (name, many): (String, i32) = (last.try_get("name")?, last.try_get("many")?);
    let bound =
        if many == 0 { String::new() } else { format!("({})", vec!["NULL"; usize::try_from(many)?].join(", ")) };
    let mode: String = sqlx::raw_sql("SHOW plan_cache_mode").fetch_one(&mut *conn).await?.try_get(0)?;
    sqlx::raw_sql("SET plan_cache_mode = force_generic_plan").execute(&mut *conn).await?;
    let explain = format!("EXPLAIN EXECUTE {name} {bound}");
    let rows = sqlx::raw_sql(AssertSqlSafe(explain)).fetch_all(&mut *conn).await?;
    sqlx::raw_sql(AssertSqlSafe(format!("SET plan_cache_mode = {mode}"))).execute(&mut *conn).await?;
    let lines = rows.iter().map(|row| row.try_get(0)).collect::<sqlx::Result<Vec<String>>>()?;
    Ok(lines.join("\n"))
}

/// How many rows of this table the transaction that is open on the connection has read until now, and what the
/// connection read shortly before it: only differences say something.
pub async fn rows_read(conn: &mut PgConnection, table: &str) -> sqlx::Result<i64> {
    let read = "SELECT coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)::bigint
        FROM pg_stat_xact_user_tables WHERE relid = to_regclass($1)";
    sqlx::query_scalar(read).bind(table).fetch_one(conn).await
}
