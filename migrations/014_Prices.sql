-- Tokens of runs whose price nobody has told: a sum of dollars that lacks them says so. A changed script is run again, so
-- every statement here can be repeated.

CREATE TABLE IF NOT EXISTS unpriced_totals (
    scope TEXT NOT NULL CHECK (scope IN ('agent', 'task', 'session')),
    -- an agent's or a session's id, a task's number
    subject TEXT NOT NULL,
    -- those that went in and those that came out
    tokens INTEGER NOT NULL,
    PRIMARY KEY (scope, subject)
) WITHOUT ROWID;

DROP TRIGGER IF EXISTS agent_runs_unpriced_before;
CREATE TRIGGER agent_runs_unpriced_before AFTER INSERT ON agent_runs
WHEN NEW.cost_usd IS NULL AND NEW.tokens_in + NEW.tokens_out > 0 BEGIN
    INSERT INTO unpriced_totals (scope, subject, tokens)
        SELECT scope, subject, NEW.tokens_in + NEW.tokens_out
        FROM (
            SELECT 'agent' AS scope, NEW.agent_id AS subject
            UNION ALL SELECT 'task', CAST(NEW.task_id AS TEXT) WHERE NEW.task_id IS NOT NULL
            UNION ALL SELECT 'session', id FROM sessions WHERE status = 'running'
        ) WHERE true
    ON CONFLICT (scope, subject) DO UPDATE SET tokens = tokens + excluded.tokens;
END;

-- Most CLIs tell the price at their end: what was counted until then is taken off again.
DROP TRIGGER IF EXISTS agent_runs_unpriced;
CREATE TRIGGER agent_runs_unpriced AFTER UPDATE OF tokens_in, tokens_out, cost_usd ON agent_runs
WHEN (CASE WHEN NEW.cost_usd IS NULL THEN NEW.tokens_in + NEW.tokens_out ELSE 0 END) <> (CASE WHEN OLD.cost_usd IS NULL THEN OLD.tokens_in + OLD.tokens_out ELSE 0 END) BEGIN
    INSERT INTO unpriced_totals (scope, subject, tokens)
        SELECT scope, subject,
            (CASE WHEN NEW.cost_usd IS NULL THEN NEW.tokens_in + NEW.tokens_out ELSE 0 END) - (CASE WHEN OLD.cost_usd IS NULL THEN OLD.tokens_in + OLD.tokens_out ELSE 0 END)
        FROM (
            SELECT 'agent' AS scope, NEW.agent_id AS subject
            UNION ALL SELECT 'task', CAST(NEW.task_id AS TEXT) WHERE NEW.task_id IS NOT NULL
            UNION ALL SELECT 'session', session_id FROM run_sessions WHERE agent_id = NEW.agent_id AND run = NEW.run
        ) WHERE true
    ON CONFLICT (scope, subject) DO UPDATE SET tokens = tokens + excluded.tokens;
END;

DELETE FROM unpriced_totals;
INSERT INTO unpriced_totals (scope, subject, tokens)
    SELECT 'agent', agent_id, sum(tokens_in + tokens_out) FROM agent_runs WHERE cost_usd IS NULL GROUP BY agent_id
    UNION ALL
    SELECT 'task', CAST(task_id AS TEXT), sum(tokens_in + tokens_out) FROM agent_runs WHERE cost_usd IS NULL AND task_id IS NOT NULL GROUP BY task_id
    UNION ALL
    SELECT 'session', session_id, sum(tokens_in + tokens_out) FROM agent_runs JOIN run_sessions USING (agent_id, run) WHERE cost_usd IS NULL GROUP BY session_id;
