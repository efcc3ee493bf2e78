-- Seals are found by the key that made them, which their first five bytes name, so that those of an old key can be made anew
-- and those of a key that is gone be told.
CREATE INDEX webhook_secrets_sealed_key ON webhook_secrets (substring(sealed FROM 1 FOR 5));
CREATE INDEX webhook_secrets_previous_key ON webhook_secrets (substring(previous_sealed FROM 1 FOR 5))
    WHERE previous_sealed IS NOT NULL;
