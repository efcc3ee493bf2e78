-- Of the newest $1 jobs up to $2 whose end and whose entry in the journal are not the same: an ended one without an entry, a
-- live one with one, a charge that is not what was settled or is above the hold, or one for what did not succeed.
WITH newest AS MATERIALIZED (
    SELECT id, status, finished_at, charged, charged_credits, held_month, held_bought, held_credits
    FROM jobs ORDER BY id DESC LIMIT $1
)
SELECT j.id AS "id!: JobId"
FROM newest AS j LEFT JOIN minute_journal AS e ON e.job_id = j.id AND e.kind IN ('settle', 'release')
WHERE (e.job_id IS NULL) IS DISTINCT FROM (j.finished_at IS NULL)
    OR j.charged > j.held_month + j.held_bought OR j.charged_credits > j.held_credits
    OR (j.status IN ('failed', 'cancelled') AND (j.charged <> 0 OR j.charged_credits <> 0))
    OR (e.kind = 'settle' AND (j.status <> 'succeeded' OR e.month_amount + e.bought_amount <> j.charged
        OR e.month_amount > j.held_month OR e.bought_amount > j.held_bought
        OR e.credit_amount <> j.charged_credits OR e.credit_amount > j.held_credits))
    OR (e.kind = 'release' AND (j.status NOT IN ('failed', 'cancelled')
        OR (e.month_amount, e.bought_amount, e.credit_amount) <> (j.held_month, j.held_bought, j.held_credits)))
LIMIT $2
