SELECT
    asked.position AS "position!",
    found.id AS "id!: ItemId",
    found.workspace_id AS "workspace_id!: WorkspaceId",
    found.account_id AS "account_id!: AccountId",
    found.ref AS "item_ref!",
    found.name AS "name!",
    found.type AS "item_type: ItemType",
    found.status AS "status!: ItemStatus",
    found.error_code,
    found.error_message,
    found.duration_ms,
    found.has_audio AS "has_audio!",
    found.has_video AS "has_video!",
    found.content_type,
    found.rate_frames,
    found.rate_seconds,
    found.width,
    found.height,
    -- A lease that has ended holds nothing back, so it is not told.
    CASE WHEN found.leased_until > mws_now() THEN found.leased_until END AS leased_until,
    ARRAY(SELECT item_reads.read FROM item_reads WHERE item_reads.item_id = found.id) AS "reads!",
    live.reads AS "live_reads!",
    live.jobs AS "live_jobs!: Vec<JobId>",
    live.estimates AS "live_estimates!"
-- The lists are asked for by SELECT so that no plan is made for their length: one for a few refs would be made anew for
-- each call, which takes longer than to look them up.
FROM unnest((SELECT $1::uuid[]), (SELECT $2::uuid[]), (SELECT $3::text[])) WITH ORDINALITY
    AS asked (item_id, job_id, ref, position)
CROSS JOIN LATERAL (
    SELECT items.* FROM items WHERE items.id = asked.item_id AND items.deleted_at IS NULL
    UNION ALL
    (
        SELECT items.* FROM items
        WHERE items.made_by_job_id = asked.job_id AND items.deleted_at IS NULL
        ORDER BY items.id
        LIMIT 1
    )
    UNION ALL
    SELECT items.* FROM items
    WHERE items.workspace_id = $4 AND items.ref = asked.ref AND items.deleted_at IS NULL
) AS found
-- OFFSET and LIMIT keep what is looked up from being joined with all jobs.
CROSS JOIN LATERAL (
    SELECT
        coalesce(array_agg(owned.read), '{}') AS reads,
        coalesce(array_agg(job.id), '{}') AS jobs,
        coalesce(array_agg(job.estimate), '{}') AS estimates
    FROM (SELECT read, job_id FROM job_reads WHERE item_id = found.id OFFSET 0) AS owned
    CROSS JOIN LATERAL (
        SELECT id, held_month + held_bought AS estimate FROM jobs WHERE id = owned.job_id LIMIT 1
    ) AS job
) AS live
