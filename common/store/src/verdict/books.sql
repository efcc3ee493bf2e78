-- The last check of the ledger, and the accounts that have nothing left of those whose minutes a job moved within a day, the one
-- that worked last by name. They are looked for among those that were short at that check (`notices::note_short`). What is not folded
-- yet counts as held: it is folded within a second.
WITH spent AS MATERIALIZED (
    SELECT noted.account_id FROM short_accounts AS noted
    CROSS JOIN LATERAL (
        SELECT allowance, used, held FROM minute_buckets
        WHERE account_id = noted.account_id AND month = date_trunc('month', mws_now() AT TIME ZONE 'UTC')::date
        LIMIT 1
    ) AS b
    WHERE b.allowance <= b.used + b.held
), out AS MATERIALIZED (
    SELECT a.id, moved.id AS entry FROM spent
    CROSS JOIN LATERAL (
        SELECT j.id, j.at FROM minute_journal j
        WHERE j.account_id = spent.account_id AND j.job_id IS NOT NULL ORDER BY j.id DESC LIMIT 1
    ) AS moved
    JOIN accounts a ON a.id = spent.account_id
    WHERE moved.at >= mws_now() - interval '1 day' AND a.bought <= a.bought_held
)
SELECT extract(epoch FROM mws_now() - c.checked_at)::double precision AS checked_seconds, c.drifting AS "drifting!",
    (SELECT count(*) FROM out) AS "many!", last.id AS "account?: AccountId"
FROM ledger_check AS c
LEFT JOIN (SELECT id FROM out ORDER BY entry DESC LIMIT 1) AS last ON true
