-- The newest deliveries of an hour: how many were attempted, and how many of those failed at their last attempt; pings
-- don't count, and what was attempted and then skipped had failed. Endpoints that were disabled have an index of their own.
WITH newest AS MATERIALIZED (
    SELECT endpoint_id, status = 'skipped' OR (status IN ('failed', 'pending') AND error IS NOT NULL) AS troubled FROM (
        SELECT endpoint_id, status, error, attempt_count, trigger FROM deliveries
        WHERE id >= mws_first_id(mws_now() - interval '1 hour') ORDER BY id DESC LIMIT $1
    ) AS looked_at
    WHERE attempt_count > 0 AND trigger <> 'test' AND status IN ('pending', 'succeeded', 'failed', 'skipped')
        AND (status <> 'pending' OR error IS NOT NULL)
), disabled AS MATERIALIZED (
    SELECT id, account_id, disabled_at FROM webhook_endpoints
    WHERE disabled_reason = 'too_many_failures' AND deleted_at IS NULL AND disabled_at >= mws_now() - interval '1 day'
    ORDER BY disabled_at DESC LIMIT $1
)
SELECT (SELECT count(*) FROM newest) AS "attempted!",
    (SELECT count(*) FROM newest WHERE troubled) AS "troubled!",
    (SELECT count(DISTINCT endpoint_id) FROM newest WHERE troubled) AS "troubled_endpoints!",
    (SELECT count(*) FROM disabled) AS "disabled_many!",
    last.id AS "disabled?: EndpointId", last.account_id AS "disabled_account?: AccountId",
    (SELECT count(*) FROM (
        SELECT FROM deliveries WHERE status = 'pending' AND finished_at IS NULL AND lease_until IS NULL
        ORDER BY due_at LIMIT $1
    ) AS waiting) AS "pending!",
    coalesce(extract(epoch FROM mws_now() - (
        SELECT min(due_at) FROM deliveries WHERE status = 'pending' AND finished_at IS NULL AND lease_until IS NULL
    )), 0)::double precision AS "oldest_due_seconds!"
FROM (VALUES (1)) AS one (row)
LEFT JOIN (SELECT id, account_id FROM disabled ORDER BY disabled_at DESC LIMIT 1) AS last ON true
