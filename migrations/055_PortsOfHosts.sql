-- Each host gives out the ports of its own machine: two hosts may use the same one.
-- A changed script is run again, so every statement here can be repeated. SQLite knows no IF NOT EXISTS for columns;
-- the migrator carries out that line.

-- The host that leased the port: that of the worktree, or the one that verifies its merge.
ALTER TABLE worktree_ports ADD COLUMN IF NOT EXISTS host_id TEXT NOT NULL DEFAULT 'local';
UPDATE worktree_ports SET host_id = (SELECT host_id FROM worktrees WHERE name = worktree)
    WHERE purpose = 'work' AND host_id = 'local';

-- The table anew, since a key cannot be changed.
DROP TABLE IF EXISTS worktree_ports_055;
CREATE TABLE worktree_ports_055 (
    host_id TEXT NOT NULL DEFAULT 'local',
    port INTEGER NOT NULL CHECK (port BETWEEN 1 AND 65535),
    worktree TEXT NOT NULL,
    purpose TEXT NOT NULL CHECK (purpose IN ('work', 'verification')),
    -- what set up the worktree left something that listens on it, which is no stranger
    served INTEGER NOT NULL DEFAULT 0 CHECK (served IN (0, 1)),
    leased_at TEXT NOT NULL,
    -- no two worktrees of a host are given the same port, whichever console asks
    PRIMARY KEY (host_id, port),
    UNIQUE (worktree, purpose),
    -- a worktree that could not be built leaves no row
    FOREIGN KEY (worktree) REFERENCES worktrees(name) ON DELETE CASCADE
);
INSERT INTO worktree_ports_055 (host_id, port, worktree, purpose, served, leased_at)
    SELECT host_id, port, worktree, purpose, served, leased_at FROM worktree_ports;
DROP TABLE worktree_ports;
ALTER TABLE worktree_ports_055 RENAME TO worktree_ports;
