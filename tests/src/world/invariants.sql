-- Every rule finds its violations: its name, and the row that breaks it.
SELECT 'each job has one hold' AS rule, j.id::text AS what
FROM jobs j LEFT JOIN minute_journal h ON h.job_id = j.id AND h.kind = 'hold'
GROUP BY j.id HAVING count(h.id) <> 1

UNION ALL SELECT 'a hold is what the job says', j.id::text
FROM jobs j JOIN minute_journal h ON h.job_id = j.id AND h.kind = 'hold'
WHERE (h.month_amount, h.bought_amount, h.credit_amount, h.month, h.account_id)
    IS DISTINCT FROM (j.held_month, j.held_bought, j.held_credits, j.hold_month, j.payer_account_id)

UNION ALL SELECT 'a finished job has one settle or release, a live one none', j.id::text
FROM jobs j LEFT JOIN minute_journal e ON e.job_id = j.id AND e.kind IN ('settle', 'release')
GROUP BY j.id HAVING count(e.id) <> (j.finished_at IS NOT NULL)::int

UNION ALL SELECT 'a settle is for a success and is what was charged', j.id::text
FROM jobs j JOIN minute_journal e ON e.job_id = j.id AND e.kind = 'settle'
WHERE j.status <> 'succeeded' OR e.month_amount + e.bought_amount <> j.charged
    OR e.month_amount > j.held_month OR e.bought_amount > j.held_bought
    OR e.credit_amount <> j.charged_credits OR e.credit_amount > j.held_credits

UNION ALL SELECT 'a release is for what did not succeed, whole', j.id::text
FROM jobs j JOIN minute_journal e ON e.job_id = j.id AND e.kind = 'release'
WHERE j.status NOT IN ('failed', 'cancelled') OR (e.month_amount, e.bought_amount, e.credit_amount)
    <> (j.held_month, j.held_bought, j.held_credits)

UNION ALL SELECT 'nothing is charged above its hold, nor for what did not succeed', j.id::text
FROM jobs j
WHERE j.charged > j.held_month + j.held_bought OR j.charged_credits > j.held_credits
    OR (j.status IN ('failed', 'cancelled') AND (j.charged <> 0 OR j.charged_credits <> 0))

UNION ALL SELECT 'a month is not granted twice over', b.account_id::text || ' ' || b.month::text
FROM minute_buckets b
WHERE b.used + b.held > b.allowance
    AND NOT EXISTS (SELECT FROM minute_journal a WHERE a.account_id = b.account_id AND a.kind = 'adjust'
        AND a.month_amount <> 0)

UNION ALL SELECT 'credits are not given twice over', a.id::text
FROM accounts a WHERE a.credits_used + a.credits_held > a.credits_given

UNION ALL SELECT 'one live job an (item, read)', j.item_id::text || ' ' || j.read
FROM jobs j WHERE j.finished_at IS NULL AND j.item_id IS NOT NULL AND j.read IS NOT NULL
GROUP BY j.item_id, j.read HAVING count(*) > 1

UNION ALL SELECT 'only a live job owns a read', r.item_id::text || ' ' || r.read
FROM job_reads r LEFT JOIN jobs j ON j.id = r.job_id
WHERE j.id IS NULL OR j.finished_at IS NOT NULL

UNION ALL SELECT 'a live job owns its read', j.id::text
FROM jobs j LEFT JOIN job_reads r ON r.job_id = j.id AND r.item_id = j.item_id AND r.read = j.read
WHERE j.finished_at IS NULL AND j.read IS NOT NULL AND r.job_id IS NULL

UNION ALL SELECT 'a stored read comes of a job that succeeded', s.item_id::text || ' ' || s.read
FROM item_reads s JOIN jobs j ON j.id = s.job_id WHERE j.status <> 'succeeded'

UNION ALL SELECT 'a read that succeeded is stored', j.id::text
FROM jobs j JOIN items i ON i.id = j.item_id AND i.deleted_at IS NULL
LEFT JOIN item_reads s ON s.item_id = j.item_id AND s.read = j.read
WHERE j.status = 'succeeded' AND j.read IS NOT NULL AND s.item_id IS NULL

UNION ALL SELECT 'one live job a render', encode(r.hash, 'hex')
FROM job_renders r JOIN jobs j ON j.id = r.job_id WHERE j.finished_at IS NULL
GROUP BY r.hash HAVING count(*) > 1

UNION ALL SELECT 'a live render has its plan, an ended one has given it back', j.id::text
FROM jobs j LEFT JOIN job_renders r ON r.job_id = j.id
WHERE j.kind IN ('render', 'generation', 'dub') AND (r.ended_at IS NULL) IS DISTINCT FROM (j.finished_at IS NULL)
    AND (j.finished_at IS NULL OR r.job_id IS NOT NULL)

