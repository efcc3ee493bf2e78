-- A page of an account's job events, newest first. $1 account, $2 the place that it follows, $3 rows looked through of each type,
-- $4 types, $5 since when, $6 rows shown. Each type is a list in the order of an index, of which no more than $3 are looked through,
-- and only until the page is full. Where it is not, its last row is that of the first window to end. Bodies are read of what is shown.
WITH past AS (
    -- A transaction takes its time when it begins, and its place a little later: what is asked for comes after this.
    SELECT coalesce((
        SELECT seq FROM events WHERE created_at < $5::timestamptz - interval '5 minutes' ORDER BY created_at DESC LIMIT 1
    ), 0) AS seq
), found AS MATERIALIZED (
    SELECT types.type, own.seq FROM unnest($4::text[]) AS types (type) CROSS JOIN LATERAL (
        SELECT seq FROM (
            SELECT seq, created_at FROM events
            WHERE account_id = $1 AND type = types.type AND seq < $2 AND seq > (SELECT seq FROM past)
            ORDER BY seq DESC LIMIT $3
        ) AS seen
        WHERE $5::timestamptz IS NULL OR created_at >= $5
        ORDER BY seq DESC LIMIT $6
    ) AS own
    ORDER BY own.seq DESC LIMIT $6
), edge AS (
    SELECT last.seq FROM unnest($4::text[]) AS types (type) CROSS JOIN LATERAL (
        SELECT seq FROM events
        WHERE account_id = $1 AND type = types.type AND seq < $2 AND seq > (SELECT seq FROM past)
        ORDER BY seq DESC OFFSET $3 - 1 LIMIT 1
    ) AS last
    WHERE $5::timestamptz IS NOT NULL
    ORDER BY last.seq DESC LIMIT 1
)
SELECT found.seq AS "seq?", event.body AS "body?", edge.seq AS "edge?"
FROM (VALUES (1)) AS one (row)
LEFT JOIN found ON true
LEFT JOIN events event ON event.account_id = $1 AND event.type = found.type AND event.seq = found.seq
LEFT JOIN edge ON true
ORDER BY found.seq DESC
