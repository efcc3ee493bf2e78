-- Whether the media of an item can be decoded from its middle (`domain::decoding`): a film that shows its end costs less then.
-- Null where that is not known, as of items of before.
ALTER TABLE items ADD COLUMN seekable boolean;
