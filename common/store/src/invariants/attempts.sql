-- Of the newest $1 deliveries up to $2 whose counted attempts are not 1 to at most 8 without a gap.
WITH newest AS MATERIALIZED (
    SELECT id FROM deliveries ORDER BY id DESC LIMIT $1
)
SELECT d.id AS "id!: DeliveryId"
FROM newest AS d JOIN delivery_attempts AS a ON a.delivery_id = d.id
WHERE a.counted
GROUP BY d.id
HAVING count(*) > 8 OR min(a.attempt) <> 1 OR max(a.attempt) <> count(*) OR count(DISTINCT a.attempt) <> count(*)
LIMIT $2
