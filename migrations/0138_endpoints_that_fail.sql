-- Endpoints that have failed ten times in a row or more, the longest row first: what operators are told of before one is disabled, whoever
-- else has many deliveries. An attempt writes an entry only from the tenth failure in a row to the twentieth, which disables.
CREATE INDEX webhook_endpoints_failing ON webhook_endpoints (consecutive_failures DESC, id)
    WHERE enabled AND deleted_at IS NULL AND consecutive_failures >= 10;
