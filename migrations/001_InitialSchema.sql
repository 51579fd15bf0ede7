-- The whole schema of seed 004 (its two drafts united) and what its interfaces need besides.
-- A changed script is run again (seed 004, hash-based tracking), so every statement here can be repeated.
-- Times are YYYY-MM-DDTHH:MM:SS.sssZ. Every pair of columns that must agree has a CHECK.

CREATE TABLE IF NOT EXISTS migration_history (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    migration_name TEXT NOT NULL UNIQUE,
    script_hash TEXT NOT NULL,
    applied_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
    execution_time_ms INTEGER NOT NULL,
    success BOOLEAN NOT NULL DEFAULT 1,
    reason TEXT
);
CREATE INDEX IF NOT EXISTS idx_migration_name ON migration_history(migration_name);
CREATE INDEX IF NOT EXISTS idx_migration_applied_at ON migration_history(applied_at);

-- Every row that migration_history held before a re-run replaced it.
CREATE TABLE IF NOT EXISTS migration_audit (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    migration_name TEXT NOT NULL,
    script_hash TEXT NOT NULL,
    applied_at DATETIME NOT NULL,
    execution_time_ms INTEGER NOT NULL,
    success BOOLEAN NOT NULL,
    reason TEXT,
    replaced_at TEXT NOT NULL
);

CREATE TABLE IF NOT EXISTS personas (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    role TEXT NOT NULL DEFAULT 'worker' CHECK (role IN ('planner', 'worker', 'person')),
    definition TEXT NOT NULL,
    -- where the definition in force came from, and the hash of the file it was read from
    source TEXT NOT NULL DEFAULT 'set' CHECK (source IN ('built-in', 'file', 'set')),
    source_hash TEXT,
    created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    updated_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
);

CREATE TABLE IF NOT EXISTS sessions (
    id TEXT PRIMARY KEY,
    goal TEXT,
    status TEXT NOT NULL DEFAULT 'running' CHECK (status IN ('running', 'completed', 'failed', 'aborted')),
    started_at TEXT NOT NULL,
    ended_at TEXT,
    paused_at TEXT,
    summary TEXT,
    metadata TEXT,
    CHECK ((status = 'running') = (ended_at IS NULL)),
    CHECK (status = 'running' OR paused_at IS NULL)
);
-- At most one session runs at a time.
CREATE UNIQUE INDEX IF NOT EXISTS idx_sessions_running ON sessions(status) WHERE status = 'running';

