-- Mail: messages of agents to agents, to a planner and to the person. As on SQLite.

ALTER TABLE agent_messages ADD COLUMN IF NOT EXISTS sent_to text COLLATE "C";

CREATE INDEX IF NOT EXISTS idx_agent_messages_unread ON agent_messages(agent_id, id) WHERE ended_at IS NULL AND sent_to IS NOT NULL;
CREATE INDEX IF NOT EXISTS idx_agent_messages_sent ON agent_messages(author, id) WHERE sent_to IS NOT NULL;
