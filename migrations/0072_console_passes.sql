-- Who may see the console: codes of one-time links, and the sessions that they become. Only hashes are here. A pass is good while
-- the operator's token is configured that it was made with, whose hash it names.
CREATE TABLE console_passes (
    hash bytea PRIMARY KEY,
    kind text NOT NULL CHECK (kind IN ('code', 'session')),
    operator text NOT NULL,
    token_hash bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT mws_now(),
    expires_at timestamptz NOT NULL
);
CREATE INDEX console_passes_operator ON console_passes (operator, kind, created_at DESC);
