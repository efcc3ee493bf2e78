-- The engine of each read and render that a worker can run, as {"speech": "mws-silero 1"}: what a fleet can do is what its
-- workers say of themselves, and not what is installed where somebody asks.
ALTER TABLE workers ADD COLUMN engines jsonb NOT NULL DEFAULT '{}';
