-- Job webhooks: endpoints, secrets, events, and every attempt to deliver one (spec §2, §6.1).

CREATE TABLE webhook_endpoints (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts (id),
    url text NOT NULL,
    description text,
    event_types text[] NOT NULL,
    enabled boolean NOT NULL DEFAULT true,
    disabled_reason text CHECK (disabled_reason IN ('user', 'too_many_failures')),
    disabled_at timestamptz,
    consecutive_failures integer NOT NULL DEFAULT 0,
    last_success_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT mws_now(),
    updated_at timestamptz NOT NULL DEFAULT mws_now(),
    deleted_at timestamptz,
    CHECK (enabled = (disabled_at IS NULL)),
    CHECK (enabled = (disabled_reason IS NULL))
) WITH (fillfactor = 50);
CREATE INDEX webhook_endpoints_account ON webhook_endpoints (account_id, id) WHERE deleted_at IS NULL;
-- The few endpoints whose pending series the scheduler ends.
CREATE INDEX webhook_endpoints_silent ON webhook_endpoints (id) WHERE NOT enabled OR deleted_at IS NOT NULL;

-- One signing secret an account, sealed; the one before it keeps verifying until `previous_expires_at`.
CREATE TABLE webhook_secrets (
    account_id uuid PRIMARY KEY REFERENCES accounts (id),
    sealed bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT mws_now(),
    previous_sealed bytea,
    previous_expires_at timestamptz,
    CHECK ((previous_sealed IS NULL) = (previous_expires_at IS NULL))
);

-- The id is derived from the job and the type, so that a job can never end twice for a receiver. The body's bytes are
-- kept once; every attempt sends those bytes.
CREATE TABLE events (
    id text COLLATE "C" PRIMARY KEY,
    seq bigint GENERATED ALWAYS AS IDENTITY,
    account_id uuid NOT NULL,
    workspace_id uuid,
    job_id uuid,
    type text NOT NULL,
    body text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT mws_now(),
    -- An endpoint belongs to the account, so a ping is of no job and no workspace.
    CHECK ((type = 'ping') = (workspace_id IS NULL))
);
CREATE UNIQUE INDEX events_account ON events (account_id, seq);
CREATE INDEX events_job ON events (job_id);
CREATE INDEX events_created ON events (created_at);

-- One row a delivery series: one event to one endpoint, up to eight attempts.
CREATE TABLE deliveries (
    id uuid PRIMARY KEY,
    endpoint_id uuid NOT NULL,
    account_id uuid NOT NULL,
    workspace_id uuid,
    event_id text COLLATE "C" NOT NULL,
    event_type text NOT NULL,
    job_id uuid,
    trigger text NOT NULL DEFAULT 'event' CHECK (trigger IN ('event', 'resend', 'test')),
    resend_of uuid,
    status text NOT NULL DEFAULT 'pending'
        CHECK (status IN ('pending', 'succeeded', 'failed', 'skipped', 'cancelled')),
    -- The attempt that runs or ran last; an interrupted one is sent again under its own number.
    attempt_count smallint NOT NULL DEFAULT 0,
    interrupted_count smallint NOT NULL DEFAULT 0,
    claim_no integer NOT NULL DEFAULT 0,
    claimed_at timestamptz,
    claimed_by text,
    lease_until timestamptz,
    -- When the next attempt may start; while one runs, when its lease ends.
    due_at timestamptz NOT NULL DEFAULT mws_now(),
    -- Null while a retry waits for its time: it has no ticket before it is due.
    ticket_id text,
    response_status smallint,
    error text,
    traceparent text,
    created_at timestamptz NOT NULL DEFAULT mws_now(),
    finished_at timestamptz,
    CHECK ((status = 'pending') = (finished_at IS NULL))
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX deliveries_endpoint ON deliveries (endpoint_id, id DESC);
-- Two indexes, one entry: a claim moves a row from the first to the second, so neither scan meets the other's rows.
CREATE INDEX deliveries_due ON deliveries (due_at)
    WHERE status = 'pending' AND finished_at IS NULL AND lease_until IS NULL;
CREATE INDEX deliveries_leased ON deliveries (due_at)
    WHERE status = 'pending' AND finished_at IS NULL AND lease_until IS NOT NULL;
-- Retries, and what went over a cap: found at once however long the backlog of those that have a ticket.
CREATE INDEX deliveries_ticketless ON deliveries (due_at)
    WHERE status = 'pending' AND finished_at IS NULL AND lease_until IS NULL AND ticket_id IS NULL;
-- What an account sends again after an outage of its receiver.
CREATE INDEX deliveries_unsent ON deliveries (endpoint_id, id) WHERE status IN ('failed', 'skipped');
CREATE INDEX deliveries_pending_endpoint ON deliveries (endpoint_id) WHERE status = 'pending' AND finished_at IS NULL;
CREATE INDEX deliveries_event ON deliveries (event_id);
CREATE INDEX deliveries_job ON deliveries (job_id) WHERE job_id IS NOT NULL;

-- Every attempt, with what was sent and what came back. One that a rescue found interrupted is
-- not `counted`: neither towards the eight nor towards the twenty, and its number is sent again.
CREATE TABLE delivery_attempts (
    delivery_id uuid NOT NULL,
    claim_no integer NOT NULL,
    attempt smallint NOT NULL,
    counted boolean NOT NULL,
    worker text NOT NULL,
    at timestamptz NOT NULL,
    duration_ms integer NOT NULL,
    url_host text,
    url_path text,
    request_headers jsonb,
    response_status smallint,
    error text,
    response_excerpt text,
    PRIMARY KEY (delivery_id, claim_no)
);
