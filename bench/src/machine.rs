//! The machine of a run, in words: whoever keeps the figures keeps it with them.

use crate::database::Server;
use sqlx::Connection;
use std::fs::read_to_string;
use std::thread::available_parallelism;

/// Returns its cores, memory, kernel and PostgreSQL.
pub async fn words(server: &Server) -> anyhow::Result<String> {
    let mut conn = server.connect("postgres").await?;
    let postgres = store::inspect::server_version(&mut conn).await?;
    conn.close().await?;
    let cores = available_parallelism()?;
    let processor = value_of("/proc/cpuinfo", "model name").unwrap_or_else(|| "a processor without a name".to_owned());
    let memory = value_of("/proc/meminfo", "MemTotal").unwrap_or_default();
    let kernel = read_to_string("/proc/sys/kernel/osrelease")?;
    Ok(format!("{cores} cores, {processor}; {memory} of memory; Linux {}; PostgreSQL {postgres}", kernel.trim()))
}

/// Returns the first value of this name in a file of lines `name: value`.
fn value_of(file: &str, name: &str) -> Option<String> {
    let text = read_to_string(file).ok()?;
    let (_, value) = text.lines().find(|line| line.starts_with(name))?.split_once(':')?;
    Some(value.trim().to_owned())
}
