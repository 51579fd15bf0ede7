-- What agents cost, kept summed up; what tasks and sessions may cost; and which kinds of agent sleep until their quota is
-- there again. A changed script is run again, so every statement here can be repeated.

-- The session in which a run was started: agent_runs is there already, and a column cannot be added twice.
CREATE TABLE IF NOT EXISTS run_sessions (
    agent_id TEXT NOT NULL,
    run INTEGER NOT NULL CHECK (run > 0),
    session_id TEXT NOT NULL,
    PRIMARY KEY (agent_id, run),
    FOREIGN KEY (agent_id, run) REFERENCES agent_runs(agent_id, run),
    FOREIGN KEY (session_id) REFERENCES sessions(id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS idx_run_sessions_session ON run_sessions(session_id);

-- Sums over agent_runs, kept by the triggers below: what a person looks at all the time is never summed up by a scan.
CREATE TABLE IF NOT EXISTS usage_totals (
    scope TEXT NOT NULL CHECK (scope IN ('agent', 'task', 'session')),
    -- an agent's or a session's id, a task's number
    subject TEXT NOT NULL,
    tokens_in INTEGER NOT NULL,
    tokens_out INTEGER NOT NULL,
    tokens_cached INTEGER NOT NULL,
    -- null where no run has told
    cost_usd REAL,
    PRIMARY KEY (scope, subject)
) WITHOUT ROWID;

DROP TRIGGER IF EXISTS agent_runs_begun;
CREATE TRIGGER agent_runs_begun AFTER INSERT ON agent_runs BEGIN
    INSERT INTO run_sessions (agent_id, run, session_id) SELECT NEW.agent_id, NEW.run, id FROM sessions WHERE status = 'running';
END;

-- A run that is only just started has used nothing: this is for those that come with their numbers.
DROP TRIGGER IF EXISTS agent_runs_used_before;
CREATE TRIGGER agent_runs_used_before AFTER INSERT ON agent_runs
WHEN NEW.tokens_in + NEW.tokens_out + NEW.tokens_cached > 0 OR NEW.cost_usd IS NOT NULL BEGIN
    INSERT INTO usage_totals (scope, subject, tokens_in, tokens_out, tokens_cached, cost_usd)
        SELECT scope, subject, NEW.tokens_in, NEW.tokens_out, NEW.tokens_cached, NEW.cost_usd
        FROM (
            SELECT 'agent' AS scope, NEW.agent_id AS subject
            UNION ALL SELECT 'task', CAST(NEW.task_id AS TEXT) WHERE NEW.task_id IS NOT NULL
            UNION ALL SELECT 'session', id FROM sessions WHERE status = 'running'
        ) WHERE true
    ON CONFLICT (scope, subject) DO UPDATE SET
        tokens_in = tokens_in + excluded.tokens_in,
        tokens_out = tokens_out + excluded.tokens_out,
        tokens_cached = tokens_cached + excluded.tokens_cached,
        cost_usd = CASE WHEN cost_usd IS NULL AND excluded.cost_usd IS NULL THEN NULL ELSE coalesce(cost_usd, 0) + coalesce(excluded.cost_usd, 0) END;
END;

DROP TRIGGER IF EXISTS agent_runs_used;
CREATE TRIGGER agent_runs_used AFTER UPDATE OF tokens_in, tokens_out, tokens_cached, cost_usd ON agent_runs
WHEN NEW.tokens_in <> OLD.tokens_in OR NEW.tokens_out <> OLD.tokens_out OR NEW.tokens_cached <> OLD.tokens_cached OR NEW.cost_usd IS NOT OLD.cost_usd BEGIN
    INSERT INTO usage_totals (scope, subject, tokens_in, tokens_out, tokens_cached, cost_usd)
        SELECT scope, subject, NEW.tokens_in - OLD.tokens_in, NEW.tokens_out - OLD.tokens_out, NEW.tokens_cached - OLD.tokens_cached,
            CASE WHEN NEW.cost_usd IS NULL AND OLD.cost_usd IS NULL THEN NULL ELSE coalesce(NEW.cost_usd, 0) - coalesce(OLD.cost_usd, 0) END
        FROM (
            SELECT 'agent' AS scope, NEW.agent_id AS subject
            UNION ALL SELECT 'task', CAST(NEW.task_id AS TEXT) WHERE NEW.task_id IS NOT NULL
            UNION ALL SELECT 'session', session_id FROM run_sessions WHERE agent_id = NEW.agent_id AND run = NEW.run
        ) WHERE true
    ON CONFLICT (scope, subject) DO UPDATE SET
        tokens_in = tokens_in + excluded.tokens_in,
        tokens_out = tokens_out + excluded.tokens_out,
        tokens_cached = tokens_cached + excluded.tokens_cached,
        cost_usd = CASE WHEN cost_usd IS NULL AND excluded.cost_usd IS NULL THEN NULL ELSE coalesce(cost_usd, 0) + coalesce(excluded.cost_usd, 0) END;
END;

-- Runs from before this script, once: sessions do not overlap.
INSERT OR IGNORE INTO run_sessions (agent_id, run, session_id)
    SELECT agent_runs.agent_id, agent_runs.run, sessions.id FROM agent_runs
    JOIN sessions ON sessions.started_at <= agent_runs.started_at AND (sessions.ended_at IS NULL OR sessions.ended_at > agent_runs.started_at);
DELETE FROM usage_totals;
INSERT INTO usage_totals (scope, subject, tokens_in, tokens_out, tokens_cached, cost_usd)
    SELECT 'agent', agent_id, sum(tokens_in), sum(tokens_out), sum(tokens_cached), sum(cost_usd) FROM agent_runs GROUP BY agent_id
    UNION ALL
    SELECT 'task', CAST(task_id AS TEXT), sum(tokens_in), sum(tokens_out), sum(tokens_cached), sum(cost_usd) FROM agent_runs WHERE task_id IS NOT NULL GROUP BY task_id
    UNION ALL
    SELECT 'session', session_id, sum(tokens_in), sum(tokens_out), sum(tokens_cached), sum(cost_usd) FROM agent_runs JOIN run_sessions USING (agent_id, run) GROUP BY session_id;

-- What a task may cost, all its attempts together. Without a row the configuration says; a row without limits is without limit.
CREATE TABLE IF NOT EXISTS task_budgets (
    task_id INTEGER PRIMARY KEY,
    cost_usd REAL CHECK (cost_usd > 0),
    tokens INTEGER CHECK (tokens > 0),
    -- what it is raised by: what the budget was at first
    step_cost_usd REAL CHECK (step_cost_usd > 0),
    step_tokens INTEGER CHECK (step_tokens > 0),
    -- while a person is asked
    asked_at TEXT,
    FOREIGN KEY (task_id) REFERENCES tasks(id),
    CHECK ((cost_usd IS NULL) = (step_cost_usd IS NULL)),
    CHECK ((tokens IS NULL) = (step_tokens IS NULL)),
    CHECK (asked_at IS NULL OR cost_usd IS NOT NULL OR tokens IS NOT NULL)
);
CREATE INDEX IF NOT EXISTS idx_task_budgets_asked ON task_budgets(task_id) WHERE asked_at IS NOT NULL;

CREATE TABLE IF NOT EXISTS session_budgets (
    session_id TEXT PRIMARY KEY,
    cost_usd REAL CHECK (cost_usd > 0),
    tokens INTEGER CHECK (tokens > 0),
    step_cost_usd REAL CHECK (step_cost_usd > 0),
    step_tokens INTEGER CHECK (step_tokens > 0),
    asked_at TEXT,
    FOREIGN KEY (session_id) REFERENCES sessions(id),
    CHECK ((cost_usd IS NULL) = (step_cost_usd IS NULL)),
    CHECK ((tokens IS NULL) = (step_tokens IS NULL)),
    CHECK (asked_at IS NULL OR cost_usd IS NOT NULL OR tokens IS NOT NULL)
) WITHOUT ROWID;

-- Runs whose processes were stopped until a person has answered. The row goes when they are continued or over.
CREATE TABLE IF NOT EXISTS run_pauses (
    agent_id TEXT NOT NULL,
    run INTEGER NOT NULL CHECK (run > 0),
    paused_at TEXT NOT NULL,
    PRIMARY KEY (agent_id, run),
    FOREIGN KEY (agent_id) REFERENCES agents(id)
) WITHOUT ROWID;

-- A kind of agent whose account has said when its quota is there again: none of it is started before.
CREATE TABLE IF NOT EXISTS kind_sleeps (
    kind TEXT PRIMARY KEY,
    until TEXT NOT NULL,
    since TEXT NOT NULL,
    -- the agent that was told so
    agent_id TEXT NOT NULL,
    why TEXT NOT NULL,
    FOREIGN KEY (agent_id) REFERENCES agents(id),
    CHECK (until > since)
) WITHOUT ROWID;
