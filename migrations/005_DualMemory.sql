-- Seed 003: what was said, and what was done for it. The two are linked by the message id, which either may bring first.
-- What a search passes over lies apart from the texts, which may be long: a hundred rows a page instead of one.
-- Nothing is ever changed or removed, so the full-text tables need no triggers but those of insertion.

CREATE TABLE IF NOT EXISTS conversations (
    id INTEGER PRIMARY KEY,
    -- any text that MEMORY_USER_ID may hold
    user_id TEXT NOT NULL CHECK (user_id <> ''),
    message_id TEXT NOT NULL CHECK (message_id <> ''),
    at TEXT NOT NULL,
    recorded_at TEXT NOT NULL,
    UNIQUE (user_id, message_id)
);

CREATE TABLE IF NOT EXISTS conversation_texts (
    conversation_id INTEGER PRIMARY KEY,
    user_input TEXT NOT NULL CHECK (user_input <> ''),
    agent_response TEXT NOT NULL CHECK (agent_response <> ''),
    -- JSON; null where none was given
    meta_data TEXT,
    FOREIGN KEY (conversation_id) REFERENCES conversations(id)
);

CREATE TABLE IF NOT EXISTS executions (
    id INTEGER PRIMARY KEY,
    user_id TEXT NOT NULL CHECK (user_id <> ''),
    message_id TEXT NOT NULL CHECK (message_id <> ''),
    at TEXT NOT NULL,
    recorded_at TEXT NOT NULL,
    success INTEGER NOT NULL CHECK (success IN (0, 1)),
    duration_ms INTEGER CHECK (duration_ms >= 0),
    UNIQUE (user_id, message_id)
);

CREATE TABLE IF NOT EXISTS execution_texts (
    execution_id INTEGER PRIMARY KEY,
    execution_summary TEXT NOT NULL CHECK (execution_summary <> ''),
    observations TEXT NOT NULL,
    -- JSON: names in the order of their calls; what went wrong
    tools_used TEXT NOT NULL,
    errors TEXT NOT NULL,
    meta_data TEXT,
    FOREIGN KEY (execution_id) REFERENCES executions(id)
);

-- The words of both, without the texts, which the tables above hold; rowid is the id there.
CREATE VIRTUAL TABLE IF NOT EXISTS conversation_words USING fts5(user_input, agent_response, content = '', tokenize = 'unicode61');
CREATE VIRTUAL TABLE IF NOT EXISTS execution_words USING fts5(execution_summary, observations, tools_used, errors, content = '', tokenize = 'unicode61');

CREATE TRIGGER IF NOT EXISTS conversation_texts_insert AFTER INSERT ON conversation_texts BEGIN
    INSERT INTO conversation_words (rowid, user_input, agent_response) VALUES (new.conversation_id, new.user_input, new.agent_response);
END;

-- Of the JSON only what it says: a search for "tool" is not to find every record whose errors have a key of that name.
CREATE TRIGGER IF NOT EXISTS execution_texts_insert AFTER INSERT ON execution_texts BEGIN
    INSERT INTO execution_words (rowid, execution_summary, observations, tools_used, errors) VALUES (
        new.execution_id,
        new.execution_summary,
        new.observations,
        (SELECT group_concat(value, ' ') FROM json_each(new.tools_used)),
        (SELECT group_concat(concat_ws(' ', value ->> 'error_type', value ->> 'error_message', value ->> 'tool'), ' ') FROM json_each(new.errors))
    );
END;
