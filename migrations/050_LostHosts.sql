-- What becomes of the worktrees of a host that was declared lost: another worktree continues each that has tasks left, and
-- what the host still has is kept when it comes back.
-- A changed script is run again, so every statement here can be repeated. SQLite knows no IF NOT EXISTS for columns;
-- the migrator carries out those lines.

-- The worktree that continues this one on another host, and the one that this one continues.
ALTER TABLE worktrees ADD COLUMN IF NOT EXISTS successor TEXT;
ALTER TABLE worktrees ADD COLUMN IF NOT EXISTS continues TEXT;

-- One row for each worktree that a host had when it came back.
CREATE TABLE IF NOT EXISTS host_returns (
    host_id TEXT NOT NULL,
    worktree TEXT NOT NULL,
    returned_at TEXT NOT NULL,
    -- holds all files as they were; NULL if the folder was gone, or could not be kept for this reason
    ref TEXT,
    problem TEXT,
    -- whether the ref is on the git remote too
    pushed INTEGER NOT NULL DEFAULT 0 CHECK (pushed IN (0, 1)),
    -- when a person had seen it
    settled_at TEXT,
    PRIMARY KEY (host_id, worktree, returned_at),
    FOREIGN KEY (host_id) REFERENCES hosts(id)
);
