import { briefFor, notesOf, renderBrief } from '../../memory/project-memory/brief.ts'
import { memoryPlace } from '../../memory/working-memory/paths.ts'
import { WorkingMemoryStore } from '../../memory/working-memory/store.ts'
import { withFileLock } from '../../operations/perform/file-lock.ts'
import type { World } from '../world.ts'

/**
 * The summary of project and working memory for an agent that is about to start (seed 001's short-term brief), as text
 * within the budget; empty if there are no memories. The prompt already contains its task and earlier attempts.
 */
export const shortTermFor = ({ core }: World, agentId: string): string => {
  const place = { root: core.root, lock: withFileLock, clock: core.clock, owners: core.settings.memory.owners }
  const notes = new WorkingMemoryStore(memoryPlace(core.root, process.env), withFileLock)
  return renderBrief(
    briefFor(
      place,
      agentId,
      notesOf(() => notes.read(agentId)),
    ),
  ).text
}
