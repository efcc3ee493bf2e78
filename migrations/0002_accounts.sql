-- Who calls, who pays, and where they may act (spec §2, §5).

CREATE TABLE accounts (
    id uuid PRIMARY KEY,
    name text NOT NULL,
    -- The month's minutes granted when a month's bucket is made; null means the deployment's setting.
    monthly_allowance bigint CHECK (monthly_allowance >= 0),
    -- Bought minutes never lapse: what is there, and how much of it is held by live jobs.
    bought bigint NOT NULL DEFAULT 0 CHECK (bought >= 0),
    bought_held bigint NOT NULL DEFAULT 0 CHECK (bought_held >= 0 AND bought_held <= bought),
    created_at timestamptz NOT NULL DEFAULT mws_now()
) WITH (fillfactor = 50);

CREATE TABLE users (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts (id),
    name text NOT NULL,
    oauth_subject text UNIQUE,
    created_at timestamptz NOT NULL DEFAULT mws_now()
);
CREATE INDEX users_account ON users (account_id);

CREATE TABLE workspaces (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts (id),
    name text NOT NULL,
    is_default boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT mws_now()
);
CREATE UNIQUE INDEX workspaces_default ON workspaces (account_id) WHERE is_default;
CREATE INDEX workspaces_account ON workspaces (account_id, id);

CREATE TABLE members (
    workspace_id uuid NOT NULL REFERENCES workspaces (id),
    user_id uuid NOT NULL REFERENCES users (id),
    role text NOT NULL CHECK (role IN ('owner', 'editor', 'viewer')),
    created_at timestamptz NOT NULL DEFAULT mws_now(),
    PRIMARY KEY (workspace_id, user_id)
);
CREATE INDEX members_user ON members (user_id);

-- Only the hash of a key is kept. A revoked key stays, so that it is told apart from one that never was.
CREATE TABLE api_keys (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts (id),
    workspace_id uuid NOT NULL REFERENCES workspaces (id),
    name text,
    prefix text NOT NULL,
    key_hash bytea NOT NULL UNIQUE CHECK (octet_length(key_hash) = 32),
    created_at timestamptz NOT NULL DEFAULT mws_now(),
    last_used_at timestamptz,
    revoked_at timestamptz
) WITH (fillfactor = 50);
CREATE INDEX api_keys_account ON api_keys (account_id, id) WHERE revoked_at IS NULL;

-- Script sessions: a single-use code (10 minutes) is exchanged for a bearer token (30 minutes).
CREATE TABLE session_codes (
    code_hash bytea PRIMARY KEY CHECK (octet_length(code_hash) = 32),
    account_id uuid NOT NULL REFERENCES accounts (id),
    workspace_id uuid NOT NULL REFERENCES workspaces (id),
    user_id uuid REFERENCES users (id),
    key_id uuid REFERENCES api_keys (id),
    expires_at timestamptz NOT NULL,
    redeemed_at timestamptz
);
CREATE INDEX session_codes_expiry ON session_codes (expires_at);

CREATE TABLE session_tokens (
    token_hash bytea PRIMARY KEY CHECK (octet_length(token_hash) = 32),
    account_id uuid NOT NULL REFERENCES accounts (id),
    workspace_id uuid NOT NULL REFERENCES workspaces (id),
    user_id uuid REFERENCES users (id),
    key_id uuid REFERENCES api_keys (id),
    created_at timestamptz NOT NULL DEFAULT mws_now(),
    expires_at timestamptz NOT NULL
);
CREATE INDEX session_tokens_expiry ON session_tokens (expires_at);

-- The generic cell rate algorithm needs one instant an account. Losing it in a crash costs nothing, so it is not logged.
CREATE UNLOGGED TABLE rate_limits (
    account_id uuid PRIMARY KEY,
    theoretical_arrival timestamptz NOT NULL
) WITH (fillfactor = 10);
