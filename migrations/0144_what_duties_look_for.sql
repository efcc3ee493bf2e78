-- What operators and duties look for each few seconds is found by what was noted of it, and not by a look at everything that is kept.

-- Which disabling or removal of an endpoint nothing waits of any more, by its moment. Until that is noted, and once it is disabled or
-- removed again, the duty that ends what waits looks at it (`to_empty`), and not at all that were removed within thirty days. Moments
-- are compared for being the same: one that is written later may be of a transaction that began earlier. `to_empty` is a column, and
-- not a condition of the index, since the planner counts how often it is true; and it is generated, so that processes of the release
-- before write it too.
ALTER TABLE webhook_endpoints ADD COLUMN emptied_at timestamptz;
ALTER TABLE webhook_endpoints ADD COLUMN to_empty boolean NOT NULL GENERATED ALWAYS AS (
    (NOT enabled OR deleted_at IS NOT NULL) AND emptied_at IS DISTINCT FROM greatest(disabled_at, deleted_at)
) STORED;
CREATE INDEX webhook_endpoints_to_empty ON webhook_endpoints (id) WHERE to_empty;
DROP INDEX webhook_endpoints_silent;

-- When an attempt last failed, with a precision of an hour, so that an endpoint that fails writes its entry of the index once an hour.
-- Those that are there count as if they had failed now: processes of the release before don't write it.
ALTER TABLE webhook_endpoints ADD COLUMN failed_at timestamptz DEFAULT mws_now();
ALTER TABLE webhook_endpoints ALTER COLUMN failed_at DROP DEFAULT;
CREATE INDEX webhook_endpoints_last_failed ON webhook_endpoints (failed_at) WHERE enabled AND deleted_at IS NULL;

-- The accounts that had half of their month's minutes left or less when the ledger was last checked: who has nothing left, and who
-- soon has, is looked for among these.
CREATE TABLE short_accounts (
    account_id uuid PRIMARY KEY
);
-- Until a scheduler of this release has checked the ledger: those that may be short, what they bought left aside.
INSERT INTO short_accounts (account_id)
SELECT b.account_id FROM minute_buckets AS b
WHERE b.month = date_trunc('month', mws_now() AT TIME ZONE 'UTC')::date AND (b.allowance - b.used - b.held) * 2 <= b.allowance
ORDER BY b.allowance - b.used - b.held LIMIT 10000;
