-- Takes what is due and nobody's, and spends the tickets $4. Due by the statement's clock: a ticket may be of a job that
-- was dispatched after this transaction began, and would be spent for nothing. What is due and locked by another keeps
-- its ticket, for a second from now: who has it may claim it or not. Rows of other tables are looked up one by one, and
-- those to be written by their ids, so that no plan which was made for empty tables reads full ones from end to end.
WITH due AS MATERIALIZED (
    SELECT j.id, (SELECT k.paused_at FROM read_kinds k WHERE k.read = j.read) IS NOT NULL
        OR (SELECT a.suspended_at FROM accounts a WHERE a.id = j.payer_account_id) IS NOT NULL AS paused
    FROM jobs j
    WHERE id = ANY ($1) AND status = 'queued' AND admitted AND due_at <= mws_statement_now()
    ORDER BY id FOR UPDATE SKIP LOCKED
), shelved AS (
    UPDATE jobs SET admitted = false WHERE id = ANY (ARRAY(SELECT id FROM due WHERE paused))
    RETURNING id, claim_no, failures, kind, read, held_month + held_bought AS held, workspace_id, payer_account_id,
              owner_account_id
), claimed AS (
    UPDATE jobs SET
        status = 'running', claim_no = claim_no + 1, progress = 0, lease_until = mws_now() + $3,
        started_at = coalesce(started_at, mws_now())
    WHERE id = ANY (ARRAY(SELECT id FROM due WHERE NOT paused))
    RETURNING id, claim_no, failures, kind, read, item_id, held_month + held_bought AS held, workspace_id,
              payer_account_id, owner_account_id,
              extract(epoch FROM mws_statement_now() - due_at)::double precision AS waited_seconds
), kept AS MATERIALIZED (
    SELECT ticket_id FROM jobs
    WHERE id = ANY ($1) AND status = 'queued' AND admitted AND due_at <= mws_statement_now() AND ticket_id = ANY ($4)
        AND id <> ALL (ARRAY(SELECT id FROM due))
), spent AS (
    DELETE FROM apalis.jobs WHERE id = ANY ($4) AND id <> ALL (ARRAY(SELECT ticket_id FROM kept))
), later AS (
    UPDATE apalis.jobs SET run_at = now() + interval '1 second' WHERE id = ANY (ARRAY(SELECT ticket_id FROM kept))
), noted AS (
    INSERT INTO job_claims (job_id, claim_no, worker) SELECT id, claim_no, $2 FROM claimed
), taken AS (
    SELECT false AS shelved, id, claim_no, failures, kind, read, item_id, held, workspace_id, payer_account_id,
           owner_account_id, waited_seconds
    FROM claimed
    UNION ALL
    SELECT true, id, claim_no, failures, kind, read, NULL, held, workspace_id, payer_account_id, owner_account_id, 0
    FROM shelved
)
SELECT
    c.shelved AS "shelved!",
    c.id AS "id!: JobId", c.claim_no AS "claim_no!", c.failures AS "failures!", c.kind AS "kind!: JobKind",
    c.read AS "read: Read", c.held AS "held!", c.workspace_id AS "workspace_id!: WorkspaceId",
    c.payer_account_id AS "payer!: AccountId", c.owner_account_id AS "owner!: AccountId",
    c.waited_seconds AS "waited_seconds!",
    i.id AS "item_id?: ItemId", i.object_key AS "object_key?", i.duration_ms AS "duration_ms?",
    (SELECT r.job_id FROM job_reads r WHERE r.item_id = c.item_id AND r.read = 'speech') IS NOT DISTINCT FROM c.id
        AS "owns_speech!",
    s.result AS "speech_result?", s.object_key AS "speech_object_key?",
    r.plan AS "plan?", r.hash AS "hash?", r.output_item_id AS "output_item_id?: ItemId",
    r.output_name AS "output_name?", r.music_item_id AS "music_item_id?: ItemId",
    m.object_key AS "music_object_key?", m.duration_ms AS "music_duration_ms?",
    i.bytes AS "bytes?", m.bytes AS "music_bytes?", i.sha256 AS "sha256?", m.sha256 AS "music_sha256?",
    r.source_item_ids AS "source_item_ids?: Vec<ItemId>", o.ids AS "other_ids?: Vec<ItemId>", o.keys AS "other_keys?",
    o.durations_ms AS "other_durations_ms?", o.bytes AS "other_bytes?",
    o.sha256s AS "other_sha256s?: Vec<Option<Vec<u8>>>"
FROM taken c
LEFT JOIN LATERAL (
    SELECT id, object_key, duration_ms, bytes, sha256, deleted_at FROM items WHERE id = c.item_id LIMIT 1
) i ON i.deleted_at IS NULL
LEFT JOIN LATERAL (
    SELECT result::text AS result, object_key FROM item_reads
    WHERE item_id = c.item_id AND read = 'speech' AND c.read IN ('transcript', 'speakers') LIMIT 1
) s ON true
LEFT JOIN LATERAL (
    SELECT plan, hash, output_item_id, output_name, music_item_id, source_item_ids FROM job_renders
    WHERE job_id = c.id AND c.kind = 'render' LIMIT 1
) r ON true
LEFT JOIN LATERAL (
    SELECT object_key, duration_ms, bytes, sha256, deleted_at FROM items WHERE id = r.music_item_id LIMIT 1
) m ON m.deleted_at IS NULL
LEFT JOIN LATERAL (
    SELECT array_agg(s.id ORDER BY s.id) AS ids, array_agg(s.object_key ORDER BY s.id) AS keys,
           array_agg(coalesce(s.duration_ms, 0) ORDER BY s.id) AS durations_ms,
           array_agg(s.bytes ORDER BY s.id) AS bytes, array_agg(s.sha256 ORDER BY s.id) AS sha256s
    FROM unnest(r.source_item_ids) AS wanted (id)
    JOIN LATERAL (
        SELECT id, object_key, duration_ms, bytes, sha256, deleted_at FROM items WHERE id = wanted.id LIMIT 1
    ) s ON s.deleted_at IS NULL AND s.object_key IS NOT NULL
) o ON true
