//! The id of the folder that media is in: one for each database. A file in that folder has it too.

use domain::ids::MediaFolderId;
use sqlx::PgConnection;

/// Returns the id; none before the first start of a process that keeps media.
pub async fn id(conn: &mut PgConnection) -> sqlx::Result<Option<MediaFolderId>> {
    sqlx::query_scalar!(r#"SELECT id AS "id: MediaFolderId" FROM media_folder"#).fetch_optional(conn).await
}

/// Notes this id where none is noted, and returns the one that stands. Whoever notes one at the same moment waits for
/// the end of this transaction.
pub async fn note(conn: &mut PgConnection, id: MediaFolderId) -> sqlx::Result<MediaFolderId> {
    sqlx::query_scalar!(
        r#"INSERT INTO media_folder AS noted (id) VALUES ($1)
           ON CONFLICT (singleton) DO UPDATE SET id = noted.id
           RETURNING noted.id AS "id: MediaFolderId""#,
        id as MediaFolderId
    )
    .fetch_one(conn)
    .await
}
