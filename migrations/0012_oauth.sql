-- A subject is its issuer's name for somebody: another issuer's `1` is somebody else (spec §5, "OAuth access token").
-- No release before this one wrote a subject, so no row has one without an issuer.
ALTER TABLE users ADD COLUMN oauth_issuer text;
ALTER TABLE users DROP CONSTRAINT users_oauth_subject_key;
ALTER TABLE users ADD CONSTRAINT users_oauth_subject UNIQUE (oauth_issuer, oauth_subject);
ALTER TABLE users ADD CONSTRAINT users_oauth_whole CHECK ((oauth_issuer IS NULL) = (oauth_subject IS NULL));