CREATE TABLE IF NOT EXISTS agents (
    id TEXT PRIMARY KEY,
    persona_id TEXT NOT NULL,
    kind TEXT NOT NULL DEFAULT 'external',
    assigned_worktree TEXT,
    parent_agent_id TEXT,
    registered_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    last_heartbeat TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'idle', 'offline', 'terminated')),
    token_hash TEXT,
    -- The process: none (registered by itself), waiting (ours, no task to run yet), wanted (start run N),
    -- started (run N is recorded), ended (ours, and over).
    process TEXT NOT NULL DEFAULT 'none' CHECK (process IN ('none', 'waiting', 'wanted', 'started', 'ended')),
    run INTEGER NOT NULL DEFAULT 0,
    task_id INTEGER,
    once INTEGER NOT NULL DEFAULT 0 CHECK (once IN (0, 1)),
    process_id INTEGER,
    process_started_at TEXT,
    boot_id TEXT,
    exit_code INTEGER,
    launch_error TEXT,
    environment TEXT,
    stop_requested_at TEXT,
    stop_reason TEXT,
    ended_at TEXT,
    usage TEXT,
    metadata TEXT,
    FOREIGN KEY (persona_id) REFERENCES personas(id),
    FOREIGN KEY (parent_agent_id) REFERENCES agents(id),
    FOREIGN KEY (assigned_worktree) REFERENCES worktrees(name),
    FOREIGN KEY (task_id) REFERENCES tasks(id),
    CHECK (process <> 'started' OR (process_id IS NOT NULL AND process_started_at IS NOT NULL AND boot_id IS NOT NULL)),
    CHECK ((status = 'terminated') = (ended_at IS NOT NULL)),
    CHECK (status <> 'terminated' OR process IN ('none', 'ended')),
    CHECK (process NOT IN ('wanted', 'started') OR run > 0)
);
CREATE INDEX IF NOT EXISTS idx_agents_persona ON agents(persona_id);
CREATE INDEX IF NOT EXISTS idx_agents_last_heartbeat ON agents(last_heartbeat);
CREATE INDEX IF NOT EXISTS idx_agents_live ON agents(id) WHERE status <> 'terminated';
CREATE INDEX IF NOT EXISTS idx_agents_ended ON agents(ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE IF NOT EXISTS worktrees (
    name TEXT PRIMARY KEY,
    branch_name TEXT NOT NULL,
    source_branch TEXT NOT NULL DEFAULT 'main',
    created_by TEXT NOT NULL,
    created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'integrated', 'discarded')),
    integration_target TEXT,
    path TEXT NOT NULL,
    -- What the folder still waits for: building, ready, leaving (to be archived and removed), gone.
    folder TEXT NOT NULL DEFAULT 'building' CHECK (folder IN ('building', 'ready', 'leaving', 'gone')),
    base_oid TEXT,
    discard_reason TEXT,
    archive_ref TEXT,
    trash_path TEXT,
    ended_at TEXT,
    FOREIGN KEY (created_by) REFERENCES agents(id),
    CHECK ((status = 'active') = (ended_at IS NULL)),
    CHECK ((status = 'discarded') = (discard_reason IS NOT NULL)),
    CHECK ((status = 'active') = (folder IN ('building', 'ready')))
);
-- Two live worktrees never share a branch or a folder.
CREATE UNIQUE INDEX IF NOT EXISTS idx_worktrees_live_branch ON worktrees(branch_name) WHERE folder <> 'gone';
CREATE UNIQUE INDEX IF NOT EXISTS idx_worktrees_live_path ON worktrees(path) WHERE folder <> 'gone';

-- Immutable task definitions
CREATE TABLE IF NOT EXISTS tasks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    title TEXT NOT NULL CHECK (length(title) > 0),
    description TEXT NOT NULL,
    persona_id TEXT NOT NULL,
    context_ref TEXT,
    priority INTEGER NOT NULL DEFAULT 0,
    target_worktree TEXT,
    parent_task_id INTEGER,
    command TEXT,
    session_id TEXT,
    created_by TEXT,
    created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    metadata TEXT,
    FOREIGN KEY (persona_id) REFERENCES personas(id),
    FOREIGN KEY (target_worktree) REFERENCES worktrees(name),
    FOREIGN KEY (parent_task_id) REFERENCES tasks(id),
    FOREIGN KEY (session_id) REFERENCES sessions(id),
    FOREIGN KEY (created_by) REFERENCES agents(id),
    CHECK (parent_task_id IS NULL OR parent_task_id <> id)
);
CREATE INDEX IF NOT EXISTS idx_task_status_persona ON tasks(persona_id);
CREATE INDEX IF NOT EXISTS idx_tasks_worktree ON tasks(target_worktree);
CREATE INDEX IF NOT EXISTS idx_tasks_parent ON tasks(parent_task_id);

