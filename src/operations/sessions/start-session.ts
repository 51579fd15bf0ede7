import { z } from 'zod'
import { changeSession, selectRunningSession } from '../../db/sessions.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { beginSession } from './begin-session.ts'
import { addTask } from '../tasks/create.ts'
import { findPersona, findTask, must } from '../perform/find.ts'
import { heldOf } from '../tasks/held-tasks.ts'
import { text } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'
import { sessionView, viewSession } from '../views/sessions.ts'

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
