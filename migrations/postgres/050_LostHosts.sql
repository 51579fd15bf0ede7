-- What becomes of the worktrees of a host that was declared lost, as on SQLite.

-- The worktree that continues this one on another host, and the one that this one continues.
ALTER TABLE worktrees ADD COLUMN IF NOT EXISTS successor text COLLATE "C";
ALTER TABLE worktrees ADD COLUMN IF NOT EXISTS continues text COLLATE "C";

-- One row for each worktree that a host had when it came back.
CREATE TABLE host_returns (
    host_id text COLLATE "C" NOT NULL REFERENCES hosts(id),
    worktree text COLLATE "C" NOT NULL,
    returned_at text COLLATE "C" NOT NULL,
    -- holds all files as they were; NULL if the folder was gone, or could not be kept for this reason
    ref text COLLATE "C",
    problem text COLLATE "C",
    -- whether the ref is on the git remote too
    pushed bigint NOT NULL DEFAULT 0 CHECK (pushed IN (0, 1)),
    -- when a person had seen it
    settled_at text COLLATE "C",
    PRIMARY KEY (host_id, worktree, returned_at)
);
