-- Each event is sealed by a hash over itself and the seal before it: an event that is changed, added or removed by hand shows.
-- The chain begins with a row of its own at the newest event that was there before; older events are not sealed.
-- A changed script is run again, so every statement here can be repeated.

CREATE TABLE IF NOT EXISTS event_chain (
    event_id INTEGER PRIMARY KEY,
    hash TEXT NOT NULL
);
INSERT INTO event_chain (event_id, hash)
    SELECT coalesce((SELECT max(id) FROM events), 0), 'start' WHERE NOT EXISTS (SELECT 1 FROM event_chain);
