-- How busy the machine of a host is, as its worker found it at the last heartbeat. As on SQLite.

-- Programs that run or wait for a processor, for each processor, over the last minute; NULL: not known.
ALTER TABLE hosts ADD COLUMN IF NOT EXISTS load double precision;
-- The part of its memory that programs can get without others being swapped out, 0 to 1; NULL: not known.
ALTER TABLE hosts ADD COLUMN IF NOT EXISTS memory_free double precision;
-- Why it should get nothing new while others can take it; NULL: it may.
ALTER TABLE hosts ADD COLUMN IF NOT EXISTS brake text COLLATE "C";
