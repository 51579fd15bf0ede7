-- A host that a person had drained and that was lost comes back drained. As on SQLite.

-- 1: it was draining when it was declared lost.
ALTER TABLE hosts ADD COLUMN IF NOT EXISTS lost_drained smallint NOT NULL DEFAULT 0;
