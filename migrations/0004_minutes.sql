-- The ledger (interface.md, "Minutes"). All amounts are hundredths of a minute.

-- One bucket an (account, UTC month). `used` and `held` are what the journal says, but for what is still unfolded.
CREATE TABLE minute_buckets (
    account_id uuid NOT NULL REFERENCES accounts (id),
    month date NOT NULL CHECK (extract(day FROM month) = 1),
    allowance bigint NOT NULL CHECK (allowance >= 0),
    used bigint NOT NULL DEFAULT 0 CHECK (used >= 0),
    held bigint NOT NULL DEFAULT 0 CHECK (held >= 0),
    PRIMARY KEY (account_id, month)
) WITH (fillfactor = 50);

-- A finished job writes here instead of the bucket, which every dispatch of the account would wait for. Whoever next
-- needs the bucket (a dispatch under the account's lock, or the scheduler) folds the rows in. Until then an unfolded
-- settle still counts as held, so nothing is over-granted.
CREATE TABLE minute_unfolded (
    job_id uuid PRIMARY KEY,
    account_id uuid NOT NULL,
    month date NOT NULL,
    month_used bigint NOT NULL CHECK (month_used >= 0),
    month_freed bigint NOT NULL CHECK (month_freed >= month_used),
    bought_used bigint NOT NULL CHECK (bought_used >= 0),
    bought_freed bigint NOT NULL CHECK (bought_freed >= bought_used)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX minute_unfolded_account ON minute_unfolded (account_id);

-- Append-only. `month_amount` moves the month's allowance (grant, adjust), hold or charge; `bought_amount` the bought
-- balance likewise. A settle's amounts are what was charged; the rest of its hold goes back by the same entry.
CREATE TABLE minute_journal (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id uuid NOT NULL,
    month date NOT NULL,
    kind text NOT NULL CHECK (kind IN ('grant', 'purchase', 'hold', 'settle', 'release', 'adjust')),
    job_id uuid,
    month_amount bigint NOT NULL DEFAULT 0,
    bought_amount bigint NOT NULL DEFAULT 0,
    at timestamptz NOT NULL DEFAULT mws_now(),
    note text,
    CHECK ((kind IN ('hold', 'settle', 'release')) = (job_id IS NOT NULL))
);
CREATE UNIQUE INDEX minute_journal_hold ON minute_journal (job_id) WHERE kind = 'hold';
CREATE UNIQUE INDEX minute_journal_end ON minute_journal (job_id) WHERE kind IN ('settle', 'release');
CREATE UNIQUE INDEX minute_journal_grant ON minute_journal (account_id, month) WHERE kind = 'grant';
CREATE INDEX minute_journal_account ON minute_journal (account_id, id DESC);

CREATE FUNCTION refuse_journal_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'minute_journal is append-only: write an adjust entry instead';
END $$;
CREATE TRIGGER minute_journal_append_only BEFORE UPDATE OR DELETE ON minute_journal
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_journal_change();
