-- The one clock that rules are decided by: leases, due times, expiries and months. It is the transaction's time, so
-- everything that one transaction writes carries one instant. Tests replace this function by one with an offset.
CREATE FUNCTION mws_now() RETURNS timestamptz
LANGUAGE sql STABLE
RETURN transaction_timestamp();
