-- By what the folder of a worktree is known: nothing is started in another folder that has taken its place.
-- A changed script is run again, so every statement here can be repeated.

CREATE TABLE IF NOT EXISTS worktree_folders (
    worktree TEXT PRIMARY KEY,
    -- of the folder itself, as decimal digits: it is larger than the numbers of JavaScript on some file systems
    inode TEXT NOT NULL,
    FOREIGN KEY (worktree) REFERENCES worktrees(name) ON DELETE CASCADE
) WITHOUT ROWID;
