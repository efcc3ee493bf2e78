-- Of the newest $1 jobs up to $2 that have not one hold, or one that is not what the job says.
WITH newest AS MATERIALIZED (
    SELECT id, held_month, held_bought, held_credits, hold_month, payer_account_id FROM jobs ORDER BY id DESC LIMIT $1
)
SELECT j.id AS "id!: JobId"
FROM newest AS j LEFT JOIN minute_journal AS h ON h.job_id = j.id AND h.kind = 'hold'
WHERE (h.month_amount, h.bought_amount, h.credit_amount, h.month, h.account_id)
    IS DISTINCT FROM (j.held_month, j.held_bought, j.held_credits, j.hold_month, j.payer_account_id)
LIMIT $2
