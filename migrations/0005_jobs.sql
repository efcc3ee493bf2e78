-- Jobs and what surrounds them (spec §2, interface.md "Jobs"). The rows here are the truth; a queue row is a ticket.

-- One row a call that started jobs: what its jobs share, so that the hot rows stay narrow.
CREATE TABLE calls (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    tool text NOT NULL,
    request_id text NOT NULL,
    context text CHECK (char_length(context) <= 600),
    traceparent text,
    created_at timestamptz NOT NULL DEFAULT mws_now()
);

CREATE TABLE jobs (
    id uuid PRIMARY KEY,
    seq bigint GENERATED ALWAYS AS IDENTITY,
    call_id uuid NOT NULL,
    payer_account_id uuid NOT NULL,
    owner_account_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    item_id uuid,
    kind text NOT NULL CHECK (kind IN ('generation', 'render', 'dub', 'transcription', 'read')),
    read text CHECK (read IN ('transcript', 'search_index', 'speech', 'speakers', 'beats', 'levels')),
    status text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
    -- Whether it has one of its account's places; only an admitted job has a ticket.
    admitted boolean NOT NULL DEFAULT false,
    cancel_requested boolean NOT NULL DEFAULT false,
    -- Set with the item's tombstone: an end that waited for that transaction still sees it, on the row it waited for.
    item_gone boolean NOT NULL DEFAULT false,
    progress smallint NOT NULL DEFAULT 0 CHECK (progress BETWEEN 0 AND 100),
    -- Attempts that failed, and claims whose lease was lost; a hand-back counts as neither.
    failures smallint NOT NULL DEFAULT 0,
    losses smallint NOT NULL DEFAULT 0,
    -- The fencing token: rises at every claim, and every later write names it.
    claim_no integer NOT NULL DEFAULT 0,
    due_at timestamptz NOT NULL DEFAULT mws_now(),
    lease_until timestamptz,
    ticket_id text,
    hold_month date NOT NULL,
    held_month bigint NOT NULL CHECK (held_month >= 0),
    held_bought bigint NOT NULL CHECK (held_bought >= 0),
    charged bigint CHECK (charged >= 0 AND charged <= held_month + held_bought),
    result jsonb,
    error_code text,
    error_message text,
    error_retryable boolean,
    created_at timestamptz NOT NULL DEFAULT mws_now(),
    started_at timestamptz,
    finished_at timestamptz,
    CHECK ((status IN ('succeeded', 'failed', 'cancelled')) = (finished_at IS NOT NULL)),
    CHECK ((status IN ('succeeded', 'failed', 'cancelled')) = (charged IS NOT NULL))
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX jobs_waiting ON jobs (payer_account_id, seq)
    WHERE status = 'queued' AND NOT admitted AND finished_at IS NULL;
CREATE INDEX jobs_due ON jobs (due_at) WHERE status = 'queued' AND admitted AND finished_at IS NULL;
CREATE INDEX jobs_running ON jobs (id) WHERE status = 'running' AND finished_at IS NULL;
CREATE INDEX jobs_live_payer ON jobs (payer_account_id) INCLUDE (admitted) WHERE finished_at IS NULL;
CREATE INDEX jobs_live_item ON jobs (item_id) WHERE finished_at IS NULL;
CREATE INDEX jobs_workspace ON jobs (workspace_id, id DESC);
CREATE INDEX jobs_item ON jobs (item_id, id DESC) WHERE item_id IS NOT NULL;
CREATE INDEX jobs_call ON jobs (call_id);

-- The reads a live job will store. A row exists only while its job lives, so the primary key is the promise that
-- nothing starts twice.
CREATE TABLE job_reads (
    item_id uuid NOT NULL,
    read text NOT NULL,
    job_id uuid NOT NULL,
    PRIMARY KEY (item_id, read)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX job_reads_job ON job_reads (job_id);

-- One row a claim: who ran it, when, and how that ended.
CREATE TABLE job_claims (
    job_id uuid NOT NULL,
    claim_no integer NOT NULL,
    worker text NOT NULL,
    claimed_at timestamptz NOT NULL DEFAULT mws_now(),
    ended_at timestamptz,
    outcome text CHECK (outcome IN ('succeeded', 'failed', 'lost', 'handed_back', 'cancelled')),
    error_code text,
    error_message text,
    PRIMARY KEY (job_id, claim_no)
);

-- The answer stored under an Idempotency-Key. The row is the dispatch transaction's first insert, so a second call
-- with the key waits on the primary key, and a half-done row is never committed.
CREATE TABLE idempotency_keys (
    account_id uuid NOT NULL,
    tool text NOT NULL,
    key text NOT NULL CHECK (char_length(key) BETWEEN 1 AND 255),
    fingerprint bytea NOT NULL,
    call_id uuid NOT NULL,
    answer text,
    created_at timestamptz NOT NULL DEFAULT mws_now(),
    PRIMARY KEY (account_id, tool, key)
);
CREATE INDEX idempotency_keys_call ON idempotency_keys (call_id);

-- One row a process, for the operator's view of the fleet.
CREATE TABLE workers (
    name text PRIMARY KEY,
    service text NOT NULL CHECK (service IN ('api', 'worker', 'scheduler')),
    host text NOT NULL,
    version text NOT NULL,
    reads text[] NOT NULL DEFAULT '{}',
    slots integer NOT NULL DEFAULT 0,
    busy integer NOT NULL DEFAULT 0,
    started_at timestamptz NOT NULL DEFAULT mws_now(),
    beat_at timestamptz NOT NULL DEFAULT mws_now()
) WITH (fillfactor = 50);
