-- Since when the git remote of the board does not answer a host, and the configuration of git in the clone of each host but
-- the first. As on SQLite.

ALTER TABLE hosts ADD COLUMN remote_silent_since text COLLATE "C";

CREATE TABLE host_guards (
    host_id text COLLATE "C" PRIMARY KEY,
    hash text COLLATE "C" NOT NULL,
    -- JSON: what was found, name and content each
    entries text COLLATE "C" NOT NULL,
    accepted_by text COLLATE "C" NOT NULL,
    accepted_at text COLLATE "C" NOT NULL,
    changed_hash text COLLATE "C",
    changed_entries text COLLATE "C",
    -- JSON: lines that begin with + or -
    changes text COLLATE "C",
    changed_at text COLLATE "C",
    CHECK ((changed_hash IS NULL) = (changes IS NULL)),
    CHECK ((changed_hash IS NULL) = (changed_at IS NULL)),
    CHECK ((changed_hash IS NULL) = (changed_entries IS NULL)),
    FOREIGN KEY (host_id) REFERENCES hosts(id) DEFERRABLE,
    FOREIGN KEY (accepted_by) REFERENCES agents(id) DEFERRABLE
);
