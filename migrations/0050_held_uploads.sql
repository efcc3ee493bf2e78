-- The uploads of an account that a worker holds: each claim counts them, and an account may have a thousand that wait.
CREATE INDEX uploads_held ON uploads (account_id) WHERE lease_until IS NOT NULL;
