-- Where every target branch stood when it was seen last, and what has moved it behind the back of aiswarm.
-- A changed script is run again, so every statement here can be repeated.

CREATE TABLE IF NOT EXISTS watched_targets (
    target TEXT PRIMARY KEY,
    -- the last commit that aiswarm or a person put there, and the one that was seen last; null where the branch was missing
    known_oid TEXT,
    seen_oid TEXT,
    -- while a move waits for a person: its end (null where the branch was deleted), and when it was seen
    moved_oid TEXT,
    moved_at TEXT,
    -- JSON: the commits between, and the agents that ran at the time
    commits TEXT,
    agents TEXT,
    -- a person wants it put back; where that could not be done, why
    put_back_at TEXT,
    problem TEXT,
    CHECK ((moved_at IS NULL) = (commits IS NULL)),
    CHECK ((moved_at IS NULL) = (agents IS NULL)),
    CHECK (moved_at IS NOT NULL OR (moved_oid IS NULL AND put_back_at IS NULL AND problem IS NULL))
) WITHOUT ROWID;
