-- What jobs that ended leave to others: their holds as entries of the journal ($1 to $8, and the credits $14 and $15),
-- with the sums of these to be folded: a row for each account and month, by the id of one of its jobs. The reads that
-- they owned, and the places $10 that the accounts $9 have free, which their next waiting jobs that are due are given,
-- each with a ticket of $11. Due by the statement's clock: jobs that were dispatched since this transaction began wait
-- too. An account's line is read from the job $12 on, or from its front where that is 0. How many of an account had a
-- place before is counted once an account; of one whose line is not read from its front, all $13 were taken.
WITH ended AS (
    SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::date[], $4::bool[], $5::bigint[], $6::bigint[], $7::bigint[],
                         $8::bigint[], $14::bigint[], $15::bigint[])
        AS ended (job_id, account_id, month, settles, month_used, month_freed, bought_used, bought_freed, credits_used,
                  credits_freed)
), journal AS (
    INSERT INTO minute_journal (account_id, month, kind, job_id, month_amount, bought_amount, credit_amount)
    SELECT account_id, month, CASE WHEN settles THEN 'settle' ELSE 'release' END, job_id,
           CASE WHEN settles THEN month_used ELSE month_freed END,
           CASE WHEN settles THEN bought_used ELSE bought_freed END,
           CASE WHEN settles THEN credits_used ELSE credits_freed END
    FROM ended
), unfolded AS (
    INSERT INTO minute_unfolded (job_id, account_id, month, month_used, month_freed, bought_used, bought_freed,
                                 credits_used, credits_freed)
    SELECT (array_agg(job_id))[1], account_id, month, sum(month_used)::bigint, sum(month_freed)::bigint,
        sum(bought_used)::bigint, sum(bought_freed)::bigint, sum(credits_used)::bigint, sum(credits_freed)::bigint
    FROM ended GROUP BY account_id, month
), given_back AS (
    DELETE FROM job_reads WHERE job_id = ANY ($1)
), next AS MATERIALIZED (
    SELECT waiting.id, freed.payer, row_number() OVER () AS place
    FROM unnest($9::uuid[], $10::bigint[], $12::bigint[]) AS freed (payer, places, from_seq)
    CROSS JOIN LATERAL (
        SELECT id FROM jobs
        WHERE payer_account_id = freed.payer AND status = 'queued' AND NOT admitted AND finished_at IS NULL
            AND due_at <= mws_statement_now() AND seq >= freed.from_seq
            AND NOT EXISTS (SELECT FROM accounts a WHERE a.id = freed.payer AND a.suspended_at IS NOT NULL)
            AND NOT EXISTS (SELECT FROM read_kinds k WHERE k.read = jobs.read AND k.paused_at IS NOT NULL)
        ORDER BY seq LIMIT freed.places FOR UPDATE SKIP LOCKED
    ) AS waiting
), others AS MATERIALIZED (
    SELECT freed.payer, CASE WHEN freed.from_seq > 0 THEN greatest($13::bigint - freed.places, 0) ELSE (
        SELECT count(*) FROM jobs o WHERE o.payer_account_id = freed.payer AND o.admitted AND o.finished_at IS NULL
    ) END AS many
    FROM unnest($9::uuid[], $10::bigint[], $12::bigint[]) AS freed (payer, places, from_seq)
)
UPDATE jobs j SET admitted = true, ticket_id = ($11::text[])[next.place]
FROM next JOIN others USING (payer)
-- By their ids, whatever the table was like when this was planned.
WHERE j.id = next.id AND j.id = ANY (ARRAY(SELECT id FROM next))
RETURNING
    j.id AS "job: JobId", j.kind AS "kind: JobKind", j.read AS "read: Read", j.payer_account_id AS "payer: AccountId",
    j.ticket_id AS "ticket!", others.many AS "others!"
