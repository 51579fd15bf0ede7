-- The git remote through which the hosts of a board exchange code, and what each worktree has of its branch there.
-- A changed script is run again, so every statement here can be repeated. SQLite knows no IF NOT EXISTS for columns;
-- the migrator carries out those lines.

CREATE TABLE IF NOT EXISTS fleet (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    -- as a person has given it; never that of .git/config, which agents can write
    remote TEXT
);

-- The commit of the branch that was pushed last, and when that was last known to be all of it.
ALTER TABLE worktrees ADD COLUMN IF NOT EXISTS pushed_oid TEXT;
ALTER TABLE worktrees ADD COLUMN IF NOT EXISTS pushed_at TEXT;
