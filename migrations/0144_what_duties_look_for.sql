-- What operators and duties look for each few seconds is found by what was noted of it, and not by a look at everything that is kept.

-- When it was last seen that nothing waits for an endpoint that is disabled or was removed. Until then, and once it is disabled or
-- removed again, the duty that ends what waits looks at it (`to_empty`), and not at all that were removed within thirty days. It is a
-- column, and not a condition of the index, since the planner counts how often it is true; and it is generated, so that processes of
-- the release before write it too.
ALTER TABLE webhook_endpoints ADD COLUMN emptied_at timestamptz;
ALTER TABLE webhook_endpoints ADD COLUMN to_empty boolean NOT NULL GENERATED ALWAYS AS (
    (NOT enabled OR deleted_at IS NOT NULL) AND (emptied_at IS NULL OR emptied_at < greatest(disabled_at, deleted_at))
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
