-- When leases, silences and requests end by a clock that nobody can set: milliseconds of the monotonic clock of one boot.
-- The instants in other tables (lease_expires_at, last_heartbeat, expires_at) say the same by the wall clock, to be shown.
-- A changed script is run again, so every statement here can be repeated.

CREATE TABLE IF NOT EXISTS deadlines (
    -- 'task': the lease of who holds it; 'agent': its silence; 'request': its wait for a person; 'role': an exclusive role
    subject TEXT NOT NULL CHECK (subject IN ('task', 'agent', 'request', 'role')),
    id TEXT NOT NULL,
    boot TEXT NOT NULL,
    ends_ms INTEGER NOT NULL,
    PRIMARY KEY (subject, id)
) WITHOUT ROWID;
