//! Whether the database will ever take a statement that it has refused.

/// Whether the same statement with the same values would be refused again, whoever asks and whenever: a value that does
/// not fit (SQLSTATE class 22), a constraint (23), a statement that makes no sense or may not be made (42), a fault
/// inside the server (XX), or a value that this program can't even send. All else passes: a server that is away, full,
/// busy or stopped.
pub fn is_refused_for_good(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Database(refused) => {
            refused.code().is_some_and(|code| ["22", "23", "42", "XX"].iter().any(|class| code.starts_with(class)))
        }
        sqlx::Error::Encode(_) | sqlx::Error::Decode(_) | sqlx::Error::ColumnDecode { .. } => true,
        _ => false,
    }
}
