-- Which hosts could not continue a worktree of a lost one, so that another one is tried.
-- A changed script is run again, so every statement here can be repeated. SQLite knows no IF NOT EXISTS for columns;
-- the migrator carries out that line.

-- A list of {"host", "at", "why"}; empty once another worktree continues it.
ALTER TABLE worktrees ADD COLUMN IF NOT EXISTS not_continued TEXT NOT NULL DEFAULT '[]';
