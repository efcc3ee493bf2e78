-- Who set the URL of a project's webhooks: it ends with whoever may no longer set one, as a public link does. Of URLs from
-- before nobody knows.
ALTER TABLE projects
    ADD COLUMN webhook_user_id uuid,
    ADD COLUMN webhook_key_id uuid;
