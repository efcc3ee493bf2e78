-- Of the newest $1 deliveries up to $2 that go to an endpoint of another account.
WITH newest AS MATERIALIZED (
    SELECT id, endpoint_id, account_id FROM deliveries ORDER BY id DESC LIMIT $1
)
SELECT d.id AS "id!: DeliveryId"
FROM newest AS d JOIN webhook_endpoints AS w ON w.id = d.endpoint_id
WHERE w.account_id <> d.account_id
LIMIT $2
