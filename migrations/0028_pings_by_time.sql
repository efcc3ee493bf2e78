-- The pings of the last minute are found by the database's time and not by their ids, which hosts mint.
CREATE INDEX deliveries_pings ON deliveries (endpoint_id, created_at) WHERE trigger = 'test';
