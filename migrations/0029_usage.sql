-- What an account keeps, counted as it changes and not by a look at everything it has.
--
-- Triggers note each change; the scheduler folds the notes into one row an account. So writers of one account never wait
-- for each other, and what is kept is that row and the few notes that are not folded yet, whatever came about how.

CREATE TABLE account_usage (
    account_id uuid PRIMARY KEY,
    -- Bytes in the media store: of items that are not deleted, what is reserved for those to come, and stored reads.
    media_bytes bigint NOT NULL DEFAULT 0,
    -- Rows of items, tombstones included.
    items bigint NOT NULL DEFAULT 0,
    -- Bytes of projects and of the log of their webhooks, and how many projects there are.
    project_bytes bigint NOT NULL DEFAULT 0,
    projects bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

CREATE TABLE account_usage_changes (
    account_id uuid NOT NULL,
    media_bytes bigint NOT NULL DEFAULT 0,
    items bigint NOT NULL DEFAULT 0,
    project_bytes bigint NOT NULL DEFAULT 0,
    projects bigint NOT NULL DEFAULT 0
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX account_usage_changes_account ON account_usage_changes (account_id);

-- Bytes of a result and of the files that go with it. What is there already counts as far as its row tells.
ALTER TABLE item_reads ADD COLUMN bytes bigint NOT NULL DEFAULT 0;
UPDATE item_reads SET bytes = octet_length(result::text) WHERE result IS NOT NULL;

-- Storage that a render has reserved for the item to come, and whose it is. Counted until the render has ended.
ALTER TABLE job_renders
    ADD COLUMN account_id uuid,
    ADD COLUMN reserved_bytes bigint NOT NULL DEFAULT 0;

CREATE FUNCTION count_items() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        INSERT INTO account_usage_changes (account_id, media_bytes, items)
        SELECT account_id, -sum(CASE WHEN deleted_at IS NULL THEN bytes ELSE 0 END), -count(*)
        FROM old_rows GROUP BY account_id;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO account_usage_changes (account_id, media_bytes, items)
        SELECT account_id, sum(CASE WHEN deleted_at IS NULL THEN bytes ELSE 0 END), count(*)
        FROM new_rows GROUP BY account_id;
    END IF;
    RETURN NULL;
END $$;

-- Most updates of items change nothing that counts.
CREATE FUNCTION count_changed_items() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO account_usage_changes (account_id, media_bytes)
    SELECT account_id, sum(bytes) FROM (
        SELECT account_id, -bytes AS bytes FROM old_rows WHERE deleted_at IS NULL
        UNION ALL
        SELECT account_id, bytes FROM new_rows WHERE deleted_at IS NULL
    ) AS change
    GROUP BY account_id HAVING sum(bytes) <> 0;
    RETURN NULL;
END $$;

CREATE TRIGGER items_counted_in AFTER INSERT ON items
    REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_items();
CREATE TRIGGER items_counted_out AFTER DELETE ON items
    REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_items();
CREATE TRIGGER items_recounted AFTER UPDATE ON items
    REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION count_changed_items();

CREATE FUNCTION count_item_reads() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO account_usage_changes (account_id, media_bytes)
        SELECT i.account_id, sum(r.bytes) FROM new_rows r JOIN items i ON i.id = r.item_id
        GROUP BY i.account_id HAVING sum(r.bytes) <> 0;
    ELSIF TG_OP = 'DELETE' THEN
        INSERT INTO account_usage_changes (account_id, media_bytes)
        SELECT i.account_id, -sum(r.bytes) FROM old_rows r JOIN items i ON i.id = r.item_id
        GROUP BY i.account_id HAVING sum(r.bytes) <> 0;
    ELSE
        INSERT INTO account_usage_changes (account_id, media_bytes)
        SELECT i.account_id, sum(change.bytes) FROM (
            SELECT item_id, -bytes AS bytes FROM old_rows UNION ALL SELECT item_id, bytes FROM new_rows
        ) AS change JOIN items i ON i.id = change.item_id
        GROUP BY i.account_id HAVING sum(change.bytes) <> 0;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER item_reads_counted_in AFTER INSERT ON item_reads
    REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_item_reads();
CREATE TRIGGER item_reads_counted_out AFTER DELETE ON item_reads
    REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_item_reads();
CREATE TRIGGER item_reads_recounted AFTER UPDATE ON item_reads
    REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION count_item_reads();

-- A render begins without a reservation, and has ended before its row goes.
CREATE FUNCTION count_job_renders() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO account_usage_changes (account_id, media_bytes)
    SELECT account_id, sum(bytes) FROM (
        SELECT account_id, -reserved_bytes AS bytes FROM old_rows WHERE ended_at IS NULL
        UNION ALL
        SELECT account_id, reserved_bytes FROM new_rows WHERE ended_at IS NULL
    ) AS change
    WHERE account_id IS NOT NULL
    GROUP BY account_id HAVING sum(bytes) <> 0;
    RETURN NULL;
END $$;
CREATE TRIGGER job_renders_recounted AFTER UPDATE ON job_renders
    REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION count_job_renders();

-- A row of the webhooks' log counts a KiB beside its body, for what else is kept of it.
CREATE FUNCTION project_size(brief text, said text, url text, assets json, timeline json) RETURNS bigint
LANGUAGE sql STABLE
RETURN octet_length(brief) + coalesce(octet_length(said), 0) + coalesce(octet_length(url), 0)
    + octet_length(assets::text) + coalesce(octet_length(timeline::text), 0) + 1024;

CREATE FUNCTION count_projects() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        INSERT INTO account_usage_changes (account_id, project_bytes, projects)
        SELECT account_id, -sum(project_size(brief, agent_message, assembled_url, assets, timeline)), -count(*)
        FROM old_rows GROUP BY account_id;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO account_usage_changes (account_id, project_bytes, projects)
        SELECT account_id, sum(project_size(brief, agent_message, assembled_url, assets, timeline)), count(*)
        FROM new_rows GROUP BY account_id;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER projects_counted_in AFTER INSERT ON projects
    REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_projects();
CREATE TRIGGER projects_counted_out AFTER DELETE ON projects
    REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_projects();
CREATE TRIGGER projects_recounted AFTER UPDATE ON projects
    REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION count_projects();

CREATE FUNCTION count_project_webhooks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO account_usage_changes (account_id, project_bytes)
        SELECT account_id, sum(octet_length(body) + 1024) FROM new_rows GROUP BY account_id;
    ELSIF TG_OP = 'DELETE' THEN
        INSERT INTO account_usage_changes (account_id, project_bytes)
        SELECT account_id, -sum(octet_length(body) + 1024) FROM old_rows GROUP BY account_id;
    ELSE
        INSERT INTO account_usage_changes (account_id, project_bytes)
        SELECT account_id, sum(bytes) FROM (
            SELECT account_id, -octet_length(body) AS bytes FROM old_rows
            UNION ALL
            SELECT account_id, octet_length(body) FROM new_rows
        ) AS change
        GROUP BY account_id HAVING sum(bytes) <> 0;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER project_webhooks_counted_in AFTER INSERT ON project_webhooks
    REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_project_webhooks();
CREATE TRIGGER project_webhooks_counted_out AFTER DELETE ON project_webhooks
    REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_project_webhooks();
CREATE TRIGGER project_webhooks_recounted AFTER UPDATE ON project_webhooks
    REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION count_project_webhooks();

-- What is there already. Its webhooks have been sent, so that their bodies serve nobody any more.
UPDATE project_webhooks SET body = '' WHERE finished_at IS NOT NULL;
TRUNCATE account_usage_changes;
INSERT INTO account_usage_changes (account_id, media_bytes, items)
SELECT account_id, sum(CASE WHEN deleted_at IS NULL THEN bytes ELSE 0 END), count(*) FROM items GROUP BY account_id;
INSERT INTO account_usage_changes (account_id, media_bytes)
SELECT i.account_id, sum(r.bytes) FROM item_reads r JOIN items i ON i.id = r.item_id GROUP BY i.account_id;
INSERT INTO account_usage_changes (account_id, project_bytes, projects)
SELECT account_id, sum(project_size(brief, agent_message, assembled_url, assets, timeline)), count(*)
FROM projects GROUP BY account_id;
INSERT INTO account_usage_changes (account_id, project_bytes)
SELECT account_id, sum(octet_length(body) + 1024) FROM project_webhooks GROUP BY account_id;
