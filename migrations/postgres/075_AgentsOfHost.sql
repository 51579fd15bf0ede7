-- As whom the agents of a host run, and whether in a sandbox, as its worker found it at the last heartbeat. As on SQLite.

-- The user of that machine; NULL: not known.
ALTER TABLE hosts ADD COLUMN IF NOT EXISTS agents_as text COLLATE "C";
-- Why they are in no sandbox; empty: they are in one; NULL: not known.
ALTER TABLE hosts ADD COLUMN IF NOT EXISTS unconfined text COLLATE "C";
