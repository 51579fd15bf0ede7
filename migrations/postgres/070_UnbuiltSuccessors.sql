-- Which hosts could not continue a worktree of a lost one, so that another one is tried. As on SQLite.

-- A list of {"host", "at", "why"}; empty once another worktree continues it.
ALTER TABLE worktrees ADD COLUMN IF NOT EXISTS not_continued text COLLATE "C" NOT NULL DEFAULT '[]';
