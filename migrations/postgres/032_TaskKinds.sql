-- The agent kind that a task's metadata names ({"cli": "gemini"}), as on SQLite. No board is older than this column.

ALTER TABLE tasks ADD COLUMN IF NOT EXISTS cli text COLLATE "C";
