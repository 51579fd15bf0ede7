import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { person } from '../../src/domain/agent/actor.ts'
import { approveIntegration } from '../../src/operations/integration/decisions.ts'
import { perform } from '../../src/operations/perform/perform.ts'
import { registerAgent } from '../../src/operations/agents/spawn.ts'
import { requestIntegration } from '../../src/operations/integration/request.ts'
import { startRaw } from '../mcp/raw.ts'
import { commit, git, type Swarm, until } from '../effects/swarm.ts'
import { byHand } from '../support/store.ts'

export const random = (below: number): number => Math.floor(Math.random() * below)
export const pick = <T>(from: readonly T[]): T => from[random(from.length)]!

/** Writes that servers and commands acknowledged before they were killed. */
export interface Acknowledged {
  /** Titles by task. */
  readonly tasks: Map<number, string>
  readonly cancelled: Set<number>
  /** Worktrees whose integration was reported as done. */
  readonly integrated: Set<string>
}

export interface Killed {
  agents: number
  supervisors: number
  commands: number
  servers: number
  integrations: number
}

/** The supervisors that merge while others kill them: one must live long enough for each step. */
export interface Merges {
  /** The supervisors that were killed since the last step of a merge. */
  killedSince: number
}

/** More than so many supervisors do not die for one step of a merge: on a busy machine no merge would ever end. */
const MOST_KILLED = 3

/** True if one more supervisor may be killed without keeping a merge from its end. */
export const mayKill = ({ killedSince }: Merges): boolean => killedSince < MOST_KILLED

/** Tasks that planners create over MCP. Their commands wait for a person, so they do not run. */
export const byServer = 'by MCP'

/** Starts MCP servers of planners one after the other, lets each create and cancel tasks, and kills it during a call. */
export const writeByServer = async (
  swarm: Swarm,
  signal: AbortSignal,
  acknowledged: Acknowledged,
  killed: Killed,
  pause: number,
): Promise<void> => {
  for (let i = 0; !signal.aborted; i++) {
    const id = `planner-${i}`
    const { token } = await perform(swarm.core, registerAgent, { id, personaId: 'planner' }, person)
    const server = startServer(swarm.root, {
      AISWARM_AGENT_ID: id,
      AISWARM_AGENT_TOKEN: token,
      AISWARM_ROOT: swarm.root,
      ...storeVariables(),
    })
    await server.initialise()
    const titles = Array.from({ length: 1 + random(20) }, (_, at) => `${byServer} ${i}.${at}`)
    for (const [at, title] of titles.entries())
      server.send({
        id: 100 + at,
        method: 'tools/call',
        params: {
          name: 'create_task',
          arguments: { title, personaId: 'tester', command: 'true', acceptanceCriteria: [title] },
        },
      })
    const first = (await server.answerTo(100)).result
    const taskId = taskOf(first)?.id
    if (taskId === undefined) throw new Error(`an MCP server refused: ${JSON.stringify(first)}`)
    server.send({
      id: 99,
      method: 'tools/call',
      params: { name: 'cancel_task', arguments: { taskId, reason: 'not needed' } },
    })
    await sleep(random(40))
    process.kill(-server.child.pid!, 'SIGKILL')
    killed.servers++
    await server.ended
    for (const { id: call, result } of server.messages()) {
      const task = taskOf(result)
      if (task === undefined) continue
      acknowledged.tasks.set(task.id, task.title)
      if (call === 99 && task.status === 'cancelled') acknowledged.cancelled.add(task.id)
    }
    await sleep(pause)
  }
}

/** The store of a board on a server, which such a program gets with its other variables. */
const storeVariables = (): Record<string, string> => {
  const named = process.env['AISWARM_STORE']
  return named === undefined ? {} : { AISWARM_STORE: named }
}

/**
 * Below a shell of its own, which replaces the agent's program: the process that starts an agent's server counts as
 * that agent from then on.
 */
const startServer = (root: string, environment: Readonly<Record<string, string>>) => {
  const given = Object.entries(environment).map(([name, value]) => `${name}=${value}`)
  return startRaw(root, {}, [], ['/bin/sh', '-c', '"$@"; exit $?', 'sh', '/usr/bin/env', ...given])
}

const taskOf = (
  result: Record<string, unknown> | undefined,
): { id: number; title: string; status: string } | undefined => {
  const text = (result?.['content'] as readonly { text?: string }[] | undefined)?.[0]?.text
  if (text === undefined || result?.['isError'] === true) return undefined
  const value = JSON.parse(text) as { id?: number; title?: string; status?: string }
  return value.id === undefined || value.title === undefined
    ? undefined
    : (value as { id: number; title: string; status: string })
}

