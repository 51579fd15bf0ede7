-- Questions of a console to another host, which that host answers from its disk and its processes, and the end of the
-- output of each run, which remains when its host does not.
-- A changed script is run again, so every statement here can be repeated. SQLite knows no IF NOT EXISTS for columns;
-- the migrator carries out those lines.

CREATE TABLE IF NOT EXISTS host_calls (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    host_id TEXT NOT NULL,
    -- one of a closed list: each only reads, and names its subject by an id
    verb TEXT NOT NULL,
    input TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    -- JSON; NULL while it waits
    answer TEXT,
    -- the reason if the host could not answer
    problem TEXT
);

CREATE TABLE IF NOT EXISTS run_tails (
    agent_id TEXT PRIMARY KEY,
    content TEXT NOT NULL,
    -- the size of the whole output (bytes)
    size INTEGER NOT NULL,
    written_at TEXT NOT NULL
);

-- How a person reaches the host by SSH, such as anna@build-2; NULL: not at all.
ALTER TABLE hosts ADD COLUMN IF NOT EXISTS ssh TEXT;
