-- A program that is older than the board finds that out in each write, also if it has had the board open before the board
-- was migrated, and says which version it takes.

-- The version that writes to the board, by the program that migrated it last.
ALTER TABLE board ADD COLUMN IF NOT EXISTS min_program text COLLATE "C";
-- The version that reads the board; a script that drops or renames what older programs read sets it.
ALTER TABLE board ADD COLUMN IF NOT EXISTS min_reader text COLLATE "C";

DROP FUNCTION IF EXISTS open_write(text, bigint, text, text, text, bigint, boolean);

-- As before (057_OpenWrite.sql), with the number of the newest script.
CREATE FUNCTION open_write(board text, board_lock bigint, patience text, idle text, agent text, task bigint, fold boolean,
    OUT at text, OUT xid text, OUT moved text, OUT script bigint) LANGUAGE plpgsql VOLATILE AS $$
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
    SELECT moved_to, (SELECT max(id) FROM migration_history) INTO moved, script FROM board;
    xid := pg_current_xact_id()::text;
    at := board_now();
END $$;
