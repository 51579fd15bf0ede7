-- The labels that the host of a worktree must have, also one that continues it.
-- A changed script is run again, so every statement here can be repeated. SQLite knows no IF NOT EXISTS for columns;
-- the migrator carries out that line.

-- JSON; label (060_Placement.sql), of which there was one, is not written any more.
ALTER TABLE worktrees ADD COLUMN IF NOT EXISTS labels TEXT NOT NULL DEFAULT '[]';
UPDATE worktrees SET labels = json_array(label) WHERE label IS NOT NULL AND labels = '[]';
