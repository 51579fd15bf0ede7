-- Opens a write: the limits of its waits, what it holds until its end, and the clock once it holds that. One function,
-- because the server parses and plans each statement of a message anew, and what a function runs only once.

CREATE FUNCTION open_write(board text, board_lock bigint, patience text, idle text, agent text, task bigint, fold boolean,
    OUT at text, OUT xid text, OUT moved text) LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    -- A pooler may give the transaction a connection on which nothing was set.
    IF current_setting('search_path') <> quote_ident(board) THEN
        PERFORM set_config('search_path', quote_ident(board), true);
    END IF;
    PERFORM set_config('lock_timeout', patience, true);
    -- A stopped process must not hold the board.
    PERFORM set_config('idle_in_transaction_session_timeout', idle, true);
    -- A commit is on the disk before it is acknowledged; a stricter setting stays.
    IF current_setting('synchronous_commit') = 'off' THEN
        PERFORM set_config('synchronous_commit', 'on', true);
    END IF;
    IF agent IS NULL THEN
        PERFORM pg_advisory_xact_lock(board_lock);
        IF fold THEN
            PERFORM fold_sums();
        END IF;
    ELSE
        PERFORM pg_advisory_xact_lock_shared(board_lock);
        -- References to a row do not wait for this lock, as they do for FOR UPDATE.
        PERFORM FROM agents WHERE agents.id = agent FOR NO KEY UPDATE;
        IF task IS NOT NULL THEN
            PERFORM FROM task_status WHERE task_status.task_id = task FOR NO KEY UPDATE;
        END IF;
    END IF;
    SELECT moved_to INTO moved FROM board;
    xid := pg_current_xact_id()::text;
    at := board_now();
END $$;
