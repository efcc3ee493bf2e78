-- Jobs that were run once and wait again, by who pays, their read, and when they are due: each account that has some is
-- looked at, however many the others have, and those of a paused read are not read. By the time alone, the latest 500
-- of one account hid those of all others. The index that it takes the place of goes in 0053: both here would need a
-- lock that grows, which is a deadlock where jobs are written.
CREATE INDEX jobs_due_again ON jobs (payer_account_id, read, due_at)
    WHERE NOT admitted AND finished_at IS NULL AND due_at > created_at;
