import { z } from 'zod'
import { selectTaskBudget, setTaskBudget } from '../../db/costs.ts'
import { insertFork, selectRuns } from '../../db/runs.ts'
import type { AgentRow, AgentRunRow } from '../../db/schema/agents.ts'
import type { ForkRow } from '../../db/schema/tasks.ts'
import type { TaskRow } from '../../db/tasks.ts'
import { selectWorktree } from '../../db/worktrees.ts'
import { NO_SESSION } from '../../domain/agent/conversation.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { once } from '../../domain/words/once.ts'
import { addMessage } from '../messages/say.ts'
import type { Context } from '../perform/core.ts'
import { findAgent, findTask } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { agentId, text } from '../perform/schemas.ts'
import { branchOfTask, draftOfCopy, labelledTitle } from '../tasks/copy.ts'
import { addTask } from '../tasks/create.ts'
import { agentView, viewAgents } from '../views/agents.ts'
import { addWorktree } from '../worktrees/create.ts'
import { spawnAgent } from './spawn.ts'

const forked = once(() => agentView().extend({ forkOf: z.string(), forkedTask: z.int() }))

export const forkAgent = operation({
  name: 'fork_agent',
  summary: 'Start a second agent from a copy of the conversation of an agent, with a task and a worktree of its own',
  access: 'write',
  authority: 'person',
  input: () =>
    z.strictObject({
      agentId,
      text: text(20_000).default('').describe('What the new agent is to do, in addition to the rest of the task'),
    }),
  output: forked,
  run: async (context, input) => {
    const { db } = context
    const agent = await findAgent(db, input.agentId)
    const task = await taskOf(context, agent)
    const of = await sessionOf(context, agent, task)
    const worktree = await addForkWorktree(context, agent, task)
    const taskId = await copyTask(context, agent, task, worktree)
    await insertFork(db, { task_id: taskId, agent_id: agent.id, kind: agent.kind, ...of })
    const { id } = await spawnAgent.run(context, {
      personaId: task.persona_id,
      taskId,
      kind: agent.kind,
      environment: agent.environment === null ? {} : (JSON.parse(agent.environment) as Record<string, string>),
      once: false,
      beside: false,
    })
    const words = input.text.replaceAll('\r\n', '\n').trim()
    if (words !== '') await addMessage(context, await findAgent(db, id), words, 'attempt')
    return viewFork(context, id, agent.id, task.id)
  },
  subject: ({ id, taskId, assignedWorktree, forkOf, forkedTask, kind }) => ({
    agentId: id,
    taskId,
    worktree: assignedWorktree,
    details: { of: forkOf, ofTask: forkedTask, kind },
  }),
  wish: ({ assignedWorktree }) => ({ kind: 'build_worktree', worktree: assignedWorktree! }),
  reread: (context, { id, forkOf, forkedTask }) => viewFork(context, id, forkOf, forkedTask),
})

const viewFork = async ({ db }: Context, id: string, forkOf: string, forkedTask: number) => ({
  ...(await viewAgents(db, [await findAgent(db, id)]))[0]!,
  forkOf,
  forkedTask,
})

const taskOf = async ({ db }: Context, agent: AgentRow): Promise<TaskRow> => {
  if (agent.task_id === null)
    throw new Refusal('invalid_state', `Agent ${agent.id} has had no task, so there is no conversation to fork.`)
  const task = await findTask(db, agent.task_id)
  if (task.command !== null)
    throw new Refusal('invalid_state', `Task ${task.id} runs a shell command, which has no conversation to fork.`)
  return task
}

type Copied = Omit<ForkRow, 'task_id' | 'agent_id' | 'kind'>

/** The CLI's own session of the agent's last run, and what it has used; refuses with the reason and the alternative. */
const sessionOf = async ({ db, unforked }: Context, agent: AgentRow, task: TaskRow): Promise<Copied> => {
  const why = unforked?.(agent.kind)
  if (why !== undefined)
    throw new Refusal(
      'invalid_state',
      `Agent ${agent.id} cannot be forked: it is of the kind ${agent.kind}. ${why} Race its task instead ('aiswarm task race ${task.id}'), or create a task that says what the agent must know.`,
    )
  const runs = await selectRuns(db, { agentId: agent.id })
  const run = runs.at(-1)
  if (!run || run.cli_session === null || run.problem?.startsWith(NO_SESSION))
    throw new Refusal(
      'invalid_state',
      `Agent ${agent.id} has not named its conversation yet. Try again when it has begun to work.`,
    )
  const session = run.cli_session
  const sum = (count: (one: AgentRunRow) => number): number =>
    runs.filter((one) => one.cli_session === session).reduce((total, one) => total + count(one), 0)
  return {
    session,
    tokens_in: sum((one) => one.tokens_in),
    tokens_out: sum((one) => one.tokens_out),
    tokens_cached: sum((one) => one.tokens_cached),
  }
}

/** A worktree on the host where the conversation lies, on the branch of the agent's work. */
const addForkWorktree = async (context: Context, agent: AgentRow, task: TaskRow): Promise<string> => {
  const sourceBranch = await branchOfTask(context, task)
  for (let n = 1; ; n++) {
    const name = `fork-${task.id}${n === 1 ? '' : `-${n}`}`
    if (await selectWorktree(context.db, name)) continue
    const source = sourceBranch === undefined ? {} : { sourceBranch }
    await addWorktree(
      context,
      { name, branchName: name, ...source },
      { kind: agent.kind, ...(agent.host_id === null ? {} : { host: agent.host_id }) },
    )
    return name
  }
}

/** The same task with the same budget, under the same parent. */
const copyTask = async (context: Context, agent: AgentRow, task: TaskRow, targetWorktree: string): Promise<number> => {
  const draft = await draftOfCopy(context, task)
  const id = await addTask(context, {
    ...draft,
    title: labelledTitle(task.title, `fork of ${agent.id}`),
    targetWorktree,
    ...(task.parent_task_id === null ? {} : { parentTaskId: task.parent_task_id }),
    metadata: { ...draft.metadata, cli: agent.kind },
  })
  const budget = await selectTaskBudget(context.db, task.id)
  if (budget) await setTaskBudget(context.db, id, { ...budget, asked_at: null })
  return id
}
