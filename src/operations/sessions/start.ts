import { z } from 'zod'
import { selectAgent } from '../../db/agents.ts'
import { changeSession, selectRunningSession } from '../../db/sessions.ts'
import { checkId } from '../../domain/rules/names.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { Context } from '../perform/core.ts'
import { findPersona, findPersonaFor, findTask, must, refuseUnknownKind } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { lazyStrictObject, text } from '../perform/schemas.ts'
import { addTask } from '../tasks/create.ts'
import { heldOf } from '../tasks/held-tasks.ts'
import { sessionView, viewSession } from '../views/sessions.ts'
import { taskView, viewTask } from '../views/tasks.ts'
import { beginSession } from './begin-session.ts'

// A session starts with a goal, or with prompts for named agents.

/** The persona that turns a goal into tasks. */
const PLANNER = 'planner'

export const startSession = operation({
  name: 'start_session',
  summary: 'Start a session; with a goal its first task is to plan it',
  access: 'write',
  authority: 'person',
  input: () => z.strictObject({ goal: text(20_000).trim().min(1, 'the goal is empty').optional() }),
  output: () =>
    sessionView().extend({
      taskId: z.int().nullable(),
      begun: z.boolean(),
      /** The reason why no agent can take that task now. */ held: z.string().nullable(),
    }),
  run: async (context, { goal }) => {
    const { db } = context
    const running = await selectRunningSession(db)
    if (running && running.goal !== null) {
      throw new Refusal(
        'already_exists',
        `${running.id} is running with the goal '${brief(running.goal)}'. 'aiswarm session end' ends it.`,
      )
    }
    const { begun } = await beginSession.run(context, goal === undefined ? {} : { goal })
    const session = (await selectRunningSession(db))!
    if (goal === undefined) return { ...viewSession(session), taskId: null, begun, held: null }
    if (session.goal === null) must(await changeSession(db, session.id, 'running', { goal }), `Session ${session.id}`)
    await findPersona(db, PLANNER)
    const taskId = await addTask(context, {
      title: `Plan: ${brief(goal)}`,
      description: planOf(goal),
      personaId: PLANNER,
      priority: 100,
      dependencies: [],
      acceptanceCriteria: [],
    })
    const [held] = await heldOf(context, [await findTask(db, taskId)])
    return { ...viewSession({ ...session, goal }), taskId, begun, held: held?.why ?? null }
  },
  subject: ({ id, taskId, begun }) => (begun || taskId !== null ? { taskId, details: { session: id } } : null),
  wish: () => ({ kind: 'project_session' }),
})

const brief = (goal: string): string => {
  const line = goal.split('\n')[0]!.trim()
  return line.length > 80 ? `${line.slice(0, 79)}…` : line
}

const planOf = (goal: string): string =>
  `The goal:

${goal}

Create the tasks that reach it, each with its persona, dependencies and acceptance criteria, and the worktrees to do them in. Spawn workers for tasks that should start at once.
Complete this task when the plan is complete, with a short summary of it as the result.`

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