-- Mutable task execution state
CREATE TABLE IF NOT EXISTS task_status (
    task_id INTEGER PRIMARY KEY,
    status TEXT NOT NULL CHECK (status IN ('pending', 'claimed', 'in_progress', 'completed', 'failed', 'cancelled')),
    assigned_agent_id TEXT,
    claimed_at TEXT,
    started_at TEXT,
    completed_at TEXT,
    lease_expires_at TEXT,
    result_data TEXT,
    error_message TEXT,
    retry_count INTEGER NOT NULL DEFAULT 0 CHECK (retry_count >= 0),
    attempt INTEGER NOT NULL DEFAULT 0 CHECK (attempt >= 0),
    not_before TEXT,
    progress_percent INTEGER CHECK (progress_percent BETWEEN 0 AND 100),
    progressed_at TEXT,
    artifacts TEXT,
    command_allowed INTEGER NOT NULL DEFAULT 1 CHECK (command_allowed IN (0, 1)),
    changed_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    FOREIGN KEY (task_id) REFERENCES tasks(id),
    FOREIGN KEY (assigned_agent_id) REFERENCES agents(id),
    CHECK ((status IN ('claimed', 'in_progress')) = (lease_expires_at IS NOT NULL)),
    CHECK (status NOT IN ('claimed', 'in_progress') OR (assigned_agent_id IS NOT NULL AND attempt > 0)),
    CHECK (status <> 'pending' OR assigned_agent_id IS NULL),
    CHECK (status <> 'in_progress' OR started_at IS NOT NULL),
    CHECK (status NOT IN ('completed', 'failed', 'cancelled') OR completed_at IS NOT NULL),
    CHECK (not_before IS NULL OR status = 'pending')
);
CREATE INDEX IF NOT EXISTS idx_task_status_status ON task_status(status);
CREATE INDEX IF NOT EXISTS idx_task_status_not_before ON task_status(not_before) WHERE not_before IS NOT NULL;
CREATE INDEX IF NOT EXISTS idx_task_status_command ON task_status(task_id) WHERE command_allowed = 0;
CREATE INDEX IF NOT EXISTS idx_task_status_agent ON task_status(assigned_agent_id) WHERE status IN ('claimed', 'in_progress');

-- How many tasks are in each state, kept by triggers: the header shows it after every change, and a scan of
-- 100,000 tasks would cost more than all the rest of a refresh.
CREATE TABLE IF NOT EXISTS task_counts (
    status TEXT PRIMARY KEY,
    tasks INTEGER NOT NULL
) WITHOUT ROWID;
DELETE FROM task_counts;
INSERT INTO task_counts (status, tasks)
    SELECT state.column1, (SELECT count(*) FROM task_status WHERE status = state.column1)
    FROM (VALUES ('pending'), ('claimed'), ('in_progress'), ('completed'), ('failed'), ('cancelled')) AS state;
CREATE TRIGGER IF NOT EXISTS task_counts_insert AFTER INSERT ON task_status BEGIN
    UPDATE task_counts SET tasks = tasks + 1 WHERE status = NEW.status;
END;
CREATE TRIGGER IF NOT EXISTS task_counts_update AFTER UPDATE OF status ON task_status WHEN OLD.status <> NEW.status BEGIN
    UPDATE task_counts SET tasks = tasks - 1 WHERE status = OLD.status;
    UPDATE task_counts SET tasks = tasks + 1 WHERE status = NEW.status;
END;
CREATE TRIGGER IF NOT EXISTS task_counts_delete AFTER DELETE ON task_status BEGIN
    UPDATE task_counts SET tasks = tasks - 1 WHERE status = OLD.status;
END;

