-- Who began an upload: its URL takes no more bytes once they may begin none, as a public link ends with its maker. Of
-- uploads from before nobody knows.
ALTER TABLE uploads
    ADD COLUMN user_id uuid,
    ADD COLUMN key_id uuid;
