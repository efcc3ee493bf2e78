-- Migrations that failed. A process that can't bring the schema up to date ends, so that only its log would tell: what
-- still runs, of the release before, reads it here for the operators' verdict. A row a migration; what was applied since
-- counts no more.
CREATE TABLE migration_failures (
    version bigint PRIMARY KEY,
    message text NOT NULL,
    failed_at timestamptz NOT NULL DEFAULT mws_now()
);
