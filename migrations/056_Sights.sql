-- The processes and worktrees of each host as it saw them last, for consoles elsewhere. They are replaced all the time, and
-- nothing depends on them.
-- A changed script is run again, so every statement here can be repeated.

CREATE TABLE IF NOT EXISTS sights (
    host_id TEXT NOT NULL,
    subject TEXT NOT NULL CHECK (subject IN ('processes', 'worktrees')),
    seen_at TEXT NOT NULL,
    -- JSON
    content TEXT NOT NULL,
    PRIMARY KEY (host_id, subject)
);
