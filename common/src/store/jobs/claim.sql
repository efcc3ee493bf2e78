WITH due AS (
    SELECT j.id, EXISTS (SELECT FROM read_kinds k WHERE k.read = j.read AND k.paused_at IS NOT NULL)
        OR EXISTS (SELECT FROM accounts a WHERE a.id = j.payer_account_id AND a.suspended_at IS NOT NULL) AS paused
    FROM jobs j
    WHERE id = ANY ($1) AND status = 'queued' AND admitted AND due_at <= mws_now()
    ORDER BY id FOR UPDATE SKIP LOCKED
), shelved AS (
    UPDATE jobs j SET admitted = false FROM due WHERE j.id = due.id AND due.paused
), claimed AS (
    UPDATE jobs j SET
        status = 'running', claim_no = claim_no + 1, progress = 0, lease_until = mws_now() + $3,
        started_at = coalesce(started_at, mws_now())
    FROM due WHERE j.id = due.id AND NOT due.paused
    RETURNING j.id, claim_no, failures, kind, read, item_id, held_month + held_bought AS held, workspace_id,
              payer_account_id, owner_account_id
), noted AS (
    INSERT INTO job_claims (job_id, claim_no, worker) SELECT id, claim_no, $2 FROM claimed
)
SELECT
    c.id AS "id!: JobId", c.claim_no AS "claim_no!", c.failures AS "failures!", c.kind AS "kind!: JobKind",
    c.read AS "read: Read", c.held AS "held!", c.workspace_id AS "workspace_id!: WorkspaceId",
    c.payer_account_id AS "payer!: AccountId", c.owner_account_id AS "owner!: AccountId",
    i.id AS "item_id?: ItemId", i.object_key AS "object_key?", i.duration_ms AS "duration_ms?",
    EXISTS (SELECT FROM job_reads r
            WHERE r.item_id = c.item_id AND r.read = 'speech' AND r.job_id = c.id) AS "owns_speech!",
    r.plan AS "plan?", r.hash AS "hash?", r.output_item_id AS "output_item_id?: ItemId",
    r.output_name AS "output_name?", r.music_item_id AS "music_item_id?: ItemId",
    m.object_key AS "music_object_key?", m.duration_ms AS "music_duration_ms?"
FROM claimed c
LEFT JOIN items i ON i.id = c.item_id AND i.deleted_at IS NULL
LEFT JOIN job_renders r ON r.job_id = c.id AND c.kind = 'render'
LEFT JOIN items m ON m.id = r.music_item_id AND m.deleted_at IS NULL
