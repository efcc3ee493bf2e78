-- Folds the account's ended jobs, opens the month where it is not open, and answers the balance after that. All of it is
-- seen as of the statement's begin, so that the balance adds by itself what is folded, and a month that is opened here
-- has the allowance that it is opened with. What ends meanwhile is in neither.
WITH today AS (
    SELECT date_trunc('month', mws_now() AT TIME ZONE 'UTC')::date AS month
), gone AS (
    DELETE FROM minute_unfolded WHERE account_id = $1
    RETURNING month, month_used, month_freed, bought_used, bought_freed, credits_used, credits_freed
), by_month AS (
    SELECT month, sum(month_used)::bigint AS used, sum(month_freed)::bigint AS freed FROM gone GROUP BY month
), folded AS (
    UPDATE minute_buckets b SET used = b.used + by_month.used, held = b.held - by_month.freed
    FROM by_month WHERE b.account_id = $1 AND b.month = by_month.month
), ended AS (
    SELECT
        coalesce(sum(gone.month_used) FILTER (WHERE gone.month = today.month), 0)::bigint AS used,
        coalesce(sum(gone.month_freed) FILTER (WHERE gone.month = today.month), 0)::bigint AS freed,
        coalesce(sum(gone.month_freed + gone.bought_freed), 0)::bigint AS freed_in_all,
        coalesce(sum(gone.bought_used), 0)::bigint AS bought_used,
        coalesce(sum(gone.bought_freed), 0)::bigint AS bought_freed,
        coalesce(sum(gone.credits_used), 0)::bigint AS credits_used,
        coalesce(sum(gone.credits_freed), 0)::bigint AS credits_freed
    FROM gone CROSS JOIN today
), paid AS (
    UPDATE accounts a SET bought = a.bought - ended.bought_used, bought_held = a.bought_held - ended.bought_freed,
        credits_used = a.credits_used + ended.credits_used, credits_held = a.credits_held - ended.credits_freed
    FROM ended WHERE a.id = $1 AND ended.bought_freed + ended.credits_freed > 0
), opened AS (
    INSERT INTO minute_buckets (account_id, month, allowance)
    SELECT a.id, today.month, coalesce(a.monthly_allowance, $2) FROM accounts a CROSS JOIN today WHERE a.id = $1
    ON CONFLICT (account_id, month) DO NOTHING
    RETURNING account_id, month, allowance
), granted AS (
    INSERT INTO minute_journal (account_id, month, kind, month_amount)
    SELECT account_id, month, 'grant', allowance FROM opened
)
SELECT
    mws_now() AS "now!",
    today.month AS "month!",
    coalesce(bucket.allowance, a.monthly_allowance, $2)::bigint AS "allowance!",
    (coalesce(bucket.used, 0) + ended.used)::bigint AS "used!",
    (coalesce(bucket.held, 0) - ended.freed)::bigint AS "held!",
    (held.of_months + a.bought_held - ended.freed_in_all)::bigint AS "held_in_all!",
    (a.bought - ended.bought_used - (a.bought_held - ended.bought_freed))::bigint AS "bought!",
    a.credits_given AS "credits_given!",
    (a.credits_used + ended.credits_used)::bigint AS "credits_used!",
    (a.credits_held - ended.credits_freed)::bigint AS "credits_held!",
    (waiting.jobs + placed.jobs) AS "live!",
    placed.jobs AS "admitted!"
FROM accounts a
CROSS JOIN today
CROSS JOIN ended
LEFT JOIN minute_buckets bucket ON bucket.account_id = a.id AND bucket.month = today.month
CROSS JOIN LATERAL (
    SELECT coalesce(sum(b.held), 0)::bigint AS of_months FROM minute_buckets b WHERE b.account_id = a.id AND b.held > 0
) AS held
-- A job that is live waits for a place, or has one: each sort has an index.
CROSS JOIN LATERAL (
    SELECT count(*) AS jobs FROM jobs j
    WHERE j.payer_account_id = a.id AND j.status = 'queued' AND NOT j.admitted AND j.finished_at IS NULL
) AS waiting
CROSS JOIN LATERAL (
    SELECT count(*) AS jobs FROM jobs j WHERE j.payer_account_id = a.id AND j.admitted AND j.finished_at IS NULL
) AS placed
WHERE a.id = $1
