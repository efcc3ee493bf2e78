-- Jobs that were run once and wait again, by when they are due: those whose time has come are given a place although the accounts
-- with waiting jobs are looked through some at a time. A job is due when it is made, and later once it has been put back. Few jobs
-- are ever in it, and a claim changes nothing that it says: it is next to never written.
CREATE INDEX jobs_again ON jobs (due_at) WHERE NOT admitted AND finished_at IS NULL AND due_at > created_at;
