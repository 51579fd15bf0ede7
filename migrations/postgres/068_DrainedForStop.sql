-- A host that is drained only because its worker is to end starts work again with its next worker; one that a person has
-- drained stays so. As on SQLite.

-- When the drain was asked for that ends with the next worker; NULL: a person resumes the host, or it is not drained.
ALTER TABLE hosts ADD COLUMN IF NOT EXISTS stopping_at text COLLATE "C";
