-- A worktree has a port of its own for what is started in it, and another one while its merge is verified, so that the
-- two never meet. A row is kept until the worktree is gone.

CREATE TABLE IF NOT EXISTS worktree_ports (
    -- the key: no two worktrees are given the same one, whichever console asks
    port INTEGER PRIMARY KEY CHECK (port BETWEEN 1 AND 65535),
    worktree TEXT NOT NULL,
    purpose TEXT NOT NULL CHECK (purpose IN ('work', 'verification')),
    -- what readied the worktree left something that listens on it, which is no stranger
    served INTEGER NOT NULL DEFAULT 0 CHECK (served IN (0, 1)),
    leased_at TEXT NOT NULL,
    UNIQUE (worktree, purpose),
    -- a worktree that could not be built leaves no row
    FOREIGN KEY (worktree) REFERENCES worktrees(name) ON DELETE CASCADE
);
