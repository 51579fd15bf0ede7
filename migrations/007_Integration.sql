-- What integrating safely needs besides: the configuration that a person trusts, every verification, and undoing.

-- The repository's own configuration, hooks and attributes as they were when aiswarm began or a person accepted them.
-- While `changed_hash` is set, something differs from that, and nothing is integrated.
CREATE TABLE IF NOT EXISTS repository_guard (
    id INTEGER PRIMARY KEY CHECK (id = 1),
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
    FOREIGN KEY (accepted_by) REFERENCES agents(id),
    CHECK ((changed_hash IS NULL) = (changes IS NULL)),
    CHECK ((changed_hash IS NULL) = (changed_at IS NULL)),
    CHECK ((changed_hash IS NULL) = (changed_entries IS NULL))
);

-- One row a run of a verification command.
CREATE TABLE IF NOT EXISTS verifications (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    -- the commit that was verified, and the integrations that it brings together (JSON of their ids)
    commit_oid TEXT NOT NULL,
    integrations TEXT NOT NULL,
    command TEXT NOT NULL,
    log TEXT NOT NULL,
    started_at TEXT NOT NULL,
    ended_at TEXT,
    -- null while it runs, and when it was ended
    exit_code INTEGER
);

-- A worktree that undoes an integration: its branch begins with the revert.
CREATE TABLE IF NOT EXISTS worktree_reverts (
    worktree TEXT PRIMARY KEY,
    integration_id INTEGER NOT NULL,
    FOREIGN KEY (worktree) REFERENCES worktrees(name) ON DELETE CASCADE,
    FOREIGN KEY (integration_id) REFERENCES integrations(id)
);
