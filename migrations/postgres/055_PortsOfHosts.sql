-- Each host gives out the ports of its own machine: two hosts may use the same one. As on SQLite.

-- The host that leased the port: that of the worktree, or the one that verifies its merge.
ALTER TABLE worktree_ports ADD COLUMN IF NOT EXISTS host_id text COLLATE "C" NOT NULL DEFAULT 'local';
UPDATE worktree_ports SET host_id = (SELECT host_id FROM worktrees WHERE name = worktree)
    WHERE purpose = 'work' AND host_id = 'local';
ALTER TABLE worktree_ports DROP CONSTRAINT IF EXISTS worktree_ports_pkey;
ALTER TABLE worktree_ports ADD PRIMARY KEY (host_id, port);
