-- A host that is drained only because its worker is to end starts work again with its next worker; one that a person has
-- drained stays so.
-- A changed script is run again, so every statement here can be repeated. SQLite knows no IF NOT EXISTS for columns;
-- the migrator carries out that line.

-- When the drain was asked for that ends with the next worker; NULL: a person resumes the host, or it is not drained.
ALTER TABLE hosts ADD COLUMN IF NOT EXISTS stopping_at TEXT;
