-- The git remote through which the hosts of a board exchange code, as on SQLite.

CREATE TABLE fleet (
    id bigint PRIMARY KEY CHECK (id = 1),
    -- as a person has given it; never that of .git/config, which agents can write
    remote text COLLATE "C"
);

-- The commit of the branch that was pushed last, and when that was last known to be all of it.
ALTER TABLE worktrees ADD COLUMN IF NOT EXISTS pushed_oid text COLLATE "C";
ALTER TABLE worktrees ADD COLUMN IF NOT EXISTS pushed_at text COLLATE "C";
