-- Gives what the account $1 has free of $2 places to its next waiting jobs that are due, and a ticket of $3 to each. Due
-- by the statement's clock: others may have dispatched jobs while this transaction waited for the account's lock.
WITH taken AS MATERIALIZED (
    SELECT count(*) AS places FROM jobs WHERE payer_account_id = $1 AND admitted AND finished_at IS NULL
), next AS MATERIALIZED (
    SELECT waiting.id, row_number() OVER () AS place
    FROM (
        SELECT id FROM jobs
        WHERE payer_account_id = $1 AND status = 'queued' AND NOT admitted AND finished_at IS NULL
            AND due_at <= mws_statement_now()
            AND NOT EXISTS (SELECT FROM accounts a WHERE a.id = $1 AND a.suspended_at IS NOT NULL)
            AND NOT EXISTS (SELECT FROM read_kinds k WHERE k.read = jobs.read AND k.paused_at IS NOT NULL)
        ORDER BY seq LIMIT (SELECT greatest($2 - places, 0) FROM taken) FOR UPDATE SKIP LOCKED
    ) AS waiting
)
UPDATE jobs j SET admitted = true, ticket_id = ($3::text[])[next.place]
FROM next, taken
WHERE j.id = next.id
RETURNING
    j.id AS "job: JobId", j.kind AS "kind: JobKind", j.read AS "read: Read", j.payer_account_id AS "payer: AccountId",
    j.ticket_id AS "ticket!", taken.places AS "others!"
