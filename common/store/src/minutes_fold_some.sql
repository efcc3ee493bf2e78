-- Folds up to $1 rows of ends into their accounts' balances. Accounts that another holds are left out. What is folded
-- of an account need not be all there is of it.
WITH next AS MATERIALIZED (
    SELECT job_id, account_id FROM minute_unfolded LIMIT $1
), locked AS MATERIALIZED (
    SELECT id FROM accounts WHERE id = ANY (ARRAY(SELECT account_id FROM next)) ORDER BY id
    FOR NO KEY UPDATE SKIP LOCKED
), gone AS (
    DELETE FROM minute_unfolded
    WHERE job_id = ANY (ARRAY(SELECT job_id FROM next WHERE account_id IN (SELECT id FROM locked)))
    RETURNING account_id, month, month_used, month_freed, bought_used, bought_freed, credits_used, credits_freed
), by_month AS (
    SELECT account_id, month, sum(month_used)::bigint AS used, sum(month_freed)::bigint AS freed
    FROM gone GROUP BY account_id, month
), folded AS (
    UPDATE minute_buckets b SET used = b.used + by_month.used, held = b.held - by_month.freed
    FROM by_month WHERE b.account_id = by_month.account_id AND b.month = by_month.month
), bought AS (
    SELECT account_id, sum(bought_used)::bigint AS used, sum(bought_freed)::bigint AS freed,
        sum(credits_used)::bigint AS credits_used, sum(credits_freed)::bigint AS credits_freed
    FROM gone GROUP BY account_id HAVING sum(bought_freed + credits_freed) > 0
), paid AS (
    UPDATE accounts a SET bought = a.bought - bought.used, bought_held = a.bought_held - bought.freed,
        credits_used = a.credits_used + bought.credits_used, credits_held = a.credits_held - bought.credits_freed
    FROM bought WHERE a.id = bought.account_id
)
SELECT count(*) AS "folded!" FROM gone
