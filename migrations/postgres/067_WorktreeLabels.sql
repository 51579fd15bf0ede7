-- The labels that the host of a worktree must have, also one that continues it. As on SQLite.

-- JSON; label (060_Placement.sql), of which there was one, is not written any more.
ALTER TABLE worktrees ADD COLUMN IF NOT EXISTS labels text COLLATE "C" NOT NULL DEFAULT '[]';
UPDATE worktrees SET labels = json_build_array(label)::text WHERE label IS NOT NULL AND labels = '[]';
