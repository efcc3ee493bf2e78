-- The next $2 accounts after $1 that have jobs which were run before and wait again, and of each whether one of those
-- could be given a place: fewer than $3 have one, and one that waits is due and of a read that is begun. Each account
-- is found from the one before it by an index, and not by reading the jobs of either. Of each read that is not paused
-- one job is looked for, and places are counted only where one is due.
WITH RECURSIVE payers AS (
    SELECT (
        SELECT payer_account_id FROM jobs
        WHERE NOT admitted AND finished_at IS NULL AND due_at > created_at AND payer_account_id > $1
        ORDER BY payer_account_id LIMIT 1
    ) AS id, 1::bigint AS place
    UNION ALL
    SELECT (
        SELECT payer_account_id FROM jobs
        WHERE NOT admitted AND finished_at IS NULL AND due_at > created_at AND payer_account_id > payers.id
        ORDER BY payer_account_id LIMIT 1
    ), place + 1
    FROM payers WHERE id IS NOT NULL AND place < $2
)
SELECT
    payers.id AS "payer!: AccountId",
    (
        (
            SELECT true FROM read_kinds k
            WHERE k.paused_at IS NULL AND (
                SELECT true FROM jobs j
                WHERE j.payer_account_id = payers.id AND j.read = k.read AND NOT j.admitted
                    AND j.finished_at IS NULL AND j.due_at > j.created_at AND j.due_at <= mws_now()
                LIMIT 1
            )
            LIMIT 1
        ) IS NOT NULL OR (
            SELECT true FROM jobs j
            WHERE j.payer_account_id = payers.id AND j.read IS NULL AND NOT j.admitted AND j.finished_at IS NULL
                AND j.due_at > j.created_at AND j.due_at <= mws_now()
            LIMIT 1
        ) IS NOT NULL
    )
        AND (SELECT a.suspended_at FROM accounts a WHERE a.id = payers.id) IS NULL
        AND (
            SELECT count(*) FROM jobs j
            WHERE j.payer_account_id = payers.id AND j.admitted AND j.finished_at IS NULL
        ) < $3
        AS "can_admit!"
FROM payers WHERE payers.id IS NOT NULL
ORDER BY payers.id
