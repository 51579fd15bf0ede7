import type { Kysely } from 'kysely'
import type { Schema } from '../schema/schema.ts'

/** Builds and runs statements on the rows of a board, whichever engine stores them. */
export type Db = Kysely<Schema>

/** True if the engine has a function of its own that adds an event and seals it (`append_event`). */
export const sealsEvents = (db: Db): boolean => 'sealsEvents' in db.getExecutor().adapter

/** True if the engine counts only the numbers that it has given to rows itself, so that one that was chosen would come again. */
export const countsOwnNumbers = (db: Db): boolean => 'countsOwnNumbers' in db.getExecutor().adapter

/** True if one statement of the engine may insert rows of several tables, the later with numbers of the former. */
export const insertsInOne = (db: Db): boolean => 'insertsInOne' in db.getExecutor().adapter
