-- When tokens were told: what a run has used by the stretch of time in which it became known. A run without rows, such as
-- one from before this script, counts where it ended. A changed script is run again, so every statement here can be repeated.

CREATE TABLE IF NOT EXISTS usage_steps (
    agent_id TEXT NOT NULL,
    run INTEGER NOT NULL CHECK (run > 0),
    -- where the stretch begins, in seconds since 1970; its length is whatever the session's plots could tell apart then
    at INTEGER NOT NULL,
    tokens_in INTEGER NOT NULL CHECK (tokens_in >= 0),
    tokens_out INTEGER NOT NULL CHECK (tokens_out >= 0),
    tokens_cached INTEGER NOT NULL CHECK (tokens_cached >= 0),
    PRIMARY KEY (agent_id, run, at),
    FOREIGN KEY (agent_id, run) REFERENCES agent_runs(agent_id, run)
) WITHOUT ROWID;
