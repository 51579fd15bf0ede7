-- What the placement of worktrees and agents remembers.
-- A changed script is run again, so every statement here can be repeated. SQLite knows no IF NOT EXISTS for columns;
-- the migrator carries out those lines.

-- The label that the host of a worktree must have, also one that continues it.
ALTER TABLE worktrees ADD COLUMN IF NOT EXISTS label TEXT;
-- How many processes the machine of a host carries, unless a person sets max_parallel; NULL: not known.
ALTER TABLE hosts ADD COLUMN IF NOT EXISTS room INTEGER;
-- Since when it has commits that the git remote has not; NULL: none.
ALTER TABLE hosts ADD COLUMN IF NOT EXISTS unpushed_at TEXT;
