-- Who set the URL of a project's webhooks: it ends with whoever may no longer set one, as a public link does. Of URLs
-- from before nobody knows.
ALTER TABLE projects
    ADD COLUMN webhook_user_id uuid,
    ADD COLUMN webhook_key_id uuid;

-- The account whose call asked a job to stop: what its work took until then counts to that one. None where no call did,
-- or a process of the release before.
ALTER TABLE jobs ADD COLUMN stopped_by uuid;