UNION ALL SELECT 'only a render''s job has a plan', r.job_id::text
FROM job_renders r LEFT JOIN jobs j ON j.id = r.job_id
WHERE r.ended_at IS NULL AND (j.id IS NULL OR j.kind NOT IN ('render', 'generation', 'dub'))

UNION ALL SELECT 'a render that succeeded has made one item, ready, under its claim''s key', j.id::text
FROM jobs j LEFT JOIN items i ON i.made_by_job_id = j.id
WHERE j.kind IN ('render', 'generation') AND j.status = 'succeeded'
GROUP BY j.id
HAVING count(i.id) <> 1 OR NOT bool_and(i.deleted_at IS NOT NULL OR (i.status = 'ready' AND i.bytes > 0
    AND i.account_id = j.owner_account_id AND i.workspace_id = j.workspace_id
    AND i.object_key LIKE '%-' || j.claim_no::text))

UNION ALL SELECT 'a render that did not succeed has made no item', j.id::text
FROM jobs j JOIN items i ON i.made_by_job_id = j.id
WHERE j.kind IN ('render', 'generation', 'dub') AND j.status <> 'succeeded'

UNION ALL SELECT 'a dub that succeeded has made two items, ready, under its claim''s key', j.id::text
FROM jobs j LEFT JOIN items i ON i.made_by_job_id = j.id
WHERE j.kind = 'dub' AND j.status = 'succeeded'
GROUP BY j.id
HAVING count(i.id) <> 2 OR NOT bool_and(i.deleted_at IS NOT NULL OR (i.status = 'ready' AND i.bytes > 0
    AND i.account_id = j.owner_account_id AND i.workspace_id = j.workspace_id
    AND i.object_key LIKE '%-' || j.claim_no::text))

UNION ALL SELECT 'what was spoken is of a dub', o.document_id::text
FROM dub_outputs o LEFT JOIN documents d ON d.id = o.document_id AND d.kind = 'dub'
WHERE d.id IS NULL OR o.revision > d.revision

UNION ALL SELECT 'a render is there once', encode(i.render_hash, 'hex')
FROM items i WHERE i.deleted_at IS NULL AND i.render_hash IS NOT NULL
GROUP BY i.render_hash HAVING count(*) > 1

-- $1: the kinds of jobs that the deployment sends events of.
UNION ALL SELECT 'a finished job has one event, a live one none', j.id::text
FROM jobs j LEFT JOIN events e ON e.job_id = j.id
GROUP BY j.id HAVING count(e.id) <> (j.finished_at IS NOT NULL AND j.kind::text = ANY($1::text[]))::int

UNION ALL SELECT 'an event says how its job ended, to the owner', e.id
FROM events e JOIN jobs j ON j.id = e.job_id
WHERE e.type <> 'job.' || j.status OR e.account_id <> j.owner_account_id OR e.workspace_id <> j.workspace_id

UNION ALL SELECT 'one series an event and endpoint', d.event_id || ' ' || d.endpoint_id::text
FROM deliveries d WHERE d.trigger = 'event'
GROUP BY d.event_id, d.endpoint_id HAVING count(*) > 1

UNION ALL SELECT 'an event goes to its own account', d.id::text
FROM deliveries d JOIN webhook_endpoints w ON w.id = d.endpoint_id WHERE w.account_id <> d.account_id

UNION ALL SELECT 'counted attempts are 1 to 8 without a gap', a.delivery_id::text
FROM delivery_attempts a WHERE a.counted
GROUP BY a.delivery_id
HAVING count(*) > 8 OR min(a.attempt) <> 1 OR max(a.attempt) <> count(*) OR count(DISTINCT a.attempt) <> count(*)

UNION ALL SELECT 'a disabled endpoint is sent nothing but pings and what was in flight', w.id::text
FROM delivery_attempts a
JOIN deliveries d ON d.id = a.delivery_id AND d.trigger <> 'test'
JOIN webhook_endpoints w ON w.id = d.endpoint_id
WHERE NOT w.enabled AND a.at > w.disabled_at AND a.error IS DISTINCT FROM 'endpoint_disabled'
GROUP BY w.id
-- A process has at most sixteen in flight to an endpoint, begun a moment before the disabling is committed.
HAVING count(*) > 16 * count(DISTINCT a.worker) OR bool_or(d.created_at > w.disabled_at)

UNION ALL SELECT 'at most twenty admitted jobs an account', j.payer_account_id::text
FROM jobs j WHERE j.finished_at IS NULL AND j.admitted
GROUP BY j.payer_account_id HAVING count(*) > 20

UNION ALL SELECT 'at most 500 live jobs an account', j.payer_account_id::text
FROM jobs j WHERE j.finished_at IS NULL
GROUP BY j.payer_account_id HAVING count(*) > 500

