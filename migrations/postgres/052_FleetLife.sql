-- How a host notices that its board was restored to an earlier time, and the snapshots of uncommitted work, as on SQLite.

-- Heartbeats so far: a host remembers the last one that was acknowledged, and a smaller number shows that history was lost.
ALTER TABLE hosts ADD COLUMN IF NOT EXISTS beat_seq bigint NOT NULL DEFAULT 0;
-- The board begins a new generation when a person says that it was restored; each host follows when it has kept what it has.
ALTER TABLE hosts ADD COLUMN IF NOT EXISTS generation bigint NOT NULL DEFAULT 1;
ALTER TABLE fleet ADD COLUMN IF NOT EXISTS generation bigint NOT NULL DEFAULT 1;

-- Whether a person allows that uncommitted files are pushed to the git remote.
ALTER TABLE fleet ADD COLUMN IF NOT EXISTS snapshots bigint NOT NULL DEFAULT 0;
-- The commit of the last snapshot on the remote, and when it was taken.
ALTER TABLE worktrees ADD COLUMN IF NOT EXISTS wip_oid text COLLATE "C";
ALTER TABLE worktrees ADD COLUMN IF NOT EXISTS wip_at text COLLATE "C";

-- The host to which a person wants a worktree moved, and why the last such move was not made.
ALTER TABLE worktrees ADD COLUMN IF NOT EXISTS move_to text COLLATE "C";
ALTER TABLE worktrees ADD COLUMN IF NOT EXISTS move_problem text COLLATE "C";
