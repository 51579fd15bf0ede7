-- Since when the git remote of the board does not answer a host, and the configuration of git in the clone of each host but
-- the first, as repository_guard has it of that.
-- A changed script is run again, so every statement here can be repeated. SQLite knows no IF NOT EXISTS for columns;
-- the migrator carries out that line.

ALTER TABLE hosts ADD COLUMN IF NOT EXISTS remote_silent_since TEXT;

CREATE TABLE IF NOT EXISTS host_guards (
    host_id TEXT PRIMARY KEY,
    hash TEXT NOT NULL,
    -- JSON: what was found, name and content each
    entries TEXT NOT NULL,
    accepted_by TEXT NOT NULL,
    accepted_at TEXT NOT NULL,
    changed_hash TEXT,
    changed_entries TEXT,
    -- JSON: lines that begin with + or -
    changes TEXT,
    changed_at TEXT,
    CHECK ((changed_hash IS NULL) = (changes IS NULL)),
    CHECK ((changed_hash IS NULL) = (changed_at IS NULL)),
    CHECK ((changed_hash IS NULL) = (changed_entries IS NULL)),
    FOREIGN KEY (host_id) REFERENCES hosts(id),
    FOREIGN KEY (accepted_by) REFERENCES agents(id)
);
