-- The kind of failure that is new and of which most accounts have jobs. Jobs of one task that failed with one code and
-- one message are of one kind; numbers in messages are taken as equal, as on the console's page of errors. A kind is
-- new where none of its jobs of a day failed before the last $2 hours. The newest $1 failed reads of a day are looked
-- at, and as many failed jobs of other work, each by an index of its own. Where these may not be all of the day, none
-- is new.
WITH failed AS MATERIALIZED (
    SELECT * FROM (
        SELECT id, kind, read, payer_account_id, finished_at, error_code, error_message FROM jobs
        WHERE id >= mws_first_id(mws_now() - interval '1 day') AND listed_as = 'failed' AND read IS NOT NULL
        ORDER BY id DESC LIMIT $1
    ) AS reads
    UNION ALL
    SELECT * FROM (
        SELECT id, kind, read, payer_account_id, finished_at, error_code, error_message FROM jobs
        WHERE id >= mws_first_id(mws_now() - interval '1 day') AND listed_as = 'failed' AND read IS NULL
        ORDER BY id DESC LIMIT $1
    ) AS others
), looked_at AS (
    SELECT read IS NULL AS is_other, count(*) < $1 AS goes_back
    FROM failed GROUP BY read IS NULL
), kinds AS (
    SELECT kind, read, code, count(*) AS many, count(DISTINCT payer_account_id) AS payers,
        min(finished_at) AS first_at, (array_agg(id ORDER BY id DESC))[1] AS newest
    FROM (
        SELECT id, kind, read, payer_account_id, finished_at, coalesce(error_code, 'unknown') AS code,
            left(regexp_replace(coalesce(error_message, ''), '[0-9]+', '#', 'g'), 200) AS words
        FROM failed
    ) AS told
    GROUP BY kind, read, code, words
)
SELECT coalesce(kinds.read, kinds.kind) AS "task!", kinds.code AS "code!", kinds.many AS "jobs!",
    kinds.payers AS "payers!", kinds.newest AS "newest!: JobId",
    extract(epoch FROM mws_now() - kinds.first_at)::double precision AS "first_seconds!"
FROM kinds JOIN looked_at ON looked_at.is_other = (kinds.read IS NULL)
WHERE looked_at.goes_back AND kinds.first_at >= mws_now() - make_interval(hours => $2)
    AND kinds.many >= $3 AND kinds.payers >= $4
ORDER BY kinds.payers DESC, kinds.many DESC, kinds.newest DESC LIMIT 1
