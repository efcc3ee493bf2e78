-- Comments and calendar entries count towards what an account keeps, by notes as in 0029: the bytes of their words, and 256 more
-- for what else a row has.
ALTER TABLE comments ADD COLUMN bytes bigint
    GENERATED ALWAYS AS (octet_length(text) + coalesce(octet_length(guest_name), 0) + 256) STORED;
ALTER TABLE calendar_entries ADD COLUMN bytes bigint GENERATED ALWAYS AS
    (octet_length(title) + coalesce(octet_length(channel), 0) + coalesce(octet_length(note), 0) + 256) STORED;

ALTER TABLE account_usage ADD COLUMN text_bytes bigint NOT NULL DEFAULT 0;
ALTER TABLE account_usage_changes ADD COLUMN text_bytes bigint NOT NULL DEFAULT 0;

-- For any table of a workspace's rows with their bytes.
CREATE FUNCTION count_texts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO account_usage_changes (account_id, text_bytes)
        SELECT w.account_id, sum(r.bytes) FROM new_rows r JOIN workspaces w ON w.id = r.workspace_id GROUP BY w.account_id;
    ELSIF TG_OP = 'DELETE' THEN
        INSERT INTO account_usage_changes (account_id, text_bytes)
        SELECT w.account_id, -sum(r.bytes) FROM old_rows r JOIN workspaces w ON w.id = r.workspace_id GROUP BY w.account_id;
    ELSE
        INSERT INTO account_usage_changes (account_id, text_bytes)
        SELECT w.account_id, sum(change.bytes) FROM (
            SELECT workspace_id, -bytes AS bytes FROM old_rows UNION ALL SELECT workspace_id, bytes FROM new_rows
        ) AS change JOIN workspaces w ON w.id = change.workspace_id
        GROUP BY w.account_id HAVING sum(change.bytes) <> 0;
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER comments_counted_in AFTER INSERT ON comments
    REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_texts();
CREATE TRIGGER comments_counted_out AFTER DELETE ON comments
    REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_texts();
CREATE TRIGGER comments_recounted AFTER UPDATE ON comments
    REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_texts();
CREATE TRIGGER calendar_entries_counted_in AFTER INSERT ON calendar_entries
    REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_texts();
CREATE TRIGGER calendar_entries_counted_out AFTER DELETE ON calendar_entries
    REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_texts();
CREATE TRIGGER calendar_entries_recounted AFTER UPDATE ON calendar_entries
    REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_texts();

-- What is there already.
INSERT INTO account_usage_changes (account_id, text_bytes)
SELECT w.account_id, sum(texts.bytes) FROM (
    SELECT workspace_id, bytes FROM comments UNION ALL SELECT workspace_id, bytes FROM calendar_entries
) AS texts JOIN workspaces w ON w.id = texts.workspace_id
GROUP BY w.account_id;
