-- AI credits: the ledger's second unit, in hundredths, beside the minutes and by the same rows. A job's hold is one entry of the
-- journal in both units and so is its end, so that the indexes which allow one of each a job hold for credits too. They never
-- lapse: there are no buckets of them, and what an account has left is what was given, less what is used and held.
ALTER TABLE accounts
    ADD COLUMN credits_given bigint NOT NULL DEFAULT 0,
    ADD COLUMN credits_used bigint NOT NULL DEFAULT 0 CHECK (credits_used >= 0),
    ADD COLUMN credits_held bigint NOT NULL DEFAULT 0 CHECK (credits_held >= 0),
    ADD CONSTRAINT accounts_credits_reach CHECK (credits_used + credits_held <= credits_given);

ALTER TABLE minute_journal ADD COLUMN credit_amount bigint NOT NULL DEFAULT 0;

ALTER TABLE minute_unfolded
    ADD COLUMN credits_used bigint NOT NULL DEFAULT 0 CHECK (credits_used >= 0),
    ADD COLUMN credits_freed bigint NOT NULL DEFAULT 0,
    ADD CONSTRAINT minute_unfolded_credits CHECK (credits_freed >= credits_used);

ALTER TABLE ledger_tallies
    ADD COLUMN credits_given bigint NOT NULL DEFAULT 0,
    ADD COLUMN credits_used bigint NOT NULL DEFAULT 0,
    ADD COLUMN credits_held bigint NOT NULL DEFAULT 0;

-- Null of jobs that ended under the release before: they were charged none.
ALTER TABLE jobs
    ADD COLUMN held_credits bigint NOT NULL DEFAULT 0,
    ADD COLUMN charged_credits bigint,
    ADD CONSTRAINT jobs_credits_within CHECK (held_credits >= 0 AND charged_credits >= 0
        AND charged_credits <= held_credits) NOT VALID;
