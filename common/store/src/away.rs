//! Which database errors mean that it can't serve anybody now: it is away, full, busy, or read-only.
//!
//! The api answers 503 to these, and a process that starts waits for them to pass. Any other error is a fault of the
//! statement, which another try does not cure. Nothing here waits or logs.

use sqlx::postgres::{PgDatabaseError, PgSeverity};

/// Classes of SQLSTATE that may pass with time: connection, resources, an operator's intervention, the system.
const CLASSES: [&str; 4] = ["08", "53", "57", "58"];
/// Single codes that may pass with time: a lock timeout, a serialisation failure, a deadlock, an idle transaction that
/// was ended, and a read-only server.
const CODES: [&str; 5] = [LOCK_TIMEOUT, "40001", "40P01", "25P03", READ_ONLY];
/// `lock_not_available`.
const LOCK_TIMEOUT: &str = "55P03";
/// `read_only_sql_transaction`.
const READ_ONLY: &str = "25006";
/// Codes for a prepared statement that does not exist, and for one that exists already.
const LENT_BY_TRANSACTION: [&str; 2] = ["26000", "42P05"];
/// Functions of the server that refuse what a standby can't do, with codes that mean other things elsewhere.
const REFUSES_IN_RECOVERY: [&str; 3] = ["get_relation_info", "GetNewTransactionId", "AssignTransactionId"];

/// Whether the same statement may succeed later.
pub fn is_away(error: &sqlx::Error) -> bool {
    use sqlx::Error as E;
    match error {
        E::PoolTimedOut | E::PoolClosed | E::Io(_) | E::Tls(_) | E::Protocol(_) | E::WorkerCrashed => true,
        E::Database(error) => error.try_downcast_ref::<PgDatabaseError>().is_some_and(is_refusal_of_the_server),
        _ => false,
    }
}

/// Whether a statement waited for a lock for longer than it may. Whoever knows what the lock is of knows whom it waited
/// for.
pub fn waited_too_long(error: &sqlx::Error) -> bool {
    let sqlx::Error::Database(error) = error else { return false };
    error.code().is_some_and(|code| code == LOCK_TIMEOUT)
}

/// Whether a prepared statement is missing on this connection, or exists already: a pooler lends connections for one
/// transaction, and this service needs them for a session.
pub fn is_lent_by_transaction(error: &sqlx::Error) -> bool {
    let sqlx::Error::Database(error) = error else { return false };
    error.code().is_some_and(|code| LENT_BY_TRANSACTION.contains(&&*code))
}

/// Whether the server can be reached but takes no writes: a standby, or a server that is set to read only.
pub fn is_read_only(error: &sqlx::Error) -> bool {
    let sqlx::Error::Database(error) = error else { return false };
    error.try_downcast_ref::<PgDatabaseError>().is_some_and(|error| error.code() == READ_ONLY || is_in_recovery(error))
}

fn is_refusal_of_the_server(error: &PgDatabaseError) -> bool {
    let code = error.code();
    // An error that ends the session, as every error does while a connection is made, is no fault of a statement.
    let ends_the_session = matches!(error.severity(), PgSeverity::Fatal | PgSeverity::Panic);
    ends_the_session
        || CLASSES.iter().any(|class| code.starts_with(class))
        || CODES.contains(&code)
        || is_in_recovery(error)
}

/// Whether a standby refuses a statement that its primary would run: one on unlogged tables, or for a transaction id.
fn is_in_recovery(error: &PgDatabaseError) -> bool {
    let of_recovery = || {
        error.routine().is_some_and(|routine| REFUSES_IN_RECOVERY.contains(&routine))
            || error.message().contains("recovery")
    };
    ["0A000", "55000", "XX000"].contains(&error.code()) && of_recovery()
}
