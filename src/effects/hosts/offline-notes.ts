import { timingSafeEqual } from 'node:crypto'
import { basename } from 'node:path'
import { z } from 'zod'
import { isRefusal } from '../../domain/rules/refusal.ts'
import type { KeptNote } from '../../operations/perform/core.ts'
import { perform } from '../../operations/perform/perform.ts'
import { hashToken } from '../../operations/perform/token.ts'
import { recordKeptNote } from '../../operations/tasks/offline-notes.ts'
import { spool, spooled, unspool } from '../files/outbox.ts'
import { tokenOf } from '../files/secret.ts'
import type { Job } from '../job.ts'
import type { World } from '../world.ts'
import { rememberedHost } from './own-host.ts'

/** How often the folder of kept notes is looked at (ms). */
const LOOK = 1000

/** The notes that agents of this host made while the board could not be reached, as a source of jobs. */
export const noteJobsOf = (world: World): ((now: number) => readonly Job[]) => {
  let due = 0
  return (now) => {
    if (world.core.host === undefined || now < due) return []
    due = now + LOOK
    return spooled(world.core.root).map((path) => ({
      key: `notes ${basename(path)}`,
      run: () => unspool(path, (line) => deliver({ ...world }, line)),
    }))
  }
}

/** True if this host has notes that are not on the board. */
export const hasNotes = ({ root }: World['core']): boolean => spooled(root).length > 0

const kept = z.looseObject({ id: z.string() })

/** A line that an agent has spoilt is left out; one that was delivered before a crash has no effect. */
const deliver = async ({ core, actor, report }: World, line: string): Promise<void> => {
  try {
    const { id, ...note } = kept.parse(JSON.parse(line))
    await perform(core, recordKeptNote, note as never, actor, { requestId: id })
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof z.ZodError) && !isInvalid(error)) throw error
    report('A note that was kept on this host while the board was out of reach cannot be read, and is left out.')
  }
}

const isInvalid = (error: unknown): boolean =>
  isRefusal(error) && (error.code === 'invalid_input' || error.code === 'not_found')

/** The most runs of an agent among which the token is searched: no other process knows the number. */
const RUNS = 10_000

/**
 * Keeps the note of an agent whose command could not even open the board, since its host is cut off. The token proves
 * without the board which agent it is, because this clone has derived it. False if nothing is kept.
 */
export const keepNote = (
  root: string,
  environment: Readonly<Record<string, string | undefined>>,
  note: Omit<KeptNote, 'agentId'> & { readonly at: string },
): boolean => {
  const { AISWARM_AGENT_ID: agentId = '', AISWARM_AGENT_TOKEN: token = '' } = environment
  if (agentId === '' || token === '' || rememberedHost(root) === undefined) return false
  if (!isOurs(root, agentId, token)) return false
  return spool(root, agentId, { agentId, ...note })
}

const isOurs = (root: string, agentId: string, token: string): boolean => {
  const given = Buffer.from(hashToken(token))
  for (let run = 1; run <= RUNS; run++)
    if (timingSafeEqual(given, Buffer.from(hashToken(tokenOf(root, agentId, run))))) return true
  return false
}
