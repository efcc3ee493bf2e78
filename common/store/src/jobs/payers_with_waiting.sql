-- The next $2 accounts after $1 that have waiting jobs, and of each whether one of those could be given a place: fewer than $3 have
-- one, and one that waits is due and of a read that is begun. Each account is found from the one before it by an index,
-- and not by reading the jobs of either.
WITH RECURSIVE payers AS (
    SELECT (
        SELECT payer_account_id FROM jobs
        WHERE status = 'queued' AND NOT admitted AND finished_at IS NULL AND payer_account_id > $1
        ORDER BY payer_account_id LIMIT 1
    ) AS id, 1::bigint AS place
    UNION ALL
    SELECT (
        SELECT payer_account_id FROM jobs
        WHERE status = 'queued' AND NOT admitted AND finished_at IS NULL AND payer_account_id > payers.id
        ORDER BY payer_account_id LIMIT 1
    ), place + 1
    FROM payers WHERE id IS NOT NULL AND place < $2
)
SELECT
    payers.id AS "payer!: AccountId",
    (SELECT count(*) FROM jobs j WHERE j.payer_account_id = payers.id AND j.admitted AND j.finished_at IS NULL) < $3
        AND (SELECT a.suspended_at FROM accounts a WHERE a.id = payers.id) IS NULL
        AND (
            SELECT true FROM jobs j
            WHERE j.payer_account_id = payers.id AND j.status = 'queued' AND NOT j.admitted AND j.finished_at IS NULL
                AND j.due_at <= mws_now()
                AND (SELECT k.paused_at FROM read_kinds k WHERE k.read = j.read) IS NULL
            LIMIT 1
        ) IS NOT NULL AS "can_admit!"
FROM payers WHERE payers.id IS NOT NULL
ORDER BY payers.id
