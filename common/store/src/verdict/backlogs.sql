-- Of each of these tasks ($2): what is due and has a place, what is due and waits for a place, what was put back and is due
-- later, the hundredths of minutes that are held for all of these, what runs, and whether more wait than are counted. What
-- runs is found by its open claims, which are as many as there are slots; it stands among what has a place too, before all
-- that is due. Where one of the first two looks ends at its bound ($1), so that it says too little of some task, each read
-- ($3) is counted by itself too, up to a bound of its own ($4): as the operators' list of reads is counted, by the same
-- index. The planner does not know that bound, and so expects that a part of a read's jobs is enough: knowing it, it might
-- expect fewer jobs than that, and sort all of them. Tasks that are no reads have no such index, so that more of them may
-- wait wherever a look ended at its bound.
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
), cut AS MATERIALIZED (
    SELECT (SELECT count(*) FROM placed) >= $1::bigint AS placed, (SELECT count(*) FROM unplaced) >= $1::bigint AS unplaced,
        mws_now() AS now, $4::bigint AS most
), of_read AS MATERIALIZED (
    SELECT known.task, count(waiting.admitted) AS looked_at,
        count(*) FILTER (WHERE waiting.is_due) AS due,
        extract(epoch FROM mws_now() - min(waiting.due_at) FILTER (WHERE waiting.is_due))::double precision AS oldest,
        count(*) FILTER (WHERE NOT waiting.admitted AND waiting.is_later IS NOT TRUE) AS without_place,
        count(*) FILTER (WHERE NOT waiting.admitted AND waiting.is_later) AS put_back,
        min(waiting.due_at) FILTER (WHERE NOT waiting.admitted AND waiting.is_later) AS next_due_at,
        sum(waiting.held) FILTER (WHERE waiting.is_due OR NOT waiting.admitted) AS held
    FROM unnest($3::text[]) AS known (task) LEFT JOIN LATERAL (
        SELECT j.admitted, j.due_at, j.due_at > (SELECT now FROM cut) AS is_later,
            j.admitted AND j.due_at <= (SELECT now FROM cut) AS is_due, j.held_month + j.held_bought AS held
        FROM jobs j
        WHERE (SELECT placed OR unplaced FROM cut) AND j.read BETWEEN known.task AND known.task
            AND j.status = 'queued' AND j.finished_at IS NULL
        ORDER BY j.read LIMIT (SELECT most FROM cut)
    ) AS waiting ON true
    GROUP BY known.task
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
), of_task AS (
    SELECT task, sum(due) AS due, sum(without_place) AS without_place, sum(put_back) AS put_back,
        min(next_due_at) AS next_due_at, sum(running) AS running, max(oldest) AS oldest, sum(held) AS held
    FROM counted GROUP BY task
)
SELECT known.task AS "task!", greatest(a.due, r.due, 0)::bigint AS "due!",
    greatest(a.without_place, r.without_place, 0)::bigint AS "without_place!",
    greatest(a.put_back, r.put_back, 0)::bigint AS "put_back!", least(a.next_due_at, r.next_due_at) AS "next_due_at?",
    coalesce(a.running, 0)::bigint AS "running!", greatest(a.oldest, r.oldest, 0)::double precision AS "oldest_due_seconds!",
    greatest(a.held, r.held, 0)::bigint AS "held!",
    cut.placed AND coalesce(r.looked_at >= cut.most, true) AS "has_more_due!",
    cut.unplaced AND coalesce(r.looked_at >= cut.most, true) AS "has_more_unplaced!"
FROM unnest($2::text[]) AS known (task) CROSS JOIN cut
LEFT JOIN of_task a ON a.task = known.task
LEFT JOIN of_read r ON r.task = known.task
ORDER BY known.task
