//! Decides whether the database will ever accept a statement that it has refused.

/// Whether the same statement with the same values would always be refused: a value that does not fit (SQLSTATE class
/// 22), a constraint (23), a statement that is wrong or not allowed (42), a fault inside the server (XX), or a value
/// that this program can't send or read. All other errors may pass: the server is away, full, busy or stopped.
pub fn is_refused_for_good(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Database(refused) => {
            refused.code().is_some_and(|code| ["22", "23", "42", "XX"].iter().any(|class| code.starts_with(class)))
        }
        sqlx::Error::Encode(_) | sqlx::Error::Decode(_) | sqlx::Error::ColumnDecode { .. } => true,
        _ => false,
    }
}
