-- What was done to an account's keys, signing secret and endpoints, for its owner: one row a change, written in the change's
-- own transaction. The scheduler deletes what is older than MWS_AUDIT_DAYS.
CREATE TABLE account_audit (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts (id),
    at timestamptz NOT NULL DEFAULT mws_now(),
    -- An API key's or a user's id, or `operator`.
    actor text NOT NULL,
    -- How they came in: `api_key`, `session`, `oauth`, `operator`.
    credential text NOT NULL,
    address text,
    action text NOT NULL,
    -- The id of what was changed.
    target text NOT NULL,
    details json,
    request_id text NOT NULL
);
CREATE INDEX account_audit_account ON account_audit (account_id, id DESC);

CREATE FUNCTION refuse_account_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a row of account_audit is never changed';
END $$;
CREATE TRIGGER account_audit_unchanged BEFORE UPDATE ON account_audit
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_account_audit_change();
