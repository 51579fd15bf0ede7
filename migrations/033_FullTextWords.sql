-- The words of the dual memory's texts are cut by aiswarm itself, so that every engine finds the same: the triggers that gave
-- the full-text tables whole texts go. A changed script is run again, so every statement here can be repeated.

DROP TRIGGER IF EXISTS conversation_texts_insert;
DROP TRIGGER IF EXISTS execution_texts_insert;
