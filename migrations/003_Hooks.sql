-- What `on:` of the configuration has still to be told. Deliveries are made from `events`, so that nothing is lost
-- while nobody supervises or a receiver is down. A changed script is run again, so every statement here can be repeated.

-- One row a hook of the configuration. `key` is a hash of event, kind and command or address, so that neither an address
-- with a secret in it nor a header is kept here. Events up to `after_event` have been looked at.
CREATE TABLE IF NOT EXISTS hooks (
    key TEXT PRIMARY KEY,
    event TEXT NOT NULL CHECK (event IN ('task.completed', 'task.failed', 'worktree.integrated')),
    after_event INTEGER NOT NULL CHECK (after_event >= 0),
    seen_at TEXT NOT NULL
) WITHOUT ROWID;

-- One row a thing to tell. `payload` is the JSON as it is sent, made once, so that every try says the same.
CREATE TABLE IF NOT EXISTS hook_deliveries (
    id TEXT PRIMARY KEY,
    hook TEXT NOT NULL,
    event_id INTEGER NOT NULL,
    task_id INTEGER,
    worktree TEXT,
    payload TEXT NOT NULL,
    planned_at TEXT NOT NULL,
    tries INTEGER NOT NULL DEFAULT 0 CHECK (tries >= 0),
    next_try_at TEXT,
    last_error TEXT,
    delivered_at TEXT,
    given_up_at TEXT,
    FOREIGN KEY (hook) REFERENCES hooks(key),
    CHECK ((task_id IS NULL) <> (worktree IS NULL)),
    CHECK ((next_try_at IS NULL) = (delivered_at IS NOT NULL OR given_up_at IS NOT NULL)),
    CHECK (delivered_at IS NULL OR given_up_at IS NULL),
    CHECK (given_up_at IS NULL OR last_error IS NOT NULL)
);
CREATE INDEX IF NOT EXISTS idx_hook_deliveries_open ON hook_deliveries(hook, tries, event_id) WHERE next_try_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS idx_hook_deliveries_ended ON hook_deliveries(planned_at) WHERE next_try_at IS NULL;
CREATE INDEX IF NOT EXISTS idx_hook_deliveries_hook ON hook_deliveries(hook);
