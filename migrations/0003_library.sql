-- Media in a workspace's library, how it gets there, and the reads stored on it (spec §2).

CREATE TABLE items (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces (id),
    account_id uuid NOT NULL REFERENCES accounts (id),
    ref text NOT NULL,
    name text NOT NULL,
    type text CHECK (type IN ('video', 'audio', 'image')),
    status text NOT NULL DEFAULT 'processing' CHECK (status IN ('processing', 'ready', 'failed')),
    error_code text,
    error_message text,
    duration_ms bigint CHECK (duration_ms >= 0),
    has_audio boolean NOT NULL DEFAULT false,
    has_video boolean NOT NULL DEFAULT false,
    width integer,
    height integer,
    content_type text,
    bytes bigint NOT NULL DEFAULT 0,
    sha256 bytea,
    object_key text,
    -- The id of the job that made it stays addressable after the job's row is pruned: no foreign key.
    made_by_job_id uuid,
    -- A computer that reads the item itself holds its reads back until then (interface.md, "held").
    leased_until timestamptz,
    created_at timestamptz NOT NULL DEFAULT mws_now(),
    -- A tombstone: the reads are gone for callers, a finishing job frees its hold, the bytes go after the last live job.
    deleted_at timestamptz,
    purged_at timestamptz
);
CREATE UNIQUE INDEX items_ref ON items (workspace_id, ref) WHERE deleted_at IS NULL;
CREATE INDEX items_workspace ON items (workspace_id, id DESC) WHERE deleted_at IS NULL;
CREATE INDEX items_made_by_job ON items (made_by_job_id) WHERE made_by_job_id IS NOT NULL;
CREATE INDEX items_account_bytes ON items (account_id) INCLUDE (bytes) WHERE deleted_at IS NULL;
CREATE INDEX items_to_purge ON items (deleted_at) WHERE deleted_at IS NOT NULL AND purged_at IS NULL;

-- An upload is also the durable work order that turns bytes into a ready item: fetch (by URL), probe, done. It is
-- claimed, leased and retried like a job, but it is nobody's job in the spec's sense: it costs no minutes.
CREATE TABLE uploads (
    id uuid PRIMARY KEY,
    item_id uuid NOT NULL REFERENCES items (id),
    workspace_id uuid NOT NULL,
    account_id uuid NOT NULL,
    filename text NOT NULL,
    content_type text,
    declared_bytes bigint,
    declared_sha256 bytea,
    source_url text,
    token_hash bytea,
    status text NOT NULL CHECK (status IN ('awaiting_upload', 'processing', 'done', 'failed', 'expired')),
    -- Null until the bytes are there; each write has a key of its own, so two that race can't mix.
    object_key text,
    received_bytes bigint,
    received_sha256 bytea,
    received_at timestamptz,
    expires_at timestamptz NOT NULL,
    -- Attempts that failed, and claims whose lease was lost; a hand-back counts as neither.
    failures smallint NOT NULL DEFAULT 0,
    losses smallint NOT NULL DEFAULT 0,
    claim_no integer NOT NULL DEFAULT 0,
    lease_until timestamptz,
    due_at timestamptz NOT NULL DEFAULT mws_now(),
    ticket_id text,
    error_code text,
    error_message text,
    created_at timestamptz NOT NULL DEFAULT mws_now(),
    finished_at timestamptz,
    CHECK ((status IN ('done', 'failed', 'expired')) = (finished_at IS NOT NULL))
);
CREATE INDEX uploads_item ON uploads (item_id);
CREATE INDEX uploads_due ON uploads (due_at) WHERE status = 'processing' AND finished_at IS NULL;
CREATE INDEX uploads_fetching ON uploads (account_id) WHERE status = 'processing' AND finished_at IS NULL;
CREATE INDEX uploads_expiry ON uploads (expires_at) WHERE status = 'awaiting_upload' AND finished_at IS NULL;
CREATE INDEX uploads_finished ON uploads (finished_at) WHERE finished_at IS NOT NULL;

-- One stored result an (item, read). Results over 256 KiB stand in the media store under `object_key`.
CREATE TABLE item_reads (
    item_id uuid NOT NULL REFERENCES items (id),
    read text NOT NULL CHECK (read IN ('transcript', 'search_index', 'speech', 'speakers', 'beats', 'levels')),
    job_id uuid NOT NULL,
    engine text NOT NULL,
    engine_version text NOT NULL,
    quality text,
    -- `json`, not `jsonb`: what is shown keeps the order the reader wrote it in.
    result json,
    object_key text,
    stored_at timestamptz NOT NULL DEFAULT mws_now(),
    PRIMARY KEY (item_id, read),
    CHECK ((result IS NULL) <> (object_key IS NULL))
);

-- What the fleet can run, as its workers have reported it, and what an operator has paused.
CREATE TABLE read_kinds (
    read text PRIMARY KEY CHECK (read IN ('transcript', 'search_index', 'speech', 'speakers', 'beats', 'levels')),
    engine text,
    engine_version text,
    engine_seen_at timestamptz,
    paused_at timestamptz
) WITH (fillfactor = 50);
INSERT INTO read_kinds (read)
VALUES ('transcript'), ('search_index'), ('speech'), ('speakers'), ('beats'), ('levels');
