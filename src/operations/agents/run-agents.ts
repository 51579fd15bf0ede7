import { z } from 'zod'
import { selectAgent } from '../../db/agents.ts'
import { checkId } from '../../domain/rules/names.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { beginSession } from '../sessions/begin-session.ts'
import { addTask } from '../tasks/create.ts'
import type { Context } from '../perform/core.ts'
import { lazyStrictObject, text } from '../perform/schemas.ts'
import { findPersonaFor, refuseUnknownKind } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { taskView, viewTask } from '../views/tasks.ts'

const agentRun = lazyStrictObject(() => ({
  agentId: text(50),
  prompt: text(200_000).min(1, 'the prompt is empty'),
  kind: text(50).optional(),
  /** Absolute path of an existing folder; the root of the repository by default. */
  folder: text(4000).optional(),
}))

/** Seed 000: a person starts named agents, each with one attempt at its prompt. They belong to the running session. */
export const runAgents = operation({
  name: 'run_agents',
  summary: 'Run agents on prompts, one attempt each',
  access: 'write',
  authority: 'person',
  input: () => z.strictObject({ runs: z.array(agentRun()).min(1, 'name an agent to run').max(1000) }),
  output: () => z.object({ sessionId: z.string(), tasks: z.array(taskView()) }),
  run: async (context, { runs }) => {
    const { db } = context
    const session = await beginSession.run(context, {})
    const tasks: z.output<ReturnType<typeof taskView>>[] = []
    for (const run of runs) {
      await refuseUnusable(context, run)
      const draft = {
        title: titleOf(run.prompt, run.agentId),
        description: run.prompt,
        personaId: (await findPersonaFor(db, run.agentId)).id,
        priority: 0,
        dependencies: [],
        acceptanceCriteria: [],
        metadata: { agent: run.agentId, ...(run.kind === undefined ? {} : { cli: run.kind }) },
      }
      const id = await addTask(context, draft, { agentId: run.agentId, folder: run.folder ?? null, maxRetries: 0 })
      tasks.push(await viewTask(db, id))
    }
    return { sessionId: session.id, tasks }
  },
  subject: ({ sessionId, tasks }) => ({ details: { session: sessionId, tasks: tasks.map((task) => task.id) } }),
})

const refuseUnusable = async (
  context: Context,
  { agentId, kind }: z.output<ReturnType<typeof agentRun>>,
): Promise<void> => {
  checkId('agent', agentId)
  if (kind !== undefined) refuseUnknownKind(context, kind)
  const agent = await selectAgent(context.db, agentId)
  if (agent && agent.status !== 'terminated' && agent.process === 'none') {
    throw new Refusal(
      'already_exists',
      `Agent ${agentId} registered itself, so aiswarm does not run it. Choose another id.`,
    )
  }
}

/** The first line of the prompt becomes the title. */
const titleOf = (prompt: string, agentId: string): string => {
  const line = prompt
    .split('\n')
    .map((one) => one.trim())
    .find((one) => one !== '')
  if (line === undefined) return `Prompt for ${agentId}`
  return line.length > 100 ? `${line.slice(0, 99)}…` : line
}
