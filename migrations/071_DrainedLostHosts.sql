-- A host that a person had drained and that was lost comes back drained.
-- A changed script is run again, so every statement here can be repeated. SQLite knows no IF NOT EXISTS for columns;
-- the migrator carries out that line.

-- 1: it was draining when it was declared lost.
ALTER TABLE hosts ADD COLUMN IF NOT EXISTS lost_drained INTEGER NOT NULL DEFAULT 0;
