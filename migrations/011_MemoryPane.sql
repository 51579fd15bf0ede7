-- The console pages through what was said, newest first: without this a page of 100,000 conversations sorts them all.

CREATE INDEX IF NOT EXISTS idx_conversations_time ON conversations(user_id, at, id);