UNION ALL SELECT 'a running job has a place and a lease', j.id::text
FROM jobs j WHERE j.status = 'running' AND (NOT j.admitted OR j.lease_until IS NULL)

UNION ALL SELECT 'a queued job with a place has a ticket', j.id::text
FROM jobs j WHERE j.status = 'queued' AND j.admitted AND j.ticket_id IS NULL

UNION ALL SELECT 'a job has a row a claim, and only the running one''s is open', j.id::text
FROM jobs j LEFT JOIN job_claims c ON c.job_id = j.id
GROUP BY j.id
HAVING count(c.claim_no) <> j.claim_no
    OR count(c.claim_no) FILTER (WHERE c.ended_at IS NULL) <> (j.status = 'running')::int

UNION ALL SELECT 'failures and losses are what the claims say', j.id::text
FROM jobs j LEFT JOIN job_claims c ON c.job_id = j.id
GROUP BY j.id
HAVING j.finished_at IS NULL AND (count(*) FILTER (WHERE c.outcome = 'failed') <> j.failures
    OR count(*) FILTER (WHERE c.outcome = 'lost') <> j.losses)

UNION ALL SELECT 'a call started something', c.id::text
FROM calls c WHERE NOT EXISTS (SELECT FROM jobs j WHERE j.call_id = c.id)

UNION ALL SELECT 'a key has an answer and a call', k.key
FROM idempotency_keys k
WHERE k.answer IS NULL OR (k.ends_at IS NULL AND NOT EXISTS (SELECT FROM calls c WHERE c.id = k.call_id))

UNION ALL SELECT 'footage is of a read that is stored', f.item_id::text || ' ' || f.read
FROM (
    SELECT DISTINCT item_id, 'search_index' AS read FROM moments
    UNION ALL SELECT DISTINCT item_id, CASE WHEN shown THEN 'search_index' ELSE 'transcript' END FROM passages
    UNION ALL SELECT DISTINCT item_id, 'speakers' FROM turns
) AS f
LEFT JOIN item_reads s ON s.item_id = f.item_id AND s.read = f.read
WHERE s.item_id IS NULL

UNION ALL SELECT 'what an account keeps is counted', account_id::text || ' ' || array_agg(counted ORDER BY counted)::text
FROM (
    SELECT account_id, ARRAY[sum(media_bytes), sum(items), sum(project_bytes), sum(projects), sum(text_bytes)]::text AS counted FROM (
        SELECT account_id, media_bytes, items, project_bytes, projects, text_bytes FROM account_usage
        UNION ALL SELECT account_id, media_bytes, items, project_bytes, projects, text_bytes FROM account_usage_changes
    ) AS noted GROUP BY account_id
    UNION
    SELECT account_id, ARRAY[sum(media_bytes), sum(items), sum(project_bytes), sum(projects), sum(text_bytes)]::text FROM (
        SELECT account_id, CASE WHEN deleted_at IS NULL THEN bytes ELSE 0 END AS media_bytes, 1 AS items,
            0 AS project_bytes, 0 AS projects, 0 AS text_bytes FROM items
        UNION ALL SELECT i.account_id, r.bytes, 0, 0, 0, 0 FROM item_reads r JOIN items i ON i.id = r.item_id
        UNION ALL SELECT account_id, reserved_bytes, 0, 0, 0, 0 FROM job_renders
        WHERE ended_at IS NULL AND account_id IS NOT NULL
        UNION ALL SELECT account_id, 0, 0,
            project_size(brief, agent_message, assembled_url, assets, timeline), 1, 0 FROM projects
        UNION ALL SELECT account_id, 0, 0, octet_length(body) + 1024, 0, 0 FROM project_webhooks
        UNION ALL SELECT owner_account_id, 0, 0, kept_bytes, 0, 0 FROM project_runs
        UNION ALL SELECT w.account_id, 0, 0, 0, 0, t.bytes FROM (
            SELECT workspace_id, bytes FROM comments UNION ALL SELECT workspace_id, bytes FROM calendar_entries
        ) AS t JOIN workspaces w ON w.id = t.workspace_id
        UNION ALL SELECT account_id, 0, 0, 0, 0, 0 FROM account_usage
        UNION ALL SELECT account_id, 0, 0, 0, 0, 0 FROM account_usage_changes
    ) AS kept GROUP BY account_id
) AS both_ways
GROUP BY account_id
HAVING count(*) > 1

UNION ALL SELECT 'a run of an agent goes on where its project is worked on', r.id::text || ' ' || p.status
FROM project_runs r JOIN projects p ON p.id = r.project_id
WHERE r.due_at IS NOT NULL AND p.status NOT IN ('running', 'generating', 'rendering')

UNION ALL SELECT 'a bulk operation that has ended has no endpoint before it', o.id::text
FROM bulk_operations o JOIN bulk_operation_endpoints e ON e.operation_id = o.id
WHERE o.state <> 'running'
