WITH gone AS (
    DELETE FROM minute_unfolded WHERE account_id = $1
    RETURNING month, month_used, month_freed, bought_used, bought_freed, credits_used, credits_freed
), by_month AS (
    SELECT month, sum(month_used)::bigint AS used, sum(month_freed)::bigint AS freed FROM gone GROUP BY month
), folded AS (
    UPDATE minute_buckets b SET used = b.used + by_month.used, held = b.held - by_month.freed
    FROM by_month WHERE b.account_id = $1 AND b.month = by_month.month
), bought AS (
    SELECT coalesce(sum(bought_used), 0)::bigint AS used, coalesce(sum(bought_freed), 0)::bigint AS freed,
        coalesce(sum(credits_used), 0)::bigint AS credits_used, coalesce(sum(credits_freed), 0)::bigint AS credits_freed
    FROM gone
), paid AS (
    UPDATE accounts a SET bought = a.bought - bought.used, bought_held = a.bought_held - bought.freed,
        credits_used = a.credits_used + bought.credits_used, credits_held = a.credits_held - bought.credits_freed
    FROM bought WHERE a.id = $1 AND bought.freed + bought.credits_freed > 0
), opened AS (
    INSERT INTO minute_buckets (account_id, month, allowance)
    SELECT id, date_trunc('month', mws_now() AT TIME ZONE 'UTC')::date, coalesce(monthly_allowance, $2) FROM accounts WHERE id = $1
    ON CONFLICT (account_id, month) DO NOTHING
    RETURNING account_id, month, allowance
)
INSERT INTO minute_journal (account_id, month, kind, month_amount)
SELECT account_id, month, 'grant', allowance FROM opened
