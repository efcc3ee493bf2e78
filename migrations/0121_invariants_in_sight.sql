-- The rules that must hold of the rows at every moment, each with what its last checks found: schedulers check them in turn,
-- and operators look at this. `broken` and `sample` are of the last check that failed, and stay when a later one passes.
CREATE TABLE invariant_checks (
    name text PRIMARY KEY,
    begun_at timestamptz NOT NULL DEFAULT mws_now(),
    -- What the last check came to; null until one has ended.
    outcome text CHECK (outcome IN ('passed', 'failed', 'unfinished')),
    passed_at timestamptz,
    failed_at timestamptz,
    broken integer NOT NULL DEFAULT 0,
    sample text[] NOT NULL DEFAULT '{}'
);
