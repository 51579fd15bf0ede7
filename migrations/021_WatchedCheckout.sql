-- What was changed in the main checkout before the agents that run now were started, and what has changed there since.
-- A changed script is run again, so every statement here can be repeated.

CREATE TABLE IF NOT EXISTS watched_checkout (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    -- JSON: by path what git says of the file and a hash of it, as it was looked at last
    files TEXT NOT NULL,
    looked_at TEXT NOT NULL,
    -- while changes wait for a person: JSON, by path what it was and is; the agents that ran; when they were seen
    changes TEXT,
    agents TEXT,
    changed_at TEXT,
    CHECK ((changed_at IS NULL) = (changes IS NULL)),
    CHECK ((changed_at IS NULL) = (agents IS NULL))
);
