-- The clock of rules at the statement that asks, where `mws_now()` is that of the whole transaction. A transaction sees
-- what was committed after it began, and that was not due yet when it began. So one that takes what is due, after it
-- looked or waited for a lock, asks this clock.
CREATE FUNCTION mws_statement_now() RETURNS timestamptz
LANGUAGE sql STABLE
RETURN mws_now() + (statement_timestamp() - transaction_timestamp());
