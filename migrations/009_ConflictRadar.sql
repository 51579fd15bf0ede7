-- Pairs that could not be merged when the radar last looked, and which of them agents were told about, so that a console
-- that starts anew tells nothing twice. A changed script is run again, so every statement here can be repeated.

CREATE TABLE IF NOT EXISTS radar_conflicts (
    -- Of two worktrees the first by name.
    worktree TEXT NOT NULL,
    -- Another worktree, or with with_target = 1 the branch that this one is to be integrated into.
    other TEXT NOT NULL CHECK (other <> ''),
    with_target INTEGER NOT NULL CHECK (with_target IN (0, 1)),
    -- The trees with which it began: the same pair of trees is told about once.
    worktree_tree TEXT NOT NULL CHECK (worktree_tree <> ''),
    other_tree TEXT NOT NULL CHECK (other_tree <> ''),
    -- JSON: names of files.
    files TEXT NOT NULL,
    uncommitted INTEGER NOT NULL CHECK (uncommitted IN (0, 1)),
    began_at TEXT NOT NULL,
    -- A log was written to when it began, so one is when it is over.
    told INTEGER NOT NULL CHECK (told IN (0, 1)),
    resolved_at TEXT,
    PRIMARY KEY (worktree, with_target, other),
    FOREIGN KEY (worktree) REFERENCES worktrees(name),
    CHECK (with_target = 1 OR worktree < other)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS idx_radar_conflicts_open ON radar_conflicts(other) WHERE resolved_at IS NULL;