CREATE TABLE IF NOT EXISTS task_dependencies (
    task_id INTEGER NOT NULL,
    depends_on INTEGER NOT NULL,
    PRIMARY KEY (task_id, depends_on),
    FOREIGN KEY (task_id) REFERENCES tasks(id),
    FOREIGN KEY (depends_on) REFERENCES tasks(id),
    CHECK (task_id <> depends_on)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS idx_task_dependencies_on ON task_dependencies(depends_on);

CREATE TABLE IF NOT EXISTS task_criteria (
    task_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    text TEXT NOT NULL,
    met INTEGER NOT NULL DEFAULT 0 CHECK (met IN (0, 1)),
    PRIMARY KEY (task_id, position),
    FOREIGN KEY (task_id) REFERENCES tasks(id)
) WITHOUT ROWID;

-- One row an attempt: who held the task, when, and how it ended.
CREATE TABLE IF NOT EXISTS task_attempts (
    task_id INTEGER NOT NULL,
    attempt INTEGER NOT NULL CHECK (attempt > 0),
    agent_id TEXT NOT NULL,
    claimed_at TEXT NOT NULL,
    started_at TEXT,
    ended_at TEXT,
    outcome TEXT CHECK (outcome IN ('completed', 'failed', 'cancelled', 'lost', 'terminated', 'not_started')),
    error TEXT,
    tokens_in INTEGER,
    tokens_out INTEGER,
    cost_usd REAL,
    PRIMARY KEY (task_id, attempt),
    FOREIGN KEY (task_id) REFERENCES tasks(id),
    FOREIGN KEY (agent_id) REFERENCES agents(id),
    CHECK ((outcome IS NULL) = (ended_at IS NULL))
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS idx_task_attempts_agent ON task_attempts(agent_id);

CREATE TABLE IF NOT EXISTS task_logs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    task_id INTEGER NOT NULL,
    agent_id TEXT NOT NULL,
    level TEXT NOT NULL CHECK (level IN ('debug', 'info', 'warn', 'error')),
    message TEXT NOT NULL,
    attempt INTEGER,
    percent INTEGER CHECK (percent BETWEEN 0 AND 100),
    logged_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    FOREIGN KEY (task_id) REFERENCES tasks(id),
    FOREIGN KEY (agent_id) REFERENCES agents(id)
);
CREATE INDEX IF NOT EXISTS idx_task_logs_task_id ON task_logs(task_id);
CREATE INDEX IF NOT EXISTS idx_task_logs_agent ON task_logs(agent_id);

CREATE TABLE IF NOT EXISTS integrations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    worktree TEXT NOT NULL,
    target TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'requested' CHECK (status IN
        ('requested', 'conflicted', 'verifying', 'unverified', 'ready', 'approved', 'moving', 'integrated', 'rejected')),
    approval TEXT NOT NULL DEFAULT 'human' CHECK (approval IN ('human', 'auto')),
    requested_by TEXT NOT NULL,
    requested_at TEXT NOT NULL,
    target_oid TEXT,
    branch_oid TEXT,
    merge_oid TEXT,
    conflicts TEXT,
    verification TEXT,
    approved_by TEXT,
    approved_at TEXT,
    problem TEXT,
    ended_at TEXT,
    FOREIGN KEY (worktree) REFERENCES worktrees(name),
    FOREIGN KEY (requested_by) REFERENCES agents(id),
    FOREIGN KEY (approved_by) REFERENCES agents(id),
    CHECK (status NOT IN ('verifying', 'unverified', 'ready', 'approved', 'moving', 'integrated')
        OR (target_oid IS NOT NULL AND branch_oid IS NOT NULL AND merge_oid IS NOT NULL)),
    CHECK (status NOT IN ('approved', 'moving', 'integrated') OR (approved_by IS NOT NULL AND approved_at IS NOT NULL)),
    CHECK ((status IN ('integrated', 'rejected')) = (ended_at IS NOT NULL))
);
-- One open integration a worktree.
CREATE UNIQUE INDEX IF NOT EXISTS idx_integrations_open ON integrations(worktree) WHERE ended_at IS NULL;

-- What happened, one row an operation (heartbeats excepted).
CREATE TABLE IF NOT EXISTS events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    actor TEXT NOT NULL,
    operation TEXT NOT NULL,
    task_id INTEGER,
    agent_id TEXT,
    worktree TEXT,
    details TEXT
);
CREATE INDEX IF NOT EXISTS idx_events_task ON events(task_id) WHERE task_id IS NOT NULL;

-- Exclusive roles held by one process at a time: the supervisor, the worktree builder, an integration.
CREATE TABLE IF NOT EXISTS leases (
    name TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    holder_pid INTEGER NOT NULL,
    term INTEGER NOT NULL DEFAULT 1,
    acquired_at TEXT NOT NULL,
    expires_at TEXT NOT NULL
);

-- A person acts as the built-in agent human; the program itself as aiswarm. Lists leave both out.
INSERT OR IGNORE INTO personas (id, name, role, definition, source) VALUES ('human', 'Human', 'person', 'A person at the console or the command line.', 'built-in');
INSERT OR IGNORE INTO agents (id, persona_id, kind) VALUES ('human', 'human', 'person');
INSERT OR IGNORE INTO agents (id, persona_id, kind) VALUES ('aiswarm', 'human', 'system');
