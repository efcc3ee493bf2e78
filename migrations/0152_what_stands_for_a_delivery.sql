-- Whether a delivery stands for one that failed or was skipped, of the same event to the same endpoint: it is under way, it
-- arrived, or it is newer. What none stands for is unsent: it is shown so, counted so and sent again. A plain expression,
-- which PostgreSQL writes into the statement that calls it: no plan changes.
CREATE FUNCTION mws_stands_for(status text, id uuid, failed uuid) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT $2 <> $3 AND ($1 IN ('pending', 'succeeded') OR $2 > $3)
$$;
