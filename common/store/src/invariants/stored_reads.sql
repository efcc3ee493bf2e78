-- Of the newest $1 jobs up to $2 reads that succeeded, of an item that is there, and are not stored.
WITH newest AS MATERIALIZED (
    SELECT id, item_id, read, status FROM jobs ORDER BY id DESC LIMIT $1
)
SELECT j.id AS "id!: JobId"
FROM newest AS j JOIN items AS i ON i.id = j.item_id
LEFT JOIN item_reads AS s ON s.item_id = j.item_id AND s.read = j.read
WHERE j.status = 'succeeded' AND j.read IS NOT NULL AND i.deleted_at IS NULL AND s.item_id IS NULL
LIMIT $2
