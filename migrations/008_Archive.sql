-- Archives of worktrees that have ended: what `worktree restore` brings back. What an archive holds lies under its ref and
-- in the tar beside it; a row only says what happened to it, and can be made again from the ref.

CREATE TABLE IF NOT EXISTS archives (
    -- refs/aiswarm/archive/<worktree>/<time>
    ref TEXT PRIMARY KEY,
    worktree TEXT NOT NULL,
    -- absolute path; null where nothing needed one
    tar TEXT,
    -- where the folder went as it was; null where there was none any more
    trash_path TEXT,
    made_at TEXT NOT NULL,
    -- JSON: what it was made of; null where that is only in the archive's own record
    census TEXT,
    -- when the folder in the trash was removed
    swept_at TEXT,
    -- while the worktree is to be restored; the branch, where it is to be another than before
    restore_wanted_at TEXT,
    restore_branch TEXT,
    restored_at TEXT,
    FOREIGN KEY (worktree) REFERENCES worktrees(name),
    CHECK (swept_at IS NULL OR trash_path IS NOT NULL),
    CHECK (restore_branch IS NULL OR restore_wanted_at IS NOT NULL)
);
CREATE INDEX IF NOT EXISTS idx_archives_worktree ON archives(worktree, made_at);
CREATE UNIQUE INDEX IF NOT EXISTS idx_archives_restoring ON archives(worktree) WHERE restore_wanted_at IS NOT NULL;
