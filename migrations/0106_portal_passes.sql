-- Passes to the portal (decision 322): codes of one-time links, and the sessions that they become. Only hashes are here. A pass ends with
-- the key that it was made with.
CREATE TABLE portal_passes (
    hash bytea PRIMARY KEY,
    kind text NOT NULL CHECK (kind IN ('code', 'session')),
    key_id uuid NOT NULL REFERENCES api_keys (id),
    account_id uuid NOT NULL REFERENCES accounts (id),
    -- What the pages show and how they look: `domain::portal::Look`.
    look json NOT NULL,
    created_at timestamptz NOT NULL DEFAULT mws_now(),
    expires_at timestamptz NOT NULL
);
CREATE INDEX portal_passes_account ON portal_passes (account_id, kind, created_at DESC);
CREATE INDEX portal_passes_expiry ON portal_passes (expires_at);
