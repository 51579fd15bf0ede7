-- Files that a result named as made and that were not there when it was recorded: the review shows them as a contradiction.
-- A changed script is run again, so every statement here can be repeated.

CREATE TABLE IF NOT EXISTS missing_artifacts (
    task_id INTEGER NOT NULL REFERENCES tasks(id),
    path TEXT NOT NULL,
    PRIMARY KEY (task_id, path)
) WITHOUT ROWID;
