-- What a project's run keeps once it has ended, with its steps: bytes of the account whose workspace it is, among those
-- of its projects. They are counted when the run ends, and again when the next run empties its memory: a count at each
-- step would be a row for each. Of the step that ends a run what it said is counted then. While a run goes on it counts
-- nothing: an account has a bounded number of those. Runs that ended before this migration count nothing until then.
ALTER TABLE project_runs ADD COLUMN kept_bytes bigint NOT NULL DEFAULT 0;

-- A row counts 256 bytes beside its texts, for what else is kept of it.
CREATE FUNCTION project_run_size(run uuid, said text, memory jsonb) RETURNS bigint
LANGUAGE sql STABLE
RETURN 256 + coalesce(octet_length(said), 0) + pg_column_size(memory) + (
    SELECT coalesce(sum(256 + pg_column_size(s.arguments) + coalesce(octet_length(s.message), 0)), 0)
    FROM project_steps AS s WHERE s.run_id = run
);

CREATE FUNCTION count_ended_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.kept_bytes := project_run_size(NEW.id, NEW.said, NEW.memory);
    INSERT INTO account_usage_changes (account_id, project_bytes)
    VALUES (NEW.owner_account_id, NEW.kept_bytes - OLD.kept_bytes);
    RETURN NEW;
END $$;
CREATE TRIGGER project_runs_counted_in BEFORE UPDATE ON project_runs FOR EACH ROW
    WHEN (NEW.due_at IS NULL AND (OLD.due_at IS NOT NULL OR OLD.memory IS DISTINCT FROM NEW.memory))
    EXECUTE FUNCTION count_ended_run();

CREATE FUNCTION count_deleted_runs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO account_usage_changes (account_id, project_bytes)
    SELECT owner_account_id, -sum(kept_bytes) FROM old_rows GROUP BY owner_account_id HAVING sum(kept_bytes) <> 0;
    RETURN NULL;
END $$;
CREATE TRIGGER project_runs_counted_out AFTER DELETE ON project_runs
    REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_deleted_runs();
