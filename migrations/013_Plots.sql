-- When attempts ended: the console shows the last hours of it all the time, which must not scan every attempt there ever was.

CREATE INDEX IF NOT EXISTS idx_task_attempts_ended ON task_attempts(ended_at, outcome) WHERE ended_at IS NOT NULL;
