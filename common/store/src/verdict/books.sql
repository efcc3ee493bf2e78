-- The last check of the ledger, and of the accounts that paid for the newest jobs of a day those that have nothing left. What is
-- not folded yet counts as held: it is folded within a second.
WITH newest AS MATERIALIZED (
    SELECT id, payer_account_id FROM jobs WHERE id >= mws_first_id(mws_now() - interval '1 day') ORDER BY id DESC LIMIT $1
), worked AS (
    SELECT payer_account_id AS account_id, max(id::text) AS last_job FROM newest GROUP BY payer_account_id
), out AS MATERIALIZED (
    SELECT a.id, worked.last_job FROM worked
    JOIN accounts a ON a.id = worked.account_id
    JOIN minute_buckets b
        ON b.account_id = worked.account_id AND b.month = date_trunc('month', mws_now() AT TIME ZONE 'UTC')::date
    WHERE b.allowance <= b.used + b.held AND a.bought <= a.bought_held
)
SELECT extract(epoch FROM mws_now() - c.checked_at)::double precision AS checked_seconds, c.drifting AS "drifting!",
    (SELECT count(*) FROM out) AS "many!", last.id AS "account?: AccountId"
FROM ledger_check AS c
LEFT JOIN (SELECT id FROM out ORDER BY last_job DESC LIMIT 1) AS last ON true
