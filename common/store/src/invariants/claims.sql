-- Of the newest $1 jobs up to $2 that have not a row a claim, or another open claim than that of a running job.
WITH newest AS MATERIALIZED (
    SELECT id, claim_no, status FROM jobs ORDER BY id DESC LIMIT $1
)
SELECT j.id AS "id!: JobId"
FROM newest AS j LEFT JOIN job_claims AS c ON c.job_id = j.id
GROUP BY j.id, j.claim_no, j.status
HAVING count(c.claim_no) <> j.claim_no
    OR count(c.claim_no) FILTER (WHERE c.ended_at IS NULL) <> (j.status = 'running')::int
LIMIT $2
