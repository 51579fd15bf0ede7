-- The hosts of a board: each is a checkout on a machine, with its worktrees and its agents. A board in a database file has
-- one, `local`, and so has every board until another host joins.
-- A changed script is run again, so every statement here can be repeated. SQLite knows no IF NOT EXISTS for columns;
-- the migrator carries out those lines.

CREATE TABLE IF NOT EXISTS hosts (
    id TEXT PRIMARY KEY,
    -- for people; unique among the hosts that have not left
    name TEXT NOT NULL,
    -- + 1 whenever the host is declared lost: what it still writes as the former one is refused
    epoch INTEGER NOT NULL DEFAULT 1 CHECK (epoch > 0),
    state TEXT NOT NULL DEFAULT 'up' CHECK (state IN ('up', 'draining', 'lost', 'gone')),
    -- JSON arrays: what a person calls it, and the agent kinds that are installed there (NULL: not known)
    labels TEXT NOT NULL DEFAULT '[]',
    kinds TEXT,
    -- processes at a time; NULL: only the limit of the session
    max_parallel INTEGER CHECK (max_parallel >= 0),
    -- the machine and the main checkout there; NULL: no checkout has called itself this host yet
    machine TEXT,
    root TEXT,
    program TEXT,
    beat_at TEXT,
    joined_at TEXT
);
CREATE UNIQUE INDEX IF NOT EXISTS idx_hosts_name ON hosts(name) WHERE state <> 'gone';
INSERT INTO hosts (id, name) VALUES ('local', 'local') ON CONFLICT DO NOTHING;

-- One code lets one host join, for a quarter of an hour.
CREATE TABLE IF NOT EXISTS host_joins (
    code_hash TEXT PRIMARY KEY,
    labels TEXT NOT NULL DEFAULT '[]',
    made_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    used_by TEXT REFERENCES hosts(id)
);

-- Where the folder of a worktree lies, and where the process of an agent runs. A run is taken by its host before
-- anything is started.
ALTER TABLE worktrees ADD COLUMN IF NOT EXISTS host_id TEXT NOT NULL DEFAULT 'local';
ALTER TABLE agents ADD COLUMN IF NOT EXISTS host_id TEXT NOT NULL DEFAULT 'local';
ALTER TABLE agents ADD COLUMN IF NOT EXISTS taken_run INTEGER;
