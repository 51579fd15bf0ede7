-- Messages of a person, or of an agent that plans, to a running agent or to the next attempt of its task.
-- A changed script is run again, so every statement here can be repeated.

CREATE TABLE IF NOT EXISTS agent_messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    -- say: words; stop: the end of the present turn
    kind TEXT NOT NULL CHECK (kind IN ('say', 'stop')),
    agent_id TEXT NOT NULL,
    task_id INTEGER,
    author TEXT NOT NULL,
    -- client: a program that plans for a person, without an identity of its own
    author_kind TEXT NOT NULL CHECK (author_kind IN ('person', 'agent', 'client')),
    body TEXT NOT NULL,
    delivery TEXT NOT NULL CHECK (delivery IN ('now', 'turn', 'attempt')),
    status TEXT NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'handed_over', 'seen', 'refused')),
    -- the run that it is for; of a message to the next attempt, the one that got it
    run_of TEXT,
    run INTEGER,
    -- why it was refused
    reason TEXT,
    said_at TEXT NOT NULL,
    handed_over_at TEXT,
    ended_at TEXT,
    FOREIGN KEY (agent_id) REFERENCES agents(id),
    FOREIGN KEY (task_id) REFERENCES tasks(id),
    FOREIGN KEY (author) REFERENCES agents(id),
    CHECK ((run_of IS NULL) = (run IS NULL)),
    CHECK (status NOT IN ('handed_over', 'seen') OR handed_over_at IS NOT NULL),
    CHECK ((status IN ('seen', 'refused')) = (ended_at IS NOT NULL)),
    CHECK ((status = 'refused') = (reason IS NOT NULL)),
    CHECK (kind = 'say' OR (body = '' AND delivery = 'now'))
);
CREATE INDEX IF NOT EXISTS idx_agent_messages_agent ON agent_messages(agent_id, id);
CREATE INDEX IF NOT EXISTS idx_agent_messages_run ON agent_messages(run_of, run) WHERE ended_at IS NULL;
CREATE INDEX IF NOT EXISTS idx_agent_messages_attempt ON agent_messages(task_id) WHERE ended_at IS NULL AND delivery = 'attempt';

-- Runs that were started with a journal for their input: they can be spoken to while they work.
CREATE TABLE IF NOT EXISTS run_journals (
    agent_id TEXT NOT NULL,
    run INTEGER NOT NULL,
    PRIMARY KEY (agent_id, run)
);
