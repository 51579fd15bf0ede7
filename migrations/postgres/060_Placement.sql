-- What the placement of worktrees and agents remembers, as on SQLite.

-- The label that the host of a worktree must have, also one that continues it.
ALTER TABLE worktrees ADD COLUMN IF NOT EXISTS label text COLLATE "C";
-- How many processes the machine of a host carries, unless a person sets max_parallel; NULL: not known.
ALTER TABLE hosts ADD COLUMN IF NOT EXISTS room bigint;
-- Since when it has commits that the git remote has not; NULL: none.
ALTER TABLE hosts ADD COLUMN IF NOT EXISTS unpushed_at text COLLATE "C";
