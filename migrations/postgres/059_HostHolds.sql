-- The reason why a host starts nothing new now, as on SQLite.

ALTER TABLE hosts ADD COLUMN IF NOT EXISTS hold text COLLATE "C";
