-- Seed 001, context health: how much of its window a run's model has before it now. Apart from agent_runs, since a table
-- that is there already is passed over, and a column is not.
CREATE TABLE IF NOT EXISTS run_contexts (
    agent_id TEXT NOT NULL,
    run INTEGER NOT NULL CHECK (run > 0),
    -- in the latest turn alone, not summed up over the turns
    tokens INTEGER NOT NULL CHECK (tokens >= 0),
    -- the most tokens that the model can have before it
    context_window INTEGER NOT NULL CHECK (context_window > 0),
    -- the CLI does not tell: a quarter of the characters that it printed
    estimated INTEGER NOT NULL CHECK (estimated IN (0, 1)),
    PRIMARY KEY (agent_id, run),
    FOREIGN KEY (agent_id, run) REFERENCES agent_runs(agent_id, run)
) WITHOUT ROWID;
