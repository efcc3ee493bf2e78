-- Gives a ticket of $2 to admitted jobs whose ticket is dead (the view live_tickets), $1 at most, of the $4 next that are
-- due from a time on: $3 of the way from the oldest's to now.
WITH oldest AS (
    SELECT min(due_at) AS due_at FROM jobs WHERE status = 'queued' AND admitted AND finished_at IS NULL
), looked_at AS MATERIALIZED (
    SELECT id, ticket_id FROM jobs
    WHERE status = 'queued' AND admitted AND finished_at IS NULL AND due_at <= mws_now()
        AND due_at >= (SELECT due_at + (mws_now() - due_at) * $3::float8 FROM oldest)
    ORDER BY due_at LIMIT $4
), lost AS MATERIALIZED (
    SELECT id, ticket_id FROM looked_at
    -- Each ticket by itself, and not all tickets in a hash.
    WHERE (SELECT id FROM live_tickets WHERE id = looked_at.ticket_id LIMIT 1) IS NULL
    LIMIT $1
), due AS MATERIALIZED (
    -- Still as it was looked at: another scheduler may have given it a ticket meanwhile.
    SELECT j.id, j.payer_account_id AS payer, row_number() OVER () AS place
    FROM lost CROSS JOIN LATERAL (
        SELECT id, payer_account_id FROM jobs
        WHERE id = lost.id AND ticket_id IS NOT DISTINCT FROM lost.ticket_id AND status = 'queued' AND admitted
        FOR UPDATE SKIP LOCKED
    ) AS j
), others AS MATERIALIZED (
    SELECT payer, (
        SELECT count(*) FROM jobs o WHERE o.payer_account_id = payer AND o.admitted AND o.finished_at IS NULL
    ) AS many
    FROM (SELECT DISTINCT payer FROM due) AS payers
)
UPDATE jobs j SET ticket_id = ($2::text[])[due.place]
FROM due JOIN others USING (payer)
WHERE j.id = due.id AND j.id = ANY (ARRAY(SELECT id FROM due))
RETURNING
    j.id AS "job: JobId", j.kind AS "kind: JobKind", j.read AS "read: Read", j.payer_account_id AS "payer: AccountId",
    j.ticket_id AS "ticket!", others.many AS "others!"
