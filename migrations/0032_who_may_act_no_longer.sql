-- Who may act no longer: an account that is suspended or erased, a user who is disabled, a workspace that is erased. And who
-- made a key, so that it goes with them.
ALTER TABLE accounts
    ADD COLUMN suspended_at timestamptz,
    -- What the account's callers are told.
    ADD COLUMN suspended_reason text,
    -- An erased account stays suspended, and as the numbers of its ledger.
    ADD COLUMN erased_at timestamptz,
    ADD CHECK ((suspended_at IS NULL) = (suspended_reason IS NULL)),
    ADD CHECK (erased_at IS NULL OR suspended_at IS NOT NULL);
ALTER TABLE users ADD COLUMN disabled_at timestamptz;
ALTER TABLE workspaces ADD COLUMN erased_at timestamptz;
ALTER TABLE items ADD COLUMN erased_at timestamptz;

-- The user who made a key, or whose key made it, however many keys stand between them; and the key that made it.
ALTER TABLE api_keys
    ADD COLUMN made_by_user_id uuid REFERENCES users (id),
    ADD COLUMN made_by_key_id uuid REFERENCES api_keys (id);
CREATE INDEX api_keys_made_by_user ON api_keys (made_by_user_id) WHERE made_by_user_id IS NOT NULL AND revoked_at IS NULL;
-- What operators list: the revoked keys of an account too.
CREATE INDEX api_keys_every_account ON api_keys (account_id, id DESC);

-- The endpoints of a suspended account are told of nothing until it is resumed.
ALTER TABLE webhook_endpoints DROP CONSTRAINT webhook_endpoints_disabled_reason_check;
ALTER TABLE webhook_endpoints ADD CONSTRAINT webhook_endpoints_disabled_reason_check
    CHECK (disabled_reason IN ('user', 'too_many_failures', 'suspended'));
