-- Where the git remote of a board takes the refs of aiswarm: some forges accept branches only. As on SQLite.

-- own: below refs/aiswarm; branches: below refs/heads/aiswarm. As it was found when a person named the remote.
ALTER TABLE fleet ADD COLUMN IF NOT EXISTS remote_refs text COLLATE "C" NOT NULL DEFAULT 'own'
    CHECK (remote_refs IN ('own', 'branches'));
