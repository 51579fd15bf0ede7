import { randomUUID } from 'node:crypto'
import type { Taken } from '../../contracts/conversation.ts'
import type { Actor } from '../../domain/agent/actor.ts'
import { isAway, isRefusal, isUndecided, Refusal } from '../../domain/rules/refusal.ts'
import { deregisterAgent, heartbeat } from '../../operations/agents/heartbeat.ts'
import { getAgent } from '../../operations/agents/list.ts'
import { getAgentRuns } from '../../operations/agents/runs.ts'
import { takeOver } from '../../operations/agents/take-over.ts'
import { readElsewhere } from '../../operations/hosts/locations.ts'
import { listMessages } from '../../operations/messages/inbox.ts'
import { stopTurn } from '../../operations/messages/say.ts'
import type { Core } from '../../operations/perform/core.ts'
import { perform } from '../../operations/perform/perform.ts'
import type { AgentView } from '../../operations/views/agents.ts'
import { nextChange } from '../loops/changes.ts'
import { carryOut } from '../loops/jobs.ts'
import { which } from '../processes/programs.ts'
import { workingFolder } from '../runs/launcher.ts'
import { presentEnvironment } from '../worktrees/ports.ts'
import type { World } from '../world.ts'

/** How long the end of its processes may take, in addition to `lease.terminateGrace` (ms). */
const END = 30_000

/**
 * Takes over the conversation of an agent: refuses if its CLI cannot, stops its turn, waits until its process group is
 * gone, and lets the person hold its task from then on. For a row by which a person holds a task already, only its
 * program. Heartbeats of this process keep the lease.
 */
export const takeOverConversation = async (world: World, agentId: string, actor: Actor): Promise<Taken> => {
  const { core } = world
  const agent = await perform(core, getAgent, { agentId }, actor)
  await refuseElsewhere(world, isHolder(agent) ? agent.parentAgentId! : agent.id)
  if (isHolder(agent)) return reopened(world, agent, actor)
  const program = await programOf(world, agent, actor)
  await stopTurnOf(world, agent, actor)
  const requestId = randomUUID()
  // Its turn is stopped: without a person who takes over, the agent would wait for words.
  const taken = await patiently(world, END, () => perform(core, takeOver, { agentId }, actor, { requestId }))
  try {
    if (taken.stops) await endProcesses(world, agentId, actor)
    await refuseLost(world, taken.holderId, taken.taskId, actor)
  } catch (error) {
    await perform(core, deregisterAgent, { agentId: taken.holderId }, actor).catch(() => {})
    throw error
  }
  keepLease(core, taken.holderId, actor)
  return { ...program, agentId, holderId: taken.holderId, taskId: taken.taskId }
}

/** A row by which a person holds the task of another agent. */
const isHolder = ({ process, parentAgentId, id }: AgentView): boolean =>
  process === 'none' && parentAgentId !== null && id.startsWith('human-')

/** Its processes and its folder are there, and so is the CLI's record of the conversation. */
const refuseElsewhere = async ({ core, actor }: World, agentId: string): Promise<void> => {
  if (core.host === undefined) return
  const { agent: host } = await perform(core, readElsewhere, { agentId }, actor)
  if (host !== null)
    throw new Refusal(
      'invalid_state',
      `Agent ${agentId} is on host ${host}. Take its conversation over there: 'aiswarm agent take-over ${agentId}'.`,
    )
}

const reopened = async (world: World, holder: AgentView, actor: Actor): Promise<Taken> => {
  if (holder.status === 'terminated' || holder.taskId === null)
    throw new Refusal('lease_lost', `${holder.id} no longer holds a task. Take the conversation over again.`)
  const agent = await perform(world.core, getAgent, { agentId: holder.parentAgentId! }, actor)
  const program = await programOf(world, agent, actor)
  keepLease(world.core, holder.id, actor)
  return { ...program, agentId: agent.id, holderId: holder.id, taskId: holder.taskId }
}

/** The CLI's own program on the agent's conversation; refuses with the reason and the alternative. */
const programOf = async (
  world: World,
  agent: AgentView,
  actor: Actor,
): Promise<Pick<Taken, 'argv' | 'folder' | 'environment'>> => {
  const { core, kinds } = world
  const terminal = kinds.get(agent.kind)?.terminal
  if (typeof terminal !== 'function')
    throw new Refusal(
      'invalid_state',
      `${terminal ?? `The kind ${agent.kind} has no program in which a person can continue its conversation.`} Speak to the agent, or open a shell in its worktree.`,
    )
  const session = await sessionOf(world, agent, actor)
  if (session === null)
    throw new Refusal(
      'invalid_state',
      `Agent ${agent.id} has not named its conversation yet. Try again when it has begun to work.`,
    )
  const folder = await workingFolder(world, agent.assignedWorktree)
  if (folder === undefined) throw new Refusal('invalid_state', `The worktree of ${agent.id} is still being created.`)
  const argv = terminal(session)
  if (which(argv[0]!, folder, process.env['PATH'] ?? '') === undefined)
    throw new Refusal('missing_binary', `The program '${argv[0]}' was not found. Install it, or change PATH.`)
  return {
    argv,
    folder,
    environment: {
      ...core.settings.agents.kinds[agent.kind]?.env,
      ...(agent.assignedWorktree === null ? {} : await presentEnvironment(world, agent.assignedWorktree)),
    },
  }
}

