-- The hosts of a board, as on SQLite.

CREATE TABLE hosts (
    id text COLLATE "C" PRIMARY KEY,
    -- for people; unique among the hosts that have not left
    name text COLLATE "C" NOT NULL,
    -- + 1 whenever the host is declared lost: what it still writes as the former one is refused
    epoch bigint NOT NULL DEFAULT 1 CHECK (epoch > 0),
    state text COLLATE "C" NOT NULL DEFAULT 'up' CHECK (state IN ('up', 'draining', 'lost', 'gone')),
    -- JSON arrays: what a person calls it, and the agent kinds that are installed there (NULL: not known)
    labels text COLLATE "C" NOT NULL DEFAULT '[]',
    kinds text COLLATE "C",
    -- processes at a time; NULL: only the limit of the session
    max_parallel bigint CHECK (max_parallel >= 0),
    -- the machine and the main checkout there; NULL: no checkout has called itself this host yet
    machine text COLLATE "C",
    root text COLLATE "C",
    program text COLLATE "C",
    beat_at text COLLATE "C",
    joined_at text COLLATE "C"
);
CREATE UNIQUE INDEX idx_hosts_name ON hosts(name) WHERE state <> 'gone';
INSERT INTO hosts (id, name) VALUES ('local', 'local') ON CONFLICT DO NOTHING;

-- One code lets one host join, for a quarter of an hour.
CREATE TABLE host_joins (
    code_hash text COLLATE "C" PRIMARY KEY,
    labels text COLLATE "C" NOT NULL DEFAULT '[]',
    made_at text COLLATE "C" NOT NULL,
    expires_at text COLLATE "C" NOT NULL,
    used_by text COLLATE "C" REFERENCES hosts(id)
);

-- Where the folder of a worktree lies, and where the process of an agent runs. A run is taken by its host before
-- anything is started.
ALTER TABLE worktrees ADD COLUMN IF NOT EXISTS host_id text COLLATE "C" NOT NULL DEFAULT 'local';
ALTER TABLE agents ADD COLUMN IF NOT EXISTS host_id text COLLATE "C" NOT NULL DEFAULT 'local';
ALTER TABLE agents ADD COLUMN IF NOT EXISTS taken_run bigint;
