import { readFileSync } from 'node:fs'
import type { Report } from '../agents/report.ts'
import type { Trail } from '../agents/trail.ts'
import { maskSecrets } from '../domain/secrets.ts'
import { memoryUser } from '../memory/dual-memory/user.ts'
import { perform } from '../operations/kernel/perform.ts'
import type { RunMemory } from '../operations/kernel/remember-run.ts'
import type { AgentRun } from '../operations/read-wishes.ts'
import { readRun } from '../operations/read-run.ts'
import { readOutput } from './output.ts'
import { outputPath, runPath } from './places.ts'
import type { World } from './world.ts'

/** As much of an output for people as an answer can hold (bytes). */
const LONGEST_ANSWER = 40_000

/** What is to be remembered of a run that is over (seed 003): what it was told, what it said last, what it did. */
export const memoryOf = async (world: World, run: AgentRun, said: { readonly report: Report; readonly trail: Trail } | undefined): Promise<RunMemory> => {
  const masked = (text: string): string => maskSecrets(text, [world.core.launchToken(run.agentId, run.run)])
  const answer = said === undefined ? await lastOutput(world, run) : (said.report.said ?? said.report.ended?.sentence ?? '')
  return {
    userId: memoryUser(process.env),
    prompt: promptFor(world, run),
    answer: masked(answer),
    toolsUsed: said?.trail.tools ?? [],
    toolsLeft: said?.trail.left ?? 0,
    errors: (said?.trail.mishaps ?? []).map(({ kind, tool, about }) => ({ error_type: kind, error_message: masked(about), tool })),
  }
}

/** What a run that could not be started would have been told; empty where it did not come to that. */
export const promptFor = ({ core }: World, run: AgentRun): string => maskSecrets(promptOf(core.root, run), [core.launchToken(run.agentId, run.run)])

/** The words that the launcher wrote for it; none where a command is all that it was given. */
const promptOf = (root: string, run: AgentRun): string => {
  for (const what of ['stdin', 'prompt'] as const) {
    try {
      return readFileSync(runPath(root, run.agentId, run.run, what), 'utf8')
    } catch {
      // It was told in another way.
    }
  }
  return ''
}

/** The end of what the run printed. */
const lastOutput = async ({ core, actor }: World, run: AgentRun): Promise<string> => {
  const path = outputPath(core.root, run.agentId)
  const { outputOffset } = await perform(core, readRun, { agentId: run.agentId, run: run.run }, actor)
  const { text, next, size } = await readOutput(path, { offset: outputOffset })
  return (next < size ? (await readOutput(path, { tail: LONGEST_ANSWER })).text : text).trim()
}
