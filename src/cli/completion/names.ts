import { safeText } from '../../domain/words/safe-text.ts'
import { listAgents } from '../../operations/agents/list.ts'
import { listPersonas } from '../../operations/agents/personas.ts'
import { act } from '../../operations/perform/perform.ts'
import { listRequests } from '../../operations/requests/requests.ts'
import { listSessions } from '../../operations/sessions/sessions.ts'
import { listTasks } from '../../operations/tasks/list.ts'
import { getWorktreeStatus } from '../../operations/worktrees/status.ts'
import type { Connection } from '../../operations/perform/core.ts'
import type { Named } from '../call/words.ts'

/** A name that a command accepts, and what a person knows it by. */
export interface Name {
  readonly name: string
  readonly about: string
}

/** The existing names of one sort, those that a person is most likely to mean first. */
export const namesOf = (sort: Named, connection: Connection): Promise<readonly Name[]> => readers[sort](connection)

const readers: Record<Named, (connection: Connection) => Promise<readonly Name[]>> = {
  tasks: async (connection) => {
    const tasks = await act(connection, listTasks, {})
    const open = (status: string): boolean => !['completed', 'cancelled'].includes(status)
    return [...tasks]
      .sort((a, b) => Number(open(b.status)) - Number(open(a.status)) || b.id - a.id)
      .map(({ id, status, title }) => ({ name: String(id), about: `${status.replace('_', ' ')}: ${title}` }))
  },
  worktrees: async (connection) =>
    (await act(connection, getWorktreeStatus, {})).map(({ name, status, branchName }) => ({
      name,
      about: `${status}: ${branchName}`,
    })),
  agents: async (connection) =>
    (await act(connection, listAgents, {})).map(({ id, status, personaId }) => ({
      name: id,
      about: `${status}: ${personaId}`,
    })),
  personas: async (connection) =>
    (await act(connection, listPersonas, {})).map(({ id, name }) => ({ name: id, about: name })),
  sessions: async (connection) =>
    (await act(connection, listSessions, {})).map(({ id, status, goal }) => ({
      name: id,
      about: goal === null ? status : `${status}: ${goal}`,
    })),
  requests: async (connection) =>
    (await act(connection, listRequests, {})).map(({ id, agentId, subject }) => ({
      name: String(id),
      about: `${agentId}: ${subject}`,
    })),
}

/** A name and its description per line, separated by a tab, as fish reads them. */
export const namesText = (names: readonly Name[]): string =>
  names.map(({ name, about }) => `${name}\t${oneLine(about)}`).join('\n')

const oneLine = (about: string): string => safeText(about.replace(/\s+/g, ' ').slice(0, MOST))

/** Characters of a description. */
const MOST = 80
