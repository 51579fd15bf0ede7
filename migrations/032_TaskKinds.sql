-- The agent kind that a task's metadata names ({"cli": "gemini"}): no query has to read JSON for it, which every engine
-- does in its own way.
-- A changed script is run again, so every statement here can be repeated. SQLite knows no IF NOT EXISTS for columns;
-- the migrator carries out that line.

ALTER TABLE tasks ADD COLUMN IF NOT EXISTS cli TEXT;

UPDATE tasks SET cli = nullif(json_extract(metadata, '$.cli'), '')
WHERE CASE WHEN json_valid(metadata) THEN json_type(metadata, '$.cli') END = 'text';
