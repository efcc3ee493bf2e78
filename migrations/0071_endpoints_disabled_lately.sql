-- Endpoints that were disabled for their failures, the last one first: what operators are told of. Enabling takes an entry out, and
-- an attempt writes nothing here.
CREATE INDEX webhook_endpoints_failed ON webhook_endpoints (disabled_at DESC)
    WHERE disabled_reason = 'too_many_failures' AND deleted_at IS NULL;
