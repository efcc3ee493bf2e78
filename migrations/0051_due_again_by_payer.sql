-- Jobs that were run once and wait again, by who pays and when they are due: each account that has some is looked at, however
-- many the others have. By the time alone, the latest 500 of one account hid those of all others.
CREATE INDEX jobs_due_again ON jobs (payer_account_id, due_at)
    WHERE NOT admitted AND finished_at IS NULL AND due_at > created_at;
DROP INDEX jobs_again;
ALTER INDEX jobs_due_again RENAME TO jobs_again;
