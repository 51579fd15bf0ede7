import { basename } from 'node:path'
import { z } from 'zod'
import { isRefusal } from '../../domain/rules/refusal.ts'
import { perform } from '../../operations/door/perform.ts'
import { recordKeptNote } from '../../operations/loops/record-kept-note.ts'
import { spooled, unspool } from '../files/spool.ts'
import type { Job } from '../loops/job.ts'
import type { World } from '../world.ts'

const kept = z.looseObject({ id: z.string() })

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