const approver = resolve(import.meta.dirname, '../fixtures/approver.ts')

/**
 * Integrates one worktree after the other. Every second one is approved by a command that carries out the merge itself
 * and is killed during that; the others are merged by the supervisors, which are killed as well.
 */
export const integrateOften = async (
  swarm: Swarm,
  signal: AbortSignal,
  acknowledged: Acknowledged,
  killed: Killed,
  merges: Merges,
): Promise<void> => {
  /** Waits as long as the test may take: how soon a supervisor takes its step says nothing on a busy machine. */
  const step = async <T>(what: string, condition: () => Promise<T | false>): Promise<T> => {
    const found = await until(what, condition, Infinity)
    merges.killedSince = 0
    return found
  }
  for (let i = 0; !signal.aborted; i++) {
    const name = `m${i}`
    commit(await swarm.build(name), { [`merged-${i}`]: `${i}\n` }, `Work ${i}`)
    await perform(swarm.core, requestIntegration, { worktreeName: name }, person)
    // A process may have died between the approval and the merge: an integration that still waits is approved once
    // more.
    for (let tries = 0; ; tries++) {
      const { integration } = await step(`the merge of ${name}`, async () => {
        const worktree = await swarm.worktree(name)
        return ['ready', 'integrated'].includes(worktree.integration!.status) && worktree
      })
      if (integration!.status === 'integrated') break
      if ((i + tries) % 2 === 0) await approveAndDie(swarm, name, acknowledged, killed)
      else {
        const { targetOid, branchOid, mergeOid, verification } = integration!
        const exactly = {
          targetOid: targetOid!,
          branchOid: branchOid!,
          mergeOid: mergeOid!,
          verificationId: verification?.id ?? null,
        }
        await perform(swarm.core, approveIntegration, { worktreeName: name, ...exactly }, person)
      }
      await step(
        `an end of the landing of ${name}`,
        async () => !['approved', 'moving'].includes((await swarm.worktree(name)).integration!.status),
      )
    }
    acknowledged.integrated.add(name)
  }
}

const approveAndDie = async (swarm: Swarm, name: string, acknowledged: Acknowledged, killed: Killed): Promise<void> => {
  const child: ChildProcess = spawn(process.execPath, ['--no-warnings', approver, swarm.root, name], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  child.stdout!.setEncoding('utf8').on('data', (piece: string) => (said += piece))
  const ended = once(child, 'close')
  await until('the approval', () => said.includes('approves') || child.exitCode !== null)
  await Promise.race([ended, sleep(random(500))])
  // Its git dies with it, as in a power failure; otherwise git would complete the step.
  if (child.exitCode === null && child.signalCode === null) {
    process.kill(-child.pid!, 'SIGKILL')
    killed.integrations++
  }
  await ended
  if (said.includes('integrated')) acknowledged.integrated.add(name)
}

/** Every commit at which the target was seen, once each. */
export const watchTarget = async (swarm: Swarm, signal: AbortSignal, seen: Set<string>): Promise<void> => {
  for (; !signal.aborted; await sleep(100)) seen.add(git(swarm.root, 'rev-parse', 'main'))
}

/**
 * Positions of the target that are not verified and approved merges, integrations that were reported and are missing,
 * and locks without a holder.
 */
export const harmToTarget = async (
  swarm: Swarm,
  base: string,
  seen: ReadonlySet<string>,
  { integrated }: Acknowledged,
): Promise<readonly string[]> => {
  const merges = await byHand<{ oid: string; worktree: string }>(
    swarm.core.store,
    "SELECT i.merge_oid AS oid, i.worktree FROM integrations i JOIN verifications v ON v.commit_oid = i.merge_oid AND v.exit_code = 0 WHERE i.status = 'integrated'",
  )
  const verified = new Set([base, ...merges.map(({ oid }) => oid)])
  const stood = [...seen, ...git(swarm.root, 'rev-list', '--first-parent', 'main').split('\n')]
  const files = git(swarm.root, 'ls-tree', '--name-only', 'main').split('\n')
  return [
    ...[...new Set(stood)]
      .filter((oid) => !verified.has(oid))
      .map((oid) => `main stood at ${oid}, which is no verified merge`),
    ...[...integrated]
      .filter((name) => !files.includes(`merged-${name.slice(1)}`))
      .map((name) => `${name} was reported as integrated and is not on main`),
    ...git(swarm.root, 'status', '--porcelain')
      .split('\n')
      .filter((line) => line !== '' && !line.includes('.aiswarm/'))
      .map((line) => `in the main checkout: ${line}`),
    ...readdirSync(join(swarm.root, '.git'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.lock'))
      .map((path) => `${path} is left`),
  ]
}
