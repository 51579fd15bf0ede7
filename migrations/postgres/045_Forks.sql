-- Forks: tasks whose first run begins with a copy of the conversation of another agent. As on SQLite.

CREATE TABLE IF NOT EXISTS forks (
    task_id bigint PRIMARY KEY,
    -- whose conversation is copied
    agent_id text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    -- the CLI's own session of that agent
    session text COLLATE "C" NOT NULL CHECK (session <> ''),
    -- what that session had used when it was copied: some CLIs count it as the copy's too
    tokens_in bigint NOT NULL DEFAULT 0,
    tokens_out bigint NOT NULL DEFAULT 0,
    tokens_cached bigint NOT NULL DEFAULT 0,
    FOREIGN KEY (task_id) REFERENCES tasks(id) DEFERRABLE,
    FOREIGN KEY (agent_id) REFERENCES agents(id) DEFERRABLE
);
