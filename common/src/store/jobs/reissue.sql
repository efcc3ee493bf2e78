-- Gives a ticket of $2 to admitted jobs that are due and whose ticket is dead, $1 at most: it is gone or done, or the
-- queue worker that holds it has not been seen for 20 seconds.
WITH due AS MATERIALIZED (
    SELECT j.id, j.payer_account_id AS payer
    FROM jobs j
    WHERE j.status = 'queued' AND j.admitted AND j.finished_at IS NULL AND j.due_at <= mws_now()
        AND NOT EXISTS (
            SELECT FROM apalis.jobs t LEFT JOIN apalis.workers w ON w.id = t.lock_by
            WHERE t.id = j.ticket_id AND t.status IN ('Pending', 'Queued', 'Running')
                AND (t.lock_by IS NULL OR w.last_seen > now() - interval '20 seconds'))
    ORDER BY j.due_at LIMIT $1
    FOR UPDATE OF j SKIP LOCKED
), placed AS (
    SELECT id, payer, row_number() OVER () AS place FROM due
), others AS MATERIALIZED (
    SELECT payer, (
        SELECT count(*) FROM jobs o WHERE o.payer_account_id = payer AND o.admitted AND o.finished_at IS NULL
    ) AS many
    FROM (SELECT DISTINCT payer FROM due) AS payers
)
UPDATE jobs j SET ticket_id = ($2::text[])[placed.place]
FROM placed JOIN others USING (payer)
WHERE j.id = placed.id
RETURNING
    j.id AS "job: JobId", j.kind AS "kind: JobKind", j.read AS "read: Read", j.payer_account_id AS "payer: AccountId",
    j.ticket_id AS "ticket!", others.many AS "others!"
