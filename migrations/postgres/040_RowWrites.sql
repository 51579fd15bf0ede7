-- Writes that touch one agent and one task run beside each other. What followers read by number (events, notes) must all
-- the same become visible in the order of its numbers: whoever adds such a row waits in line until it has committed, and
-- takes its number only then.

CREATE FUNCTION wait_in_line(board text) RETURNS void LANGUAGE sql VOLATILE
AS $$ SELECT pg_advisory_xact_lock(hashtextextended('aiswarm-line:' || board, 0)) $$;

CREATE FUNCTION note_in_line() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM wait_in_line(TG_TABLE_SCHEMA);
    RETURN NULL;
END $$;
-- A statement's trigger comes before the numbers of its rows are taken.
CREATE TRIGGER task_logs_in_line BEFORE INSERT ON task_logs FOR EACH STATEMENT EXECUTE FUNCTION note_in_line();

-- Adds an event, and seals it as src/db/event-chain.ts does: the hash of a JSON array of the hash before and the columns.
CREATE FUNCTION append_event(at text, actor text, operation text, task_id bigint, agent_id text, worktree text, details text)
RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    number bigint;
    before text;
BEGIN
    PERFORM wait_in_line(current_schema());
    INSERT INTO events (at, actor, operation, task_id, agent_id, worktree, details)
        VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id INTO number;
    SELECT hash INTO before FROM event_chain ORDER BY event_id DESC LIMIT 1;
    INSERT INTO event_chain (event_id, hash) VALUES (number, encode(sha256(convert_to(
        '[' || to_json(coalesce(before, 'start')) || ',' || number || ',' || to_json($1) || ',' || to_json($2) || ',' || to_json($3)
            || ',' || coalesce($4::text, 'null') || ',' || coalesce(to_json($5)::text, 'null')
            || ',' || coalesce(to_json($6)::text, 'null') || ',' || coalesce(to_json($7)::text, 'null') || ']', 'UTF8')), 'hex'))
    -- A reused id means that an event was deleted by hand: the chain is broken, and work continues.
    ON CONFLICT (event_id) DO UPDATE SET hash = excluded.hash;
END $$;
