-- Since when a provider has answered no request to its model, and when the last of these failed; both are empty while it
-- answers. A table of some rows: what workers offer.
ALTER TABLE generation_makers
    ADD COLUMN failing_since timestamptz,
    ADD COLUMN failed_at timestamptz,
    ADD CONSTRAINT generation_makers_failing_check CHECK ((failing_since IS NULL) = (failed_at IS NULL));
