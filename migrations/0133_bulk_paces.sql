-- How many deliveries of an operation are sent again each second; null for as many as a turn takes.
ALTER TABLE bulk_operations ADD COLUMN pace smallint CHECK (pace BETWEEN 1 AND 100);
