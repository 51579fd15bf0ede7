-- As whom the agents of a host run, and whether in a sandbox, as its worker found it at the last heartbeat.
-- A changed script is run again, so every statement here can be repeated. SQLite knows no IF NOT EXISTS for columns;
-- the migrator carries out those lines.

-- The user of that machine; NULL: not known.
ALTER TABLE hosts ADD COLUMN IF NOT EXISTS agents_as TEXT;
-- Why they are in no sandbox; empty: they are in one; NULL: not known.
ALTER TABLE hosts ADD COLUMN IF NOT EXISTS unconfined TEXT;
