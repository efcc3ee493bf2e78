-- Up to $2 accounts with more than $1 jobs that have a place.
SELECT payer_account_id AS "id!: AccountId"
FROM jobs WHERE admitted AND finished_at IS NULL
GROUP BY payer_account_id HAVING count(*) > $1
LIMIT $2
