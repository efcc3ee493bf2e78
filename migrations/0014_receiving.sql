-- One request at a time sends the bytes of an upload: what an account has on its way to the store is never more than what
-- was reserved for it. The claim ends by itself, so that a process that dies keeps nobody out.
ALTER TABLE uploads
    ADD COLUMN receiving_by uuid,
    ADD COLUMN receiving_until timestamptz;
