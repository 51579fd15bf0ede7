import { mostOf, refuseBeyond } from '../../domain/host/limits.ts'
import type { Session } from './server.ts'

/** Refuses one more board in the database than it is made for. Boards in schemas with names of their own are not counted. */
export const refuseMoreBoards = async (session: Session): Promise<void> => {
  const { rows } = await session.query(
    "SELECT nspname FROM pg_namespace JOIN pg_class ON relnamespace = pg_namespace.oid WHERE relname = 'migration_history' AND nspname ~ '^aiswarm_'",
    [],
  )
  refuseBeyond(
    rows.length,
    mostOf.boards,
    'boards in this database',
    "Use another database of the server ('createdb'), or remove a schema that is not used any more.",
  )
}
