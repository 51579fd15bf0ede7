-- Races: the same task as several tasks, each in a worktree of its own with an agent of another kind or model, until a
-- person picks one of them.
-- A changed script is run again, so every statement here can be repeated.

CREATE TABLE IF NOT EXISTS races (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    -- the task that is raced; it stays pending while the race runs
    task_id INTEGER NOT NULL,
    started_by TEXT NOT NULL,
    started_at TEXT NOT NULL,
    ended_at TEXT,
    -- the task of the racer that was picked; NULL while the race runs, and if it was stopped
    picked INTEGER,
    FOREIGN KEY (task_id) REFERENCES tasks(id),
    FOREIGN KEY (picked) REFERENCES tasks(id),
    CHECK (picked IS NULL OR ended_at IS NOT NULL)
);
CREATE UNIQUE INDEX IF NOT EXISTS idx_races_running ON races(task_id) WHERE ended_at IS NULL;
CREATE INDEX IF NOT EXISTS idx_races_task ON races(task_id, id);

CREATE TABLE IF NOT EXISTS racers (
    race_id INTEGER NOT NULL,
    -- its place in the order in which the racers were named, from 1
    position INTEGER NOT NULL CHECK (position > 0),
    task_id INTEGER NOT NULL UNIQUE,
    worktree TEXT NOT NULL,
    kind TEXT NOT NULL,
    model TEXT,
    PRIMARY KEY (race_id, position),
    FOREIGN KEY (race_id) REFERENCES races(id),
    FOREIGN KEY (task_id) REFERENCES tasks(id)
);
