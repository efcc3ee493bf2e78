-- How long the steps of an attempt took, in milliseconds. Null: the step did not end, or there was none of it, as with a
-- connection that was open already. Attempts of before, and of processes of the release before, have none.
ALTER TABLE delivery_attempts
    ADD COLUMN dns_ms integer,
    ADD COLUMN connect_ms integer,
    ADD COLUMN tls_ms integer,
    ADD COLUMN first_byte_ms integer;
