-- What agents of real CLIs need besides: a row a run, what waits for a person's answer, answers that are repeated,
-- commits of an attempt, and an outcome for attempts that an account or a service ended.

-- One row a run of an agent's process: what it was started with, what it used, how it ended.
CREATE TABLE IF NOT EXISTS agent_runs (
    agent_id TEXT NOT NULL,
    run INTEGER NOT NULL CHECK (run > 0),
    task_id INTEGER,
    attempt INTEGER,
    kind TEXT NOT NULL,
    model TEXT,
    -- the CLI's own session, with which a later run can go on, and whether this one went on with an earlier
    cli_session TEXT,
    resumed INTEGER NOT NULL DEFAULT 0 CHECK (resumed IN (0, 1)),
    -- where this run begins in the agent's output file, in bytes
    output_offset INTEGER NOT NULL DEFAULT 0,
    started_at TEXT NOT NULL,
    ended_at TEXT,
    exit_code INTEGER,
    tokens_in INTEGER NOT NULL DEFAULT 0,
    tokens_out INTEGER NOT NULL DEFAULT 0,
    tokens_cached INTEGER NOT NULL DEFAULT 0,
    cost_usd REAL,
    -- the last that the CLI said, and what kept it from working, if anything
    said TEXT,
    problem TEXT,
    PRIMARY KEY (agent_id, run),
    FOREIGN KEY (agent_id) REFERENCES agents(id),
    FOREIGN KEY (task_id) REFERENCES tasks(id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS idx_agent_runs_task ON agent_runs(task_id);

-- What agents ask of a person. permission: may I use this tool; question: tell me; denial: the CLI itself said no.
CREATE TABLE IF NOT EXISTS requests (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL CHECK (kind IN ('permission', 'question', 'denial')),
    agent_id TEXT NOT NULL,
    task_id INTEGER,
    attempt INTEGER,
    status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'allowed', 'denied', 'answered', 'expired', 'withdrawn')),
    -- the CLI's name of the tool, and what it was to do: a command, a path, a question
    tool TEXT,
    subject TEXT NOT NULL,
    input TEXT,
    options TEXT,
    -- the rule that would allow this and its like from now on
    rule TEXT,
    asked_at TEXT NOT NULL,
    expires_at TEXT,
    answer TEXT,
    answered_by TEXT,
    answered_at TEXT,
    -- when the answer reached the agent
    told_at TEXT,
    FOREIGN KEY (agent_id) REFERENCES agents(id),
    FOREIGN KEY (task_id) REFERENCES tasks(id),
    FOREIGN KEY (answered_by) REFERENCES agents(id),
    CHECK ((kind = 'question') = (tool IS NULL)),
    CHECK ((status = 'open') = (answered_at IS NULL)),
    CHECK (status <> 'answered' OR (kind = 'question' AND answer IS NOT NULL)),
    CHECK (status <> 'allowed' OR kind <> 'question')
);
CREATE INDEX IF NOT EXISTS idx_requests_open ON requests(agent_id) WHERE status = 'open';
CREATE INDEX IF NOT EXISTS idx_requests_answered ON requests(answered_at) WHERE answered_at IS NOT NULL;

-- A call that names a request id is done once; repeated, it gets the answer of the first.
CREATE TABLE IF NOT EXISTS call_results (
    actor TEXT NOT NULL,
    request_id TEXT NOT NULL,
    operation TEXT NOT NULL,
    input_hash TEXT NOT NULL,
    result TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (actor, request_id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS idx_call_results_at ON call_results(at);

-- The commits that were made while an attempt was under way.
CREATE TABLE IF NOT EXISTS task_commits (
    task_id INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    oid TEXT NOT NULL,
    position INTEGER NOT NULL,
    branch TEXT NOT NULL,
    author TEXT NOT NULL,
    committed_at TEXT NOT NULL,
    subject TEXT NOT NULL,
    PRIMARY KEY (task_id, attempt, oid),
    FOREIGN KEY (task_id) REFERENCES tasks(id)
) WITHOUT ROWID;

-- The table anew, since a CHECK cannot be changed: the outcome 'unavailable', and when its commits were recorded.
CREATE TABLE task_attempts_002 (
    task_id INTEGER NOT NULL,
    attempt INTEGER NOT NULL CHECK (attempt > 0),
    agent_id TEXT NOT NULL,
    claimed_at TEXT NOT NULL,
    started_at TEXT,
    ended_at TEXT,
    outcome TEXT CHECK (outcome IN ('completed', 'failed', 'cancelled', 'lost', 'terminated', 'not_started', 'unavailable')),
    error TEXT,
    tokens_in INTEGER,
    tokens_out INTEGER,
    cost_usd REAL,
    commits_recorded INTEGER NOT NULL DEFAULT 0 CHECK (commits_recorded IN (0, 1)),
    PRIMARY KEY (task_id, attempt),
    FOREIGN KEY (task_id) REFERENCES tasks(id),
    FOREIGN KEY (agent_id) REFERENCES agents(id),
    CHECK ((outcome IS NULL) = (ended_at IS NULL))
) WITHOUT ROWID;
INSERT INTO task_attempts_002 (task_id, attempt, agent_id, claimed_at, started_at, ended_at, outcome, error, tokens_in, tokens_out, cost_usd, commits_recorded)
    SELECT task_id, attempt, agent_id, claimed_at, started_at, ended_at, outcome, error, tokens_in, tokens_out, cost_usd, outcome IS NOT NULL FROM task_attempts;
DROP TABLE task_attempts;
ALTER TABLE task_attempts_002 RENAME TO task_attempts;
CREATE INDEX idx_task_attempts_agent ON task_attempts(agent_id);
CREATE INDEX idx_task_attempts_unrecorded ON task_attempts(ended_at) WHERE commits_recorded = 0 AND ended_at IS NOT NULL;
