-- Projects that an agent works on, and the one webhook of each change of status (spec §2, "Project"; §6.2).

CREATE TABLE projects (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces (id),
    -- The workspace's account, whose secret signs.
    account_id uuid NOT NULL REFERENCES accounts (id),
    status text NOT NULL CHECK (status IN ('running', 'generating', 'idle', 'rendering', 'failed', 'cancelled')),
    -- One more with each change of status; 1 is the creation.
    revision bigint NOT NULL DEFAULT 1,
    mode text NOT NULL,
    output_type text NOT NULL,
    brief text NOT NULL,
    agent_message text,
    assembled_url text,
    assembled_url_expires_at timestamptz,
    -- As they were written: the order of keys is kept, and nothing in here is searched.
    assets json NOT NULL DEFAULT '[]',
    timeline json,
    webhook_url text,
    created_at timestamptz NOT NULL DEFAULT mws_now(),
    updated_at timestamptz NOT NULL DEFAULT mws_now()
) WITH (fillfactor = 80);
CREATE INDEX projects_workspace ON projects (workspace_id, id);

-- One row a change of status, with the bytes to send. It leaves `pending` once, in a commit before the request leaves,
-- and never comes back: a row found `sent` after its lease is of a request that nobody knows the end of.
CREATE TABLE project_webhooks (
    id uuid PRIMARY KEY,
    project_id uuid NOT NULL REFERENCES projects (id),
    account_id uuid NOT NULL,
    revision bigint NOT NULL,
    event text NOT NULL CHECK (event IN ('running', 'generating', 'idle', 'rendering', 'failed')),
    -- As it was set when the status changed, and its host, which in-flight requests are counted by.
    url text NOT NULL,
    url_host text NOT NULL,
    body text NOT NULL,
    status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'sent', 'succeeded', 'failed', 'unknown')),
    -- When it may be sent; only what went over a cap is due later than it was made.
    due_at timestamptz NOT NULL DEFAULT mws_now(),
    ticket_id text,
    sent_at timestamptz,
    sent_by text,
    -- When the sender must have told the end.
    lease_until timestamptz,
    -- As they were to be sent, signature and all.
    request_headers jsonb,
    response_status smallint,
    error text,
    response_excerpt text,
    duration_ms integer,
    traceparent text,
    created_at timestamptz NOT NULL DEFAULT mws_now(),
    finished_at timestamptz,
    CHECK ((status = 'pending') = (sent_at IS NULL)),
    CHECK ((sent_at IS NULL) = (sent_by IS NULL) AND (sent_at IS NULL) = (lease_until IS NULL)),
    CHECK ((status IN ('pending', 'sent')) = (finished_at IS NULL))
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
CREATE UNIQUE INDEX project_webhooks_change ON project_webhooks (project_id, revision);
CREATE INDEX project_webhooks_project ON project_webhooks (project_id, id DESC);
CREATE INDEX project_webhooks_due ON project_webhooks (due_at) WHERE status = 'pending' AND finished_at IS NULL;
CREATE INDEX project_webhooks_sent ON project_webhooks (lease_until) WHERE status = 'sent' AND finished_at IS NULL;