/** How long the report of a conversation's name may take (ms). */
const NAMED = 10_000

/** The CLI's own session of the last run; what the CLI has just printed is recorded a moment later. */
const sessionOf = async (world: World, agent: AgentView, actor: Actor): Promise<string | null> => {
  let session: string | null = null
  await until(world, agent.status === 'terminated' ? 0 : NAMED, async () => {
    session = (await perform(world.core, getAgentRuns, { agentId: agent.id }, actor)).at(-1)?.session ?? null
    return session !== null
  })
  return session
}

/** How long an agent may take to end its turn by itself, before its processes are stopped (ms). */
const TURN = 5000

/** A turn that the CLI ended itself leaves no call of a tool without an answer; one that does not end is killed. */
const stopTurnOf = async (world: World, agent: AgentView, actor: Actor): Promise<void> => {
  const { core } = world
  if (agent.process !== 'started' || core.speech?.(agent.kind) !== 'inject') return
  const requestId = randomUUID()
  const { id } = await patiently(world, END, () => perform(core, stopTurn, { agentId: agent.id }, actor, { requestId }))
  const isStopped = async (): Promise<boolean> =>
    (await perform(core, listMessages, { agentId: agent.id }, actor)).some(
      (message) => message.id === id && (message.status === 'seen' || message.status === 'refused'),
    )
  await until(world, TURN, isStopped).catch((error: unknown) => {
    // The board may answer later: what follows waits for it too.
    if (!isAway(error)) throw error
  })
}

const endProcesses = async (world: World, agentId: string, actor: Actor): Promise<void> => {
  const { core } = world
  await patiently(world, END, () => carryOut(world, { kind: 'stop_agent', agentId }))
  const ended = async (): Promise<boolean> =>
    (await perform(core, getAgent, { agentId }, actor)).status === 'terminated'
  if (!(await until(world, core.settings.lease.terminateGrace + END, ended)))
    throw new Refusal('invalid_state', `The processes of ${agentId} did not end. Terminate it, then try again.`)
}

/** The task may have ended in the last moment. */
const refuseLost = async (world: World, holderId: string, taskId: number, actor: Actor): Promise<void> => {
  const { core } = world
  let held: number | null = null
  await until(world, END, async () => {
    held = (await perform(core, getAgent, { agentId: holderId }, actor)).taskId
    return true
  })
  if (held !== taskId)
    throw new Refusal('invalid_state', `Task ${taskId} ended before its conversation could be taken over.`)
}

/** True once it holds; false if it did not in time (ms). A board that is away for a moment does not end the wait. */
const until = async (world: World, patience: number, holds: () => Promise<boolean>): Promise<boolean> => {
  const end = performance.now() + patience
  for (;;) {
    const version = world.core.store.version()
    if (await patiently(world, end - performance.now(), holds)) return true
    if (performance.now() >= end) return false
    await changed(world, version, end)
  }
}

/** Asks until the board has decided, at most for so long (ms). */
const patiently = async <T>(world: World, patience: number, ask: () => Promise<T>): Promise<T> => {
  const end = performance.now() + patience
  for (;;) {
    const version = world.core.store.version()
    try {
      return await ask()
    } catch (error) {
      if (!isAway(error) || performance.now() >= end) throw error
    }
    await changed(world, version, end)
  }
}

const changed = ({ core }: World, version: number, end: number): Promise<void> =>
  nextChange(core.store, version, Math.min(Math.max(1, end - performance.now()), 500), new AbortController().signal)

/** The rows for which this process sends heartbeats. */
const heldByPersons = new Set<string>()

/** Keeps the lease of a person who holds a task while this process runs: without it the task becomes pending. */
export const keepLease = (core: Core, holderId: string, actor: Actor): void => {
  if (heldByPersons.has(holderId)) return
  heldByPersons.add(holderId)
  const timer = setInterval(() => {
    perform(core, heartbeat, { agentId: holderId }, actor).catch((error: unknown) => {
      if (!isLost(error)) return
      clearInterval(timer)
      heldByPersons.delete(holderId)
    })
  }, core.settings.lease.ttl / 3)
  timer.unref()
}

/** True if the person has handed the task back, here or at another console; a store that refuses says nothing of it. */
const isLost = (error: unknown): boolean =>
  isRefusal(error) && !isUndecided(error) && (error.code === 'not_found' || error.code === 'invalid_state')
