-- The quota of an account is used up, not that of a kind everywhere: hosts may be logged in as different people. As on
-- SQLite.

-- The account as which the agents of a host are logged in; NULL: one of its own.
ALTER TABLE hosts ADD COLUMN IF NOT EXISTS account text COLLATE "C";
-- The account whose quota it is: by default the id of the host whose agent was told so.
ALTER TABLE kind_sleeps ADD COLUMN IF NOT EXISTS account text COLLATE "C" NOT NULL DEFAULT 'local';
UPDATE kind_sleeps SET account = (SELECT host_id FROM agents WHERE id = agent_id) WHERE account = 'local';
ALTER TABLE kind_sleeps DROP CONSTRAINT IF EXISTS kind_sleeps_pkey;
ALTER TABLE kind_sleeps ADD PRIMARY KEY (kind, account);
