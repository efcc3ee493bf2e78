-- Of the reads that jobs own, those of the newest items and $1 at most, up to $2 items of which the owner does not live.
WITH owned AS MATERIALIZED (
    SELECT item_id, read, job_id FROM job_reads ORDER BY item_id DESC, read DESC LIMIT $1
)
SELECT r.item_id AS "id!: ItemId"
FROM owned AS r LEFT JOIN jobs AS j ON j.id = r.job_id
WHERE j.id IS NULL OR j.finished_at IS NOT NULL
LIMIT $2
