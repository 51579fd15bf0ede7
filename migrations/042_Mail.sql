-- Mail: messages of agents to agents, to a planner and to the person. `sent_to` is the address as it was given; NULL is a
-- message that a person or a planner says to an agent.
-- A changed script is run again, so every statement here can be repeated.

ALTER TABLE agent_messages ADD COLUMN IF NOT EXISTS sent_to TEXT;

CREATE INDEX IF NOT EXISTS idx_agent_messages_unread ON agent_messages(agent_id, id) WHERE ended_at IS NULL AND sent_to IS NOT NULL;
CREATE INDEX IF NOT EXISTS idx_agent_messages_sent ON agent_messages(author, id) WHERE sent_to IS NOT NULL;
