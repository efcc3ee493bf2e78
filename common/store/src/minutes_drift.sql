-- Balances with what is still unfolded counted in, beside what the journal adds up to: of these accounts, or of all.
-- A job's hold is of the account of its end. The accounts are named for both: else the holds of all are read for one.
WITH journal AS (
    SELECT
        j.account_id,
        j.month,
        sum(j.month_amount) FILTER (WHERE j.kind IN ('grant', 'adjust')) AS allowance,
        sum(j.month_amount) FILTER (WHERE j.kind = 'settle') AS used,
        sum(h.month_amount) FILTER (WHERE j.kind IN ('settle', 'release')) AS freed,
        sum(j.month_amount) FILTER (WHERE j.kind = 'hold') AS held
    FROM minute_journal j
    LEFT JOIN minute_journal h
        ON j.kind IN ('settle', 'release') AND h.job_id = j.job_id AND h.kind = 'hold'
            AND ($1::uuid[] IS NULL OR h.account_id = ANY ($1))
    WHERE $1::uuid[] IS NULL OR j.account_id = ANY ($1)
    GROUP BY j.account_id, j.month
), journal_bought AS (
    SELECT
        j.account_id,
        coalesce(sum(j.bought_amount) FILTER (WHERE j.kind = 'purchase'), 0)
            - coalesce(sum(j.bought_amount) FILTER (WHERE j.kind = 'settle'), 0) AS bought,
        coalesce(sum(j.bought_amount) FILTER (WHERE j.kind = 'hold'), 0)
            - coalesce(sum(h.bought_amount) FILTER (WHERE j.kind IN ('settle', 'release')), 0) AS held,
        coalesce(sum(j.credit_amount) FILTER (WHERE j.kind IN ('purchase', 'grant', 'adjust')), 0) AS credits_given,
        coalesce(sum(j.credit_amount) FILTER (WHERE j.kind = 'settle'), 0) AS credits_used,
        coalesce(sum(j.credit_amount) FILTER (WHERE j.kind = 'hold'), 0)
            - coalesce(sum(h.credit_amount) FILTER (WHERE j.kind IN ('settle', 'release')), 0) AS credits_held
    FROM minute_journal j
    LEFT JOIN minute_journal h
        ON j.kind IN ('settle', 'release') AND h.job_id = j.job_id AND h.kind = 'hold'
            AND ($1::uuid[] IS NULL OR h.account_id = ANY ($1))
    WHERE $1::uuid[] IS NULL OR j.account_id = ANY ($1)
    GROUP BY j.account_id
), unfolded AS (
    SELECT account_id, month, sum(month_used) AS used, sum(month_freed) AS freed FROM minute_unfolded
    WHERE $1::uuid[] IS NULL OR account_id = ANY ($1)
    GROUP BY account_id, month
), unfolded_bought AS (
    SELECT account_id, sum(bought_used) AS used, sum(bought_freed) AS freed, sum(credits_used) AS credits_used,
        sum(credits_freed) AS credits_freed
    FROM minute_unfolded WHERE $1::uuid[] IS NULL OR account_id = ANY ($1) GROUP BY account_id
), compared AS (
    SELECT b.account_id, 'allowance' AS what, b.allowance::numeric AS balance, coalesce(j.allowance, 0) AS journal
    FROM minute_buckets b LEFT JOIN journal j USING (account_id, month)
    UNION ALL
    SELECT b.account_id, 'used', b.used + coalesce(u.used, 0), coalesce(j.used, 0)
    FROM minute_buckets b LEFT JOIN journal j USING (account_id, month) LEFT JOIN unfolded u USING (account_id, month)
    UNION ALL
    SELECT b.account_id, 'held', b.held - coalesce(u.freed, 0), coalesce(j.held, 0) - coalesce(j.freed, 0)
    FROM minute_buckets b LEFT JOIN journal j USING (account_id, month) LEFT JOIN unfolded u USING (account_id, month)
    UNION ALL
    SELECT a.id, 'bought', a.bought - coalesce(u.used, 0), coalesce(j.bought, 0)
    FROM accounts a LEFT JOIN journal_bought j ON j.account_id = a.id LEFT JOIN unfolded_bought u ON u.account_id = a.id
    UNION ALL
    SELECT a.id, 'bought_held', a.bought_held - coalesce(u.freed, 0), coalesce(j.held, 0)
    FROM accounts a LEFT JOIN journal_bought j ON j.account_id = a.id LEFT JOIN unfolded_bought u ON u.account_id = a.id
    UNION ALL
    SELECT a.id, 'credits_given', a.credits_given, coalesce(j.credits_given, 0)
    FROM accounts a LEFT JOIN journal_bought j ON j.account_id = a.id
    UNION ALL
    SELECT a.id, 'credits_used', a.credits_used + coalesce(u.credits_used, 0), coalesce(j.credits_used, 0)
    FROM accounts a LEFT JOIN journal_bought j ON j.account_id = a.id LEFT JOIN unfolded_bought u ON u.account_id = a.id
    UNION ALL
    SELECT a.id, 'credits_held', a.credits_held - coalesce(u.credits_freed, 0), coalesce(j.credits_held, 0)
    FROM accounts a LEFT JOIN journal_bought j ON j.account_id = a.id LEFT JOIN unfolded_bought u ON u.account_id = a.id
)
SELECT
    account_id AS "account_id!: AccountId", what AS "what!", balance::bigint AS "balance!", journal::bigint AS "journal!"
FROM compared WHERE balance <> journal AND ($1::uuid[] IS NULL OR account_id = ANY ($1))
ORDER BY account_id, what
