-- How busy the machine of a host is, as its worker found it at the last heartbeat.
-- A changed script is run again, so every statement here can be repeated. SQLite knows no IF NOT EXISTS for columns;
-- the migrator carries out those lines.

-- Programs that run or wait for a processor, for each processor, over the last minute; NULL: not known.
ALTER TABLE hosts ADD COLUMN IF NOT EXISTS load REAL;
-- The part of its memory that programs can get without others being swapped out, 0 to 1; NULL: not known.
ALTER TABLE hosts ADD COLUMN IF NOT EXISTS memory_free REAL;
-- Why it should get nothing new while others can take it; NULL: it may.
ALTER TABLE hosts ADD COLUMN IF NOT EXISTS brake TEXT;
