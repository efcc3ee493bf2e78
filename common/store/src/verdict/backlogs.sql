-- Of each task: what is due and has a place, what is due and waits for a place, what was put back and is due later, the
-- hundredths of minutes that are held for all of these, and what runs. What runs is found by its open claims, which are as
-- many as there are slots; it stands among what has a place too, before all that is due.
WITH placed AS MATERIALIZED (
    SELECT coalesce(read, kind) AS task, status, due_at, held_month + held_bought AS held FROM jobs
    WHERE admitted AND finished_at IS NULL AND due_at IS NOT NULL AND due_at <= mws_now()
    ORDER BY due_at LIMIT $1
), unplaced AS MATERIALIZED (
    SELECT coalesce(read, kind) AS task, CASE WHEN due_at > mws_now() THEN due_at END AS due_later_at,
        held_month + held_bought AS held
    FROM jobs WHERE NOT admitted AND finished_at IS NULL
    ORDER BY payer_account_id, seq LIMIT $1
), claimed AS MATERIALIZED (
    SELECT job_id FROM job_claims WHERE ended_at IS NULL LIMIT $1
), counted AS (
    SELECT task, count(*) AS due, 0 AS without_place, 0 AS put_back, 0 AS running,
        extract(epoch FROM mws_now() - min(due_at))::double precision AS oldest, NULL::timestamptz AS next_due_at,
        sum(held) AS held
    FROM placed WHERE status = 'queued' GROUP BY task
    UNION ALL
    SELECT task, 0, count(*) FILTER (WHERE due_later_at IS NULL), count(due_later_at), 0, 0, min(due_later_at), sum(held)
    FROM unplaced GROUP BY task
    UNION ALL
    SELECT coalesce(j.read, j.kind), 0, 0, 0, count(*), 0, NULL, 0
    FROM claimed JOIN jobs j ON j.id = claimed.job_id WHERE j.status = 'running' GROUP BY coalesce(j.read, j.kind)
)
SELECT task AS "task!", sum(due)::bigint AS "due!", sum(without_place)::bigint AS "without_place!",
    sum(put_back)::bigint AS "put_back!", min(next_due_at) AS "next_due_at?",
    sum(running)::bigint AS "running!", max(oldest)::double precision AS "oldest_due_seconds!",
    coalesce(sum(held), 0)::bigint AS "held!"
FROM counted GROUP BY task ORDER BY task
