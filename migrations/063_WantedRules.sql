-- Rules that a person wants in the configuration, until the first host has written them: a request may be answered from
-- any host, and a process may die between an answer and the file.
-- A changed script is run again, so every statement here can be repeated.

CREATE TABLE IF NOT EXISTS wanted_rules (
    request_id INTEGER PRIMARY KEY,
    FOREIGN KEY (request_id) REFERENCES requests(id)
);
