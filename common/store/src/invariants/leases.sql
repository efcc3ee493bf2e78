-- Of $1 open claims up to $2 whose job does not run under them with a place and a lease.
WITH open AS MATERIALIZED (
    SELECT job_id, claim_no FROM job_claims WHERE ended_at IS NULL ORDER BY job_id DESC LIMIT $1
)
SELECT c.job_id AS "id!: JobId"
FROM open AS c LEFT JOIN jobs AS j ON j.id = c.job_id
WHERE j.id IS NULL OR j.status <> 'running' OR NOT j.admitted OR j.lease_until IS NULL OR j.claim_no <> c.claim_no
LIMIT $2
