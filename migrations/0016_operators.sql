-- What operators did, for good (people.md, "audit"): one row a change, written in the change's own transaction.
CREATE TABLE operator_audit (
    id uuid PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT mws_now(),
    -- The name that goes with the token, and the address that it came from.
    operator text NOT NULL,
    address text,
    action text NOT NULL,
    target text NOT NULL,
    -- What was changed, as it was and as it is; null where there was or is nothing.
    before json,
    after json,
    request_id text NOT NULL
);
CREATE INDEX operator_audit_target ON operator_audit (target, id DESC);
CREATE INDEX operator_audit_operator ON operator_audit (operator, id DESC);
CREATE INDEX operator_audit_action ON operator_audit (action, id DESC);

CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'operator_audit is append-only';
END $$;
CREATE TRIGGER operator_audit_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON operator_audit
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();

-- An operator's own name for a purchase or a grant, such as an invoice's number: the same one counts once.
ALTER TABLE minute_journal ADD COLUMN reference text;
CREATE UNIQUE INDEX minute_journal_reference ON minute_journal (account_id, reference) WHERE reference IS NOT NULL;

-- What operators list by.
CREATE INDEX accounts_name ON accounts (name, id DESC);
CREATE INDEX users_account_newest ON users (account_id, id DESC);
DROP INDEX users_account;
CREATE INDEX users_subject ON users (oauth_subject, id DESC) WHERE oauth_subject IS NOT NULL;
-- Of removed endpoints too: their deliveries are still looked for by account.
CREATE INDEX webhook_endpoints_every_account ON webhook_endpoints (account_id);
