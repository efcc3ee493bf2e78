-- How far ahead of now an account's jobs that it stopped, and what they made us send, would have come at its request rate
-- (the generic cell rate algorithm, as in `rate_limits`). Losing it in a crash costs nothing, so it is not logged.
CREATE UNLOGGED TABLE unpaid_ends (
    account_id uuid PRIMARY KEY,
    theoretical_arrival timestamptz NOT NULL
) WITH (fillfactor = 10);
