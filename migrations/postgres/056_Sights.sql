-- The processes and worktrees of each host as it saw them last, as on SQLite. A crash of the server may lose them.

CREATE UNLOGGED TABLE sights (
    host_id text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL CHECK (subject IN ('processes', 'worktrees')),
    seen_at text COLLATE "C" NOT NULL,
    -- JSON
    content text COLLATE "C" NOT NULL,
    PRIMARY KEY (host_id, subject)
);
