-- The confinement of runs. `unconfined` says why the kernel did not confine the program of a run; NULL if it did, or if
-- an older aiswarm started it.
-- A changed script is run again, so every statement here can be repeated.

ALTER TABLE agent_runs ADD COLUMN IF NOT EXISTS unconfined TEXT;
