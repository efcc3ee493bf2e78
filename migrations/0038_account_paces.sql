-- What an account may do at a pace beside that of its calls: for each, how far ahead of now it would have come (the generic
-- cell rate algorithm, as in `rate_limits`). Losing it in a crash costs nothing, so it is not logged.
CREATE UNLOGGED TABLE account_paces (
    account_id uuid NOT NULL,
    -- `stopped_jobs`: ends of jobs that were stopped, and what they made us send. `resends`: deliveries sent again.
    -- `kept_answers`: bytes of answers kept under idempotency keys.
    what text NOT NULL,
    theoretical_arrival timestamptz NOT NULL,
    PRIMARY KEY (account_id, what)
) WITH (fillfactor = 10);

-- Made by 0030, and of no release yet.
DROP TABLE unpaid_ends;
