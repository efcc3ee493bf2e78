-- Balances with what is still unfolded counted in, beside the tallies and what the journal has beyond them, which is above $1.
-- One statement, so that all of it is of one moment.
WITH fresh AS (
    SELECT
        j.account_id,
        j.month,
        sum(j.month_amount) FILTER (WHERE j.kind IN ('grant', 'adjust')) AS allowance,
        sum(j.month_amount) FILTER (WHERE j.kind = 'settle') AS used,
        coalesce(sum(j.month_amount) FILTER (WHERE j.kind = 'hold'), 0)
            - coalesce(sum(h.month_amount) FILTER (WHERE j.kind IN ('settle', 'release')), 0) AS held,
        coalesce(sum(j.bought_amount) FILTER (WHERE j.kind = 'purchase'), 0)
            - coalesce(sum(j.bought_amount) FILTER (WHERE j.kind = 'settle'), 0) AS bought,
        coalesce(sum(j.bought_amount) FILTER (WHERE j.kind = 'hold'), 0)
            - coalesce(sum(h.bought_amount) FILTER (WHERE j.kind IN ('settle', 'release')), 0) AS bought_held,
        coalesce(sum(j.credit_amount) FILTER (WHERE j.kind IN ('purchase', 'grant', 'adjust')), 0) AS credits_given,
        coalesce(sum(j.credit_amount) FILTER (WHERE j.kind = 'settle'), 0) AS credits_used,
        coalesce(sum(j.credit_amount) FILTER (WHERE j.kind = 'hold'), 0)
            - coalesce(sum(h.credit_amount) FILTER (WHERE j.kind IN ('settle', 'release')), 0) AS credits_held
    FROM minute_journal AS j
    LEFT JOIN minute_journal AS h ON j.kind IN ('settle', 'release') AND h.job_id = j.job_id AND h.kind = 'hold'
    WHERE j.id > $1
    GROUP BY j.account_id, j.month
), journal AS (
    SELECT account_id, month, sum(allowance) AS allowance, sum(used) AS used, sum(held) AS held,
        sum(bought) AS bought, sum(bought_held) AS bought_held, sum(credits_given) AS credits_given,
        sum(credits_used) AS credits_used, sum(credits_held) AS credits_held
    FROM (
        SELECT account_id, month, allowance::numeric, used::numeric, held::numeric, bought::numeric, bought_held::numeric,
            credits_given::numeric, credits_used::numeric, credits_held::numeric
        FROM ledger_tallies
        UNION ALL
        SELECT account_id, month, allowance, used, held, bought, bought_held, credits_given, credits_used, credits_held
        FROM fresh
    ) AS parts
    GROUP BY account_id, month
), journal_of_account AS (
    SELECT account_id, sum(bought) AS bought, sum(bought_held) AS bought_held, sum(credits_given) AS credits_given,
        sum(credits_used) AS credits_used, sum(credits_held) AS credits_held
    FROM journal GROUP BY account_id
), unfolded AS (
    SELECT account_id, month, sum(month_used) AS used, sum(month_freed) AS freed FROM minute_unfolded
    GROUP BY account_id, month
), unfolded_of_account AS (
    SELECT account_id, sum(bought_used) AS used, sum(bought_freed) AS freed, sum(credits_used) AS credits_used,
        sum(credits_freed) AS credits_freed
    FROM minute_unfolded GROUP BY account_id
), compared AS (
    SELECT one.account_id, what, balance::numeric AS balance, coalesce(journal, 0) AS journal
    FROM minute_buckets AS b
    LEFT JOIN journal AS j USING (account_id, month)
    LEFT JOIN unfolded AS u USING (account_id, month)
    CROSS JOIN LATERAL (VALUES
        (b.account_id, 'allowance', b.allowance::numeric, j.allowance),
        (b.account_id, 'used', b.used + coalesce(u.used, 0), j.used),
        (b.account_id, 'held', b.held - coalesce(u.freed, 0), j.held)
    ) AS one (account_id, what, balance, journal)
    UNION ALL
    SELECT one.account_id, what, balance::numeric, coalesce(journal, 0)
    FROM accounts AS a
    LEFT JOIN journal_of_account AS j ON j.account_id = a.id
    LEFT JOIN unfolded_of_account AS u ON u.account_id = a.id
    CROSS JOIN LATERAL (VALUES
        (a.id, 'bought', a.bought - coalesce(u.used, 0), j.bought),
        (a.id, 'bought_held', a.bought_held - coalesce(u.freed, 0), j.bought_held),
        (a.id, 'credits_given', a.credits_given::numeric, j.credits_given),
        (a.id, 'credits_used', a.credits_used + coalesce(u.credits_used, 0), j.credits_used),
        (a.id, 'credits_held', a.credits_held - coalesce(u.credits_freed, 0), j.credits_held)
    ) AS one (account_id, what, balance, journal)
)
SELECT
    account_id AS "account_id!: AccountId", what AS "what!", balance::bigint AS "balance!", journal::bigint AS "journal!"
FROM compared WHERE balance <> journal
ORDER BY account_id, what
