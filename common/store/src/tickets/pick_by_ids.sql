-- Those of the tickets $1 that are still there, due and not locked by another: the first $2, in the order of $1. Due by
-- the clock, since one may have been pushed after this transaction began.
SELECT ticket.id AS "id!", ticket.job AS "job!"
FROM unnest($1::text[]) AS known (id)
CROSS JOIN LATERAL (
    -- Not by its status, which would lead through the index of all tickets that wait.
    SELECT id, job FROM apalis.jobs
    WHERE id = known.id AND lock_by IS NULL AND run_at < clock_timestamp()
    LIMIT 1 FOR UPDATE SKIP LOCKED
) AS ticket
LIMIT $2
