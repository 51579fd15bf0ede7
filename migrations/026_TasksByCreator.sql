-- How many open tasks a creator has is asked with every task that an agent puts on the board.
-- A changed script is run again, so every statement here can be repeated.

CREATE INDEX IF NOT EXISTS idx_tasks_created_by ON tasks(created_by);
