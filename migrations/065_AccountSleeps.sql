-- The quota of an account is used up, not that of a kind everywhere: hosts may be logged in as different people.
-- A changed script is run again, so every statement here can be repeated. SQLite knows no IF NOT EXISTS for columns;
-- the migrator carries out those lines.

-- The account as which the agents of a host are logged in; NULL: one of its own.
ALTER TABLE hosts ADD COLUMN IF NOT EXISTS account TEXT;
-- The account whose quota it is: by default the id of the host whose agent was told so.
ALTER TABLE kind_sleeps ADD COLUMN IF NOT EXISTS account TEXT NOT NULL DEFAULT 'local';
UPDATE kind_sleeps SET account = (SELECT host_id FROM agents WHERE id = agent_id) WHERE account = 'local';

-- The table anew, since a key cannot be changed.
DROP TABLE IF EXISTS kind_sleeps_065;
CREATE TABLE kind_sleeps_065 (
    kind TEXT NOT NULL,
    account TEXT NOT NULL DEFAULT 'local',
    until TEXT NOT NULL,
    since TEXT NOT NULL,
    -- the agent that was told so
    agent_id TEXT NOT NULL,
    why TEXT NOT NULL,
    PRIMARY KEY (kind, account),
    FOREIGN KEY (agent_id) REFERENCES agents(id),
    CHECK (until > since)
) WITHOUT ROWID;
INSERT INTO kind_sleeps_065 (kind, account, until, since, agent_id, why)
    SELECT kind, account, until, since, agent_id, why FROM kind_sleeps;
DROP TABLE kind_sleeps;
ALTER TABLE kind_sleeps_065 RENAME TO kind_sleeps;
