-- Who follows the database asks for the finals that are new.

CREATE UNIQUE INDEX final_by_end ON final (held);
