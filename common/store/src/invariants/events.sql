-- Of the newest $1 events up to $2 that don't say how their job ended, or not to its owner.
WITH newest AS MATERIALIZED (
    SELECT id, type, job_id, account_id, workspace_id FROM events ORDER BY created_at DESC LIMIT $1
)
SELECT e.id AS "id!"
FROM newest AS e JOIN jobs AS j ON j.id = e.job_id
WHERE e.type <> 'job.' || j.status OR e.account_id <> j.owner_account_id OR e.workspace_id <> j.workspace_id
LIMIT $2
