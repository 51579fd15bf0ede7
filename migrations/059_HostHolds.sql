-- The reason why a host starts nothing new now, as its worker found it at the last heartbeat; NULL: it may start.
-- A changed script is run again, so every statement here can be repeated. SQLite knows no IF NOT EXISTS for columns;
-- the migrator carries out that line.

ALTER TABLE hosts ADD COLUMN IF NOT EXISTS hold TEXT;
