-- Events whose last series to an endpoint has failed or was skipped, counted endpoint by endpoint in the order of their ids
-- after $2: of the endpoints $1, or of any if it is null. Ends once $3 series that failed or were skipped are looked at, the
-- newest of each endpoint first, or $4 endpoints have something unsent. The rest narrows the series; a null passes
-- everything. Each step takes the next endpoint from the index of what failed or was skipped, so that those of which nothing
-- did are not read. Of several series of one event to an endpoint the last alone is judged, since it stands for the others.
-- OFFSET 0 keeps the next endpoint from being looked up where it is used.
WITH RECURSIVE step AS (
    SELECT $2::uuid AS endpoint_id, $3::bigint AS rows_left, 0::bigint AS found, 0::bigint AS unsent
    UNION ALL
    SELECT next.id, step.rows_left - greatest(own.looked_at, 1), step.found + CASE WHEN own.unsent > 0 THEN 1 ELSE 0 END,
        own.unsent
    FROM step
    CROSS JOIN LATERAL (
        SELECT CASE WHEN $1::uuid[] IS NULL THEN (
            SELECT d.endpoint_id FROM deliveries AS d
            WHERE d.status IN ('failed', 'skipped') AND d.endpoint_id > step.endpoint_id
            ORDER BY d.endpoint_id LIMIT 1
        ) ELSE (
            SELECT asked.id FROM unnest($1::uuid[]) AS asked (id) WHERE asked.id > step.endpoint_id ORDER BY asked.id LIMIT 1
        ) END AS id
        OFFSET 0
    ) AS next
    CROSS JOIN LATERAL (
        SELECT count(*) AS looked_at,
            count(*) FILTER (WHERE judged.is_last AND NOT EXISTS (
                SELECT 1 FROM deliveries AS later
                WHERE later.event_id = judged.event_id AND later.endpoint_id = judged.endpoint_id
                    AND mws_stands_for(later.status, later.id, judged.id))) AS unsent
        FROM (
            SELECT looked.id, looked.endpoint_id, looked.event_id, looked.is_meant AND row_number() OVER (
                PARTITION BY looked.event_id, looked.is_meant ORDER BY looked.id DESC) = 1 AS is_last
            FROM (
                SELECT d.id, d.endpoint_id, d.event_id,
                    d.trigger <> 'test'
                        AND d.created_at >= $5
                        AND ($6::timestamptz IS NULL OR d.created_at < $6)
                        AND ($7::text IS NULL OR d.status = $7)
                        AND ($8::text IS NULL OR d.event_type = $8)
                        AND ($9::smallint IS NULL OR d.response_status = $9)
                        AND ($10::text IS NULL OR d.error = $10) AS is_meant
                FROM deliveries AS d
                WHERE d.endpoint_id = next.id AND d.status IN ('failed', 'skipped')
                ORDER BY d.id DESC
                LIMIT coalesce((
                    SELECT step.rows_left FROM webhook_endpoints AS w WHERE w.id = next.id AND w.deleted_at IS NULL
                ), 0)
            ) AS looked
        ) AS judged
    ) AS own
    WHERE next.id IS NOT NULL AND step.rows_left > 0 AND step.found < $4
)
SELECT
    step.endpoint_id AS "endpoint_id!: EndpointId",
    w.account_id AS "account_id?: AccountId",
    w.enabled AS "enabled?",
    step.unsent AS "unsent!",
    step.rows_left AS "rows_left!"
FROM step
LEFT JOIN webhook_endpoints AS w ON w.id = step.endpoint_id AND w.deleted_at IS NULL
WHERE step.rows_left < $3
ORDER BY step.endpoint_id
