-- Forks: tasks whose first run begins with a copy of the conversation of another agent.
-- A changed script is run again, so every statement here can be repeated.

CREATE TABLE IF NOT EXISTS forks (
    task_id INTEGER PRIMARY KEY,
    -- whose conversation is copied
    agent_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    -- the CLI's own session of that agent
    session TEXT NOT NULL CHECK (session <> ''),
    -- what that session had used when it was copied: some CLIs count it as the copy's too
    tokens_in INTEGER NOT NULL DEFAULT 0,
    tokens_out INTEGER NOT NULL DEFAULT 0,
    tokens_cached INTEGER NOT NULL DEFAULT 0,
    FOREIGN KEY (task_id) REFERENCES tasks(id),
    FOREIGN KEY (agent_id) REFERENCES agents(id)
);
