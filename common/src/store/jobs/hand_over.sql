-- Gives the places $2 that the accounts $1 have free to their next waiting jobs that are due, and a ticket of $3 to
-- each. How many of an account had a place before is counted once an account.
WITH next AS MATERIALIZED (
    SELECT waiting.id, freed.payer, row_number() OVER () AS place
    FROM unnest($1::uuid[], $2::bigint[]) AS freed (payer, places)
    CROSS JOIN LATERAL (
        SELECT id FROM jobs
        WHERE payer_account_id = freed.payer AND status = 'queued' AND NOT admitted AND finished_at IS NULL
            AND due_at <= mws_now()
            AND NOT EXISTS (SELECT FROM accounts a WHERE a.id = freed.payer AND a.suspended_at IS NOT NULL)
            AND NOT EXISTS (SELECT FROM read_kinds k WHERE k.read = jobs.read AND k.paused_at IS NOT NULL)
        ORDER BY seq LIMIT freed.places FOR UPDATE SKIP LOCKED
    ) AS waiting
), others AS MATERIALIZED (
    SELECT freed.payer, (
        SELECT count(*) FROM jobs o WHERE o.payer_account_id = freed.payer AND o.admitted AND o.finished_at IS NULL
    ) AS many
    FROM unnest($1::uuid[]) AS freed (payer)
)
UPDATE jobs j SET admitted = true, ticket_id = ($3::text[])[next.place]
FROM next JOIN others USING (payer)
-- By their ids, whatever the table was like when this was planned.
WHERE j.id = next.id AND j.id = ANY (ARRAY(SELECT id FROM next))
RETURNING
    j.id AS "job: JobId", j.kind AS "kind: JobKind", j.read AS "read: Read", j.payer_account_id AS "payer: AccountId",
    j.ticket_id AS "ticket!", others.many AS "others!"
