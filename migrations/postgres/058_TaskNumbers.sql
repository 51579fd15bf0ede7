-- The server counts only the numbers that it gives itself: after a task with a number of its own, as those of an imported
-- board have, the next one gets a higher one.

CREATE FUNCTION continue_tasks_after(number bigint) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    PERFORM setval(pg_get_serial_sequence('tasks', 'id'), greatest(number, (SELECT max(id) FROM tasks)));
END $$;
