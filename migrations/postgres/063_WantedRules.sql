-- Rules that a person wants in the configuration, until the first host has written them. As on SQLite.

CREATE TABLE wanted_rules (
    request_id bigint PRIMARY KEY,
    FOREIGN KEY (request_id) REFERENCES requests(id) DEFERRABLE
);
