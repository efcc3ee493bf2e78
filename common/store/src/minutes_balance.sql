SELECT
    mws_now() AS "now!",
    date_trunc('month', mws_now() AT TIME ZONE 'UTC')::date AS "month!",
    coalesce(bucket.allowance, a.monthly_allowance, $2)::bigint AS "allowance!",
    (coalesce(bucket.used, 0) + unfolded.used)::bigint AS "used!",
    (coalesce(bucket.held, 0) - unfolded.freed)::bigint AS "held!",
    (held.of_months + a.bought_held - unfolded.freed_in_all)::bigint AS "held_in_all!",
    (a.bought - unfolded.bought_used - (a.bought_held - unfolded.bought_freed))::bigint AS "bought!",
    a.credits_given AS "credits_given!",
    (a.credits_used + unfolded.credits_used)::bigint AS "credits_used!",
    (a.credits_held - unfolded.credits_freed)::bigint AS "credits_held!",
    (waiting.jobs + placed.jobs) AS "live!",
    placed.jobs AS "admitted!"
FROM accounts a
LEFT JOIN minute_buckets bucket
    ON bucket.account_id = a.id AND bucket.month = date_trunc('month', mws_now() AT TIME ZONE 'UTC')::date
CROSS JOIN LATERAL (
    SELECT
        coalesce(sum(month_used) FILTER (WHERE u.month = date_trunc('month', mws_now() AT TIME ZONE 'UTC')::date), 0)::bigint AS used,
        coalesce(sum(month_freed) FILTER (WHERE u.month = date_trunc('month', mws_now() AT TIME ZONE 'UTC')::date), 0)::bigint AS freed,
        coalesce(sum(month_freed + u.bought_freed), 0)::bigint AS freed_in_all,
        coalesce(sum(u.bought_used), 0)::bigint AS bought_used,
        coalesce(sum(u.bought_freed), 0)::bigint AS bought_freed,
        coalesce(sum(u.credits_used), 0)::bigint AS credits_used,
        coalesce(sum(u.credits_freed), 0)::bigint AS credits_freed
    FROM minute_unfolded u WHERE u.account_id = a.id
) AS unfolded
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
