-- Takes what is due and nobody's: the deliveries named by $1, and of each endpoint in $4 the next first attempts, at
-- most so many ($5) and after an id ($6), if it is healthy. `next` is what the endpoint's state makes of the row: sent,
-- or ended unsent. A ping is sent to a disabled endpoint too. `due_at` becomes the lease's end, so that the rescue
-- finds a lost lease as due. A ticket that nobody has fetched has done its service and goes; none is waited for.
WITH picked AS (
    SELECT d.id
    FROM unnest($4::uuid[], $5::bigint[], $6::uuid[]) AS wanted (endpoint_id, many, after)
    JOIN webhook_endpoints AS w ON w.id = wanted.endpoint_id
    CROSS JOIN LATERAL (
        -- The due time is asked for in a way that no index serves: that of all that is due would lead through what
        -- waits for others.
        SELECT id FROM deliveries
        WHERE endpoint_id = w.id AND status = 'pending' AND finished_at IS NULL AND lease_until IS NULL
            AND attempt_count = 0 AND id > wanted.after AND due_at + interval '0' <= mws_now()
        ORDER BY id
        LIMIT wanted.many
        FOR UPDATE SKIP LOCKED
    ) AS d
    WHERE mws_is_healthy(w.enabled, w.consecutive_failures)
), held AS (
    SELECT
        d.id,
        d.ticket_id,
        CASE
            WHEN w.id IS NULL OR w.deleted_at IS NOT NULL THEN 'cancelled'
            WHEN w.enabled OR d.trigger = 'test' THEN 'pending'
            ELSE 'skipped'
        END AS next
    FROM deliveries AS d
    LEFT JOIN webhook_endpoints AS w ON w.id = d.endpoint_id
    WHERE d.id = ANY ($1::uuid[] || ARRAY(SELECT id FROM picked))
        AND d.status = 'pending' AND d.lease_until IS NULL AND d.due_at <= mws_now()
    FOR UPDATE OF d SKIP LOCKED
), spent AS (
    DELETE FROM apalis.jobs WHERE id = ANY (ARRAY(
        -- Not by its status, which would lead through the index of all tickets that wait.
        SELECT id FROM apalis.jobs WHERE id = ANY (ARRAY(SELECT ticket_id FROM held)) AND lock_by IS NULL
        FOR UPDATE SKIP LOCKED
    ))
), claimed AS (
    UPDATE deliveries AS d
    SET
        status = held.next,
        error = CASE WHEN held.next = 'skipped' THEN 'endpoint_disabled' ELSE d.error END,
        finished_at = CASE WHEN held.next <> 'pending' THEN mws_now() END,
        attempt_count = d.attempt_count + CASE WHEN held.next = 'pending' THEN 1 ELSE 0 END,
        claim_no = d.claim_no + 1,
        ticket_id = NULL,
        claimed_at = mws_now(),
        claimed_by = $2,
        lease_until = CASE WHEN held.next = 'pending' THEN mws_now() + $3::bigint * interval '1 ms' END,
        due_at = CASE WHEN held.next = 'pending' THEN mws_now() + $3::bigint * interval '1 ms' ELSE d.due_at END
    FROM held
    WHERE d.id = held.id
    RETURNING d.id, d.status, d.claim_no, d.attempt_count, d.trigger, d.endpoint_id, d.account_id, d.event_id,
        d.event_type, d.claimed_at, d.traceparent
)
SELECT
    claimed.id AS "id!: DeliveryId",
    claimed.claim_no AS "claim_no!",
    claimed.attempt_count AS "attempt!",
    claimed.trigger AS "trigger!: Trigger",
    claimed.endpoint_id AS "endpoint_id!: EndpointId",
    claimed.account_id AS "account_id!: AccountId",
    claimed.event_id AS "event_id!",
    claimed.event_type AS "event_type!: EventType",
    claimed.claimed_at AS "claimed_at!",
    claimed.traceparent,
    w.url AS "url!",
    mws_is_healthy(w.enabled, w.consecutive_failures) AS "healthy!",
    events.body AS "body!",
    s.sealed AS "sealed?",
    CASE WHEN s.previous_expires_at > mws_now() THEN s.previous_sealed END AS previous_sealed
FROM claimed
JOIN webhook_endpoints AS w ON w.id = claimed.endpoint_id
JOIN events ON events.id = claimed.event_id
LEFT JOIN webhook_secrets AS s ON s.account_id = claimed.account_id
WHERE claimed.status = 'pending'
