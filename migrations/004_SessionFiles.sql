-- Seed 000: who is to do a task and where, when a board file or a person names that; and what was taken in from files.

CREATE TABLE IF NOT EXISTS task_assignments (
    task_id INTEGER PRIMARY KEY,
    -- the id of the agent that is to do it, whether there is one now or not
    agent_id TEXT,
    -- absolute path of the folder to do it in, instead of the root of the repository
    folder TEXT,
    -- retries of this task, instead of what the configuration says
    max_retries INTEGER CHECK (max_retries >= 0),
    FOREIGN KEY (task_id) REFERENCES tasks(id)
);

-- Turns of progress files that are task logs already.
CREATE TABLE IF NOT EXISTS progress_turns (
    task_id INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    -- SHA-256 of the turn's text
    hash TEXT NOT NULL,
    PRIMARY KEY (task_id, attempt, hash),
    FOREIGN KEY (task_id) REFERENCES tasks(id)
) WITHOUT ROWID;
