-- What the whole service holds, for gauges. The scheduler that checks the ledger counts it once a minute, since that
-- check reads every balance anyway; each scheduler tells what this row says. One row, changed in place; none before the
-- first count.
CREATE TABLE service_totals (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    -- Hundredths of minutes that are held for jobs.
    held_hundredths bigint NOT NULL,
    -- As `account_usage.media_bytes`, of all accounts.
    media_bytes bigint NOT NULL,
    counted_at timestamptz NOT NULL
);
