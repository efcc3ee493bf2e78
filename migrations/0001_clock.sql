-- The one clock that rules are decided by: leases, due times, expiries and months. It is the transaction's time, so
-- everything that one transaction writes carries one instant. Tests replace this function by one with an offset.
CREATE FUNCTION mws_now() RETURNS timestamptz
LANGUAGE sql STABLE
RETURN transaction_timestamp();

-- The least id minted at this time or later. Ids are ULIDs, so a bound on time is a bound on the primary key.
CREATE FUNCTION mws_first_id(at timestamptz) RETURNS uuid
LANGUAGE sql IMMUTABLE
RETURN (lpad(to_hex(greatest((extract(epoch FROM at) * 1000)::bigint, 0)), 12, '0') || repeat('0', 20))::uuid;
