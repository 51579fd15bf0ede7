-- Where the git remote of a board takes the refs of aiswarm: some forges accept branches only.
-- A changed script is run again, so every statement here can be repeated. SQLite knows no IF NOT EXISTS for columns;
-- the migrator carries out that line.

-- own: below refs/aiswarm; branches: below refs/heads/aiswarm. As it was found when a person named the remote.
ALTER TABLE fleet ADD COLUMN IF NOT EXISTS remote_refs TEXT NOT NULL DEFAULT 'own' CHECK (remote_refs IN ('own', 'branches'));
