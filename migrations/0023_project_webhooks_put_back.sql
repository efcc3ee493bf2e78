-- A project's webhook that did not leave because its sender had no descriptor, memory or port is put back to `pending`. How
-- often that was, so that it ends: an address that can never be reached from here looks the same.
ALTER TABLE project_webhooks ADD COLUMN put_backs integer NOT NULL DEFAULT 0;
