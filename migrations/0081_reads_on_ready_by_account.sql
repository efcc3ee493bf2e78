-- Reads that start once their item is ready go round by the account that pays. The index by time alone stays for the
-- release before.
CREATE INDEX reads_on_ready_turns ON reads_on_ready (payer_account_id, due_at) WHERE due_at IS NOT NULL;
