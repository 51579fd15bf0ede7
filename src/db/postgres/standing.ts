import { type Beat, type KnownHost, whyNoWrite } from '../../domain/host/heartbeat.ts'
import { mostOf, refuseBeyond } from '../../domain/rules/capacity.ts'
import type { Refusal } from '../../domain/rules/refusal.ts'
import type { HostStanding } from '../engine/store.ts'
import { explain } from './explain.ts'
import type { Server, Session } from './server.ts'

/** Why the process must not write for its host; undefined if it may, or writes for none. */
export const refuseHost = (
  standing: HostStanding | undefined,
  host: KnownHost | undefined,
  seen: Beat | undefined,
): Refusal | undefined => (standing === undefined ? undefined : whyNoWrite(host, seen))

/** The name of the connections of a host, by which the server can show and end them. */
export const sessionName = (hostId: string, version = '-'): string => `aiswarm/${version}/${hostId}`

/** Ends the connections of a host. The server lets a role end only its own, unless it may signal all. */
export const endSessions = async (server: Server, place: string, hostId: string): Promise<number> => {
  const session = await server.connect().catch((error: unknown) => {
    throw explain(error, place)
  })
  try {
    const { rows } = await session.query<{ ended: boolean }>(
      `SELECT pg_terminate_backend(pid) AS ended FROM pg_stat_activity
       WHERE application_name LIKE $1 AND pid <> pg_backend_pid()
         AND (pg_has_role(usename, 'USAGE') OR pg_has_role('pg_signal_backend', 'USAGE'))`,
      [sessionName(hostId, '%')],
    )
    return rows.filter(({ ended }) => ended).length
  } finally {
    session.release()
  }
}

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
