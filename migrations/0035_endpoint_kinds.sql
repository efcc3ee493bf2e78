-- Which kinds of jobs an endpoint is told of; null is every kind there is and will be (spec §6.1.2).
ALTER TABLE webhook_endpoints
    ADD COLUMN kinds text[] CHECK (
        cardinality(kinds) > 0
        AND kinds <@ ARRAY['generation', 'render', 'dub', 'transcription', 'read']
    );
