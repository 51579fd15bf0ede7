import { join } from 'node:path'
import { milliseconds } from '../../domain/words/time.ts'
import { listMemoryNames } from '../../memory/file-system.ts'
import { describeFile } from '../../memory/session-files/file-names.ts'
import { isHome } from '../../operations/perform/core.ts'
import { perform } from '../../operations/perform/perform.ts'
import { readFileWriters } from '../../operations/tasks/file-reports.ts'
import type { World } from '../world.ts'
import { readLast, readOne } from './report-file.ts'
import { nothingSeen, type Seen } from './seen-files.ts'

/**
 * Reads new content in the files of all agents that hold a task. Returns after how many ms a file must be checked again
 * because it may still be being written; undefined if there is none.
 */
export const readReports = async (world: World, seen: Seen): Promise<number | undefined> => {
  const { core, actor } = world
  const { sessionId, startedAt, writers, agentIds } = await perform(core, readFileWriters, {}, actor)
  let again: number | undefined
  for (const folder of new Set([
    // Those of another clone are only what was committed.
    ...(isHome(core) ? [join(core.root, world.memory.basePath)] : []),
    ...writers.map((writer) => join(writer.folder, world.memory.basePath)),
  ])) {
    for (const name of listMemoryNames(folder)) {
      const file = describeFile(name)
      if (!file || !('agent' in file)) continue
      const writer = writers.find(({ agentId }) => agentId === file.agent)
      if (file.session !== null && file.session !== sessionId) continue
      const later = await readOne(
        world,
        seen,
        {
          path: join(folder, name),
          name,
          kind: file.kind,
          writer,
          sessionId,
          known: agentIds.includes(file.agent),
          since: startedAt === null ? Infinity : milliseconds(startedAt),
        },
        false,
      )
      if (later !== undefined) again = Math.min(again ?? Infinity, later)
    }
  }
  return again
}

/** Reads the files of one agent whose process has ended: their content is final. */
export const readLastReports = async (world: World, agentId: string): Promise<void> => {
  const { sessionId, writers } = await perform(world.core, readFileWriters, {}, world.actor)
  const seen = nothingSeen()
  for (const writer of writers.filter((one) => one.agentId === agentId)) {
    for (const kind of ['progress', 'result'] as const) await readLast(world, seen, writer, kind, sessionId)
  }
}
