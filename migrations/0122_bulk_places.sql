-- The last delivery of the endpoint that an operation has behind it, whether it was sent again or not: the next step looks at those after it.
ALTER TABLE bulk_operation_endpoints ADD COLUMN after_id uuid;
