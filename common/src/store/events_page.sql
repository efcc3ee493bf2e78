-- A page of an account's job events, newest first. $1 account, $2 the place that it follows, $3 rows looked at, $4 type, $5 since
-- when, $6 rows shown. Bodies are read of the rows that are shown; without a filter no others are looked at.
WITH seen AS (
    SELECT seq, type, created_at
    FROM events
    WHERE account_id = $1 AND seq < $2 AND type <> 'ping'
    ORDER BY seq DESC
    LIMIT CASE WHEN $4::text IS NULL AND $5::timestamptz IS NULL THEN least($3::bigint, $6::bigint) ELSE $3 END
), found AS (
    SELECT seq
    FROM seen
    WHERE ($4::text IS NULL OR type = $4) AND ($5::timestamptz IS NULL OR created_at >= $5)
    ORDER BY seq DESC
    LIMIT $6
), edge AS (
    SELECT seq, created_at FROM seen ORDER BY seq LIMIT 1
)
SELECT
    found.seq AS "seq?",
    event.body AS "body?",
    edge.seq AS "edge?",
    (SELECT count(*) FROM seen) AS "looked_at!",
    -- A transaction takes its time when it begins, and its place a little later.
    coalesce(edge.created_at < $5::timestamptz - interval '5 minutes', false) AS "is_past!"
FROM (VALUES (1)) AS one (row)
LEFT JOIN found ON true
LEFT JOIN events event ON event.account_id = $1 AND event.seq = found.seq
LEFT JOIN edge ON true
ORDER BY found.seq DESC
