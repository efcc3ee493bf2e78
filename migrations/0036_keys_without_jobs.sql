-- An Idempotency-Key of a call that makes something other than jobs: no call's jobs say how long it lives, so it says so itself.
ALTER TABLE idempotency_keys ADD COLUMN ends_at timestamptz;
CREATE INDEX idempotency_keys_end ON idempotency_keys (ends_at) WHERE ends_at IS NOT NULL;
