-- Bytes of an upload that arrive in pieces (tus 1.0.0): where each piece that has been stored is, until a worker joins
-- them to one object; and what the SHA-256 of all of them is so far.
ALTER TABLE uploads ADD COLUMN hash_state bytea;

CREATE TABLE upload_parts (
    upload_id uuid NOT NULL REFERENCES uploads (id) ON DELETE CASCADE,
    -- Of the whole, counted from zero. Together the parts of an upload leave no gap.
    start_byte bigint NOT NULL,
    bytes bigint NOT NULL CHECK (bytes > 0),
    object_key text NOT NULL,
    PRIMARY KEY (upload_id, start_byte)
);
-- What was put into a bucket is swept unless a part names it.
CREATE INDEX upload_parts_object ON upload_parts (object_key);
