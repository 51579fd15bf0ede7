-- agents.worktree_path: the folder in which an agent works (seed 004); NULL is the main checkout.
-- It follows from assigned_worktree and worktrees.path, so triggers keep it, and nothing else writes it.
-- A changed script is run again, so every statement here can be repeated. SQLite knows no IF NOT EXISTS for columns;
-- the migrator carries out that line.

ALTER TABLE agents ADD COLUMN IF NOT EXISTS worktree_path TEXT;

DROP TRIGGER IF EXISTS agent_folder_of_new;
CREATE TRIGGER agent_folder_of_new AFTER INSERT ON agents WHEN NEW.assigned_worktree IS NOT NULL BEGIN
    UPDATE agents SET worktree_path = (SELECT path FROM worktrees WHERE name = NEW.assigned_worktree) WHERE id = NEW.id;
END;

DROP TRIGGER IF EXISTS agent_folder_of_assignment;
CREATE TRIGGER agent_folder_of_assignment AFTER UPDATE OF assigned_worktree ON agents WHEN NEW.assigned_worktree IS NOT OLD.assigned_worktree BEGIN
    UPDATE agents SET worktree_path = (SELECT path FROM worktrees WHERE name = NEW.assigned_worktree) WHERE id = NEW.id;
END;

DROP TRIGGER IF EXISTS agent_folder_of_worktree;
CREATE TRIGGER agent_folder_of_worktree AFTER UPDATE OF path ON worktrees WHEN NEW.path IS NOT OLD.path BEGIN
    UPDATE agents SET worktree_path = NEW.path WHERE assigned_worktree = NEW.name;
END;

UPDATE agents SET worktree_path = (SELECT path FROM worktrees WHERE name = assigned_worktree)
WHERE worktree_path IS NOT (SELECT path FROM worktrees WHERE name = assigned_worktree);
