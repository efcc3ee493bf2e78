-- Bulk operations that run failed reads again: which reads they take, what was held for those that were counted (hundredths of a minute), the last
-- job that the operation has behind it, and how many jobs were skipped for which reason.
ALTER TABLE bulk_operations
    ADD COLUMN read text,
    ADD COLUMN error_code text,
    ADD COLUMN minutes bigint,
    ADD COLUMN after_job uuid,
    ADD COLUMN skips jsonb NOT NULL DEFAULT '{}';
