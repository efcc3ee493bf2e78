-- Adds the journal's entries above $1 and up to $2 to the tallies. What an end frees is what its job held.
INSERT INTO ledger_tallies AS t (account_id, month, allowance, used, held, bought, bought_held, credits_given, credits_used,
    credits_held)
SELECT
    j.account_id,
    j.month,
    coalesce(sum(j.month_amount) FILTER (WHERE j.kind IN ('grant', 'adjust')), 0),
    coalesce(sum(j.month_amount) FILTER (WHERE j.kind = 'settle'), 0),
    coalesce(sum(j.month_amount) FILTER (WHERE j.kind = 'hold'), 0)
        - coalesce(sum(h.month_amount) FILTER (WHERE j.kind IN ('settle', 'release')), 0),
    coalesce(sum(j.bought_amount) FILTER (WHERE j.kind = 'purchase'), 0)
        - coalesce(sum(j.bought_amount) FILTER (WHERE j.kind = 'settle'), 0),
    coalesce(sum(j.bought_amount) FILTER (WHERE j.kind = 'hold'), 0)
        - coalesce(sum(h.bought_amount) FILTER (WHERE j.kind IN ('settle', 'release')), 0),
    coalesce(sum(j.credit_amount) FILTER (WHERE j.kind IN ('purchase', 'grant', 'adjust')), 0),
    coalesce(sum(j.credit_amount) FILTER (WHERE j.kind = 'settle'), 0),
    coalesce(sum(j.credit_amount) FILTER (WHERE j.kind = 'hold'), 0)
        - coalesce(sum(h.credit_amount) FILTER (WHERE j.kind IN ('settle', 'release')), 0)
FROM minute_journal AS j
LEFT JOIN minute_journal AS h ON j.kind IN ('settle', 'release') AND h.job_id = j.job_id AND h.kind = 'hold'
WHERE j.id > $1 AND j.id <= $2
GROUP BY j.account_id, j.month
ON CONFLICT (account_id, month) DO UPDATE SET
    allowance = t.allowance + excluded.allowance,
    used = t.used + excluded.used,
    held = t.held + excluded.held,
    bought = t.bought + excluded.bought,
    bought_held = t.bought_held + excluded.bought_held,
    credits_given = t.credits_given + excluded.credits_given,
    credits_used = t.credits_used + excluded.credits_used,
    credits_held = t.credits_held + excluded.credits_held
