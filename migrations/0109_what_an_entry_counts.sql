-- What an entry of the journal counts, by its kind, for the statements that show entries. They are plain expressions, which
-- PostgreSQL writes into the statement that calls them: no plan changes. The checks of the ledger (ledger_fold, ledger_drift,
-- minutes_drift) say the rule once more on purpose, since a check that calls what it checks finds nothing.

-- By how much an entry changes the month's own minutes.
CREATE FUNCTION mws_booked_month(kind text, amount bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN $1 IN ('grant', 'adjust') THEN $2 WHEN $1 = 'settle' THEN -$2 ELSE 0 END
$$;

-- By how much it changes the bought minutes.
CREATE FUNCTION mws_booked_bought(kind text, amount bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN $1 = 'purchase' THEN $2 WHEN $1 = 'settle' THEN -$2 ELSE 0 END
$$;

-- By how much it changes the AI credits.
CREATE FUNCTION mws_booked_credits(kind text, amount bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN $1 IN ('grant', 'adjust', 'purchase') THEN $2 WHEN $1 = 'settle' THEN -$2 ELSE 0 END
$$;

-- By how much it changes what is left besides: a hold takes its amount away, and a job's end gives back what its hold took.
CREATE FUNCTION mws_freed(kind text, amount bigint, held bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN $1 = 'hold' THEN -$2 WHEN $1 IN ('settle', 'release') THEN $3 ELSE 0 END
$$;
