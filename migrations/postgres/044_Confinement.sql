-- The confinement of runs. As on SQLite.

ALTER TABLE agent_runs ADD COLUMN IF NOT EXISTS unconfined text COLLATE "C";
