-- Events whose last series to an endpoint has failed or was skipped, counted by endpoint. $1 and $2 narrow the endpoints,
-- the rest narrows the series; a null passes everything.
SELECT
    d.endpoint_id AS "endpoint_id!: EndpointId",
    w.account_id AS "account_id!: AccountId",
    w.enabled AS "enabled!",
    count(*) AS "count!"
FROM webhook_endpoints AS w
JOIN deliveries AS d ON d.endpoint_id = w.id
WHERE w.deleted_at IS NULL
    AND ($1::uuid IS NULL OR w.account_id = $1)
    AND ($2::uuid IS NULL OR w.id = $2)
    AND d.status IN ('failed', 'skipped')
    AND d.trigger <> 'test'
    AND d.created_at >= $3
    AND ($4::timestamptz IS NULL OR d.created_at < $4)
    AND ($5::text IS NULL OR d.status = $5)
    AND ($6::text IS NULL OR d.event_type = $6)
    AND ($7::smallint IS NULL OR d.response_status = $7)
    AND ($8::text IS NULL OR d.error = $8)
    AND NOT EXISTS (
        SELECT 1 FROM deliveries AS later
        WHERE later.event_id = d.event_id AND later.endpoint_id = d.endpoint_id
            AND mws_stands_for(later.status, later.id, d.id))
GROUP BY d.endpoint_id, w.account_id, w.enabled
ORDER BY d.endpoint_id
