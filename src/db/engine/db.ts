import type { Kysely } from 'kysely'
import type { Schema } from '../schema/schema.ts'

/** Builds and runs statements on the rows of a board, whichever engine stores them. */
export type Db = Kysely<Schema>
