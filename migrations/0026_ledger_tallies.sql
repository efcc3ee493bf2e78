-- The journal added up once: what the check of the ledger begins from, so that it reads what was written since and not all there
-- ever was. A tally has the entries of an account's month up to `through`; those after it are added when the check is made.

CREATE TABLE ledger_tallies (
    account_id uuid NOT NULL,
    month date NOT NULL,
    allowance bigint NOT NULL DEFAULT 0,
    used bigint NOT NULL DEFAULT 0,
    held bigint NOT NULL DEFAULT 0,
    bought bigint NOT NULL DEFAULT 0,
    bought_held bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (account_id, month)
) WITH (fillfactor = 50);

-- One row. `next_through` was the highest entry at `marked_at`; when every transaction of that time is over, all entries up to
-- it are there, and it becomes `through`.
CREATE TABLE ledger_check (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    through bigint NOT NULL DEFAULT 0,
    next_through bigint NOT NULL DEFAULT 0,
    marked_at timestamptz NOT NULL DEFAULT mws_now(),
    checked_at timestamptz,
    drifting bigint NOT NULL DEFAULT 0
);
INSERT INTO ledger_check DEFAULT VALUES;
