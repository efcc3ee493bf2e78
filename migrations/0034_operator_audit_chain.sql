-- Each row of the operators' audit log carries the hash of the one before it, so that a row that is changed, left out or put
-- in between is found (`mws doctor`). What was changed (`before`, `after`) is chained by its own hash alone: an erasure may
-- take it away, and the chain holds. Rows from before this migration are in no chain and have no number.
ALTER TABLE operator_audit
    ADD COLUMN number bigint UNIQUE,
    ADD COLUMN details_hash bytea,
    ADD COLUMN hash bytea,
    ADD COLUMN erased_at timestamptz;

CREATE FUNCTION operator_audit_details(before json, after json) RETURNS bytea
LANGUAGE sql STABLE
RETURN sha256(convert_to(json_build_array(before, after)::text, 'UTF8'));

CREATE FUNCTION operator_audit_link(previous bytea, entry operator_audit) RETURNS bytea
LANGUAGE sql STABLE
RETURN sha256(previous || convert_to(json_build_array(
    entry.number, entry.id, extract(epoch FROM entry.at), entry.operator, entry.address, entry.action, entry.target,
    encode(entry.details_hash, 'hex'), entry.request_id)::text, 'UTF8'));

-- The lock is held to the end of the transaction: numbers follow the order of commits, without a gap.
CREATE FUNCTION chain_operator_audit() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    last operator_audit;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('operator_audit', 0));
    SELECT * INTO last FROM operator_audit WHERE number IS NOT NULL ORDER BY number DESC LIMIT 1;
    NEW.number := coalesce(last.number, 0) + 1;
    NEW.details_hash := operator_audit_details(NEW.before, NEW.after);
    NEW.erased_at := NULL;
    NEW.hash := operator_audit_link(coalesce(last.hash, ''::bytea), NEW);
    RETURN NEW;
END $$;
CREATE TRIGGER operator_audit_chain BEFORE INSERT ON operator_audit
    FOR EACH ROW EXECUTE FUNCTION chain_operator_audit();

-- An update may do one thing: take away what was changed.
CREATE FUNCTION refuse_audit_change_but_erasure() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.erased_at IS NULL AND NEW.erased_at IS NOT NULL AND NEW.before IS NULL AND NEW.after IS NULL
        AND to_jsonb(NEW) - ARRAY['before', 'after', 'erased_at'] = to_jsonb(OLD) - ARRAY['before', 'after', 'erased_at']
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'operator_audit is append-only';
END $$;
DROP TRIGGER operator_audit_append_only ON operator_audit;
CREATE TRIGGER operator_audit_append_only BEFORE DELETE OR TRUNCATE ON operator_audit
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER operator_audit_erasure_only BEFORE UPDATE ON operator_audit
    FOR EACH ROW EXECUTE FUNCTION refuse_audit_change_but_erasure();
