import { readFileSync } from 'node:fs'
import type { Report, Trail } from '../../agents/reading/report.ts'
import { maskSecrets } from '../../domain/words/secrets.ts'
import { memoryUser } from '../../memory/dual-memory/user.ts'
import { perform } from '../../operations/perform/perform.ts'
import type { RunMemory } from '../../operations/memory/dual-memory.ts'
import type { AgentRun } from '../../operations/supervision/wishes.ts'
import { readRun } from '../../operations/runs/reports.ts'
import { readOutput } from '../processes/output.ts'
import { outputPath, runPath } from '../files/paths.ts'
import type { World } from '../world.ts'

/** The most bytes of a plain-text output that are kept as an answer. */
const LONGEST_ANSWER = 40_000

/** The memory of an ended run (seed 003): its prompt, its last answer, its actions. */
export const memoryOf = async (
  world: World,
  run: AgentRun,
  said: { readonly report: Report; readonly trail: Trail } | undefined,
): Promise<RunMemory> => {
  const masked = (text: string): string => maskSecrets(text, [world.core.launchToken(run.agentId, run.run)])
  const answer = said ? (said.report.said ?? said.report.ended?.sentence ?? '') : await lastOutput(world, run)
  return {
    userId: memoryUser(process.env),
    prompt: promptFor(world, run),
    answer: masked(answer),
    toolsUsed: said?.trail.tools ?? [],
    toolsLeft: said?.trail.left ?? 0,
    errors: (said?.trail.mishaps ?? []).map(({ kind, tool, about }) => ({
      error_type: kind,
      error_message: masked(about),
      tool,
    })),
  }
}

/** The prompt of a run that could not be started; empty if none was written. */
export const promptFor = ({ core }: World, run: AgentRun): string =>
  maskSecrets(promptOf(core.root, run), [core.launchToken(run.agentId, run.run)])

/** The prompt that the launcher wrote; empty if the run only has a command. */
const promptOf = (root: string, run: AgentRun): string => {
  for (const what of ['stdin', 'prompt'] as const) {
    try {
      return readFileSync(runPath(root, run.agentId, run.run, what), 'utf8')
    } catch {
      // The prompt was passed in another way.
    }
  }
  return ''
}

/** The end of the run's output. */
const lastOutput = async ({ core, actor }: World, run: AgentRun): Promise<string> => {
  const path = outputPath(core.root, run.agentId)
  const { outputOffset } = await perform(core, readRun, { agentId: run.agentId, run: run.run }, actor)
  const { text, next, size } = await readOutput(path, { offset: outputOffset })
  return (next < size ? (await readOutput(path, { tail: LONGEST_ANSWER })).text : text).trim()
}
