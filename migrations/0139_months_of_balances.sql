-- The balances of a month, of all accounts: which of them are short is looked for there, whoever has started the newest jobs. The month of
-- a balance never changes, so that a hold and a charge write no entry, as long as the page has room.
CREATE INDEX minute_buckets_month ON minute_buckets (month);
