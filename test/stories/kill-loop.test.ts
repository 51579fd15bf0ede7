import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { person } from '../../src/domain/agent/actor.ts'
import { livenessOf } from '../../src/effects/processes/identity.ts'
import { processesMarked } from '../../src/effects/processes/table.ts'
import { registerAgent } from '../../src/operations/agents/spawn.ts'
import { checkDatabase } from '../../src/operations/database/maintenance.ts'
import { approveIntegration } from '../../src/operations/integration/decisions.ts'
import { requestIntegration } from '../../src/operations/integration/request.ts'
import { perform } from '../../src/operations/perform/perform.ts'
import { cancelTask } from '../../src/operations/tasks/cancel.ts'
import { listTasks } from '../../src/operations/tasks/list.ts'
import { commit, git, openSwarm, type Swarm, until } from '../effects/swarm.ts'
import { startRaw } from '../mcp/client.ts'
import { expectDurableBoard, onDurableServer } from '../support/board-of-test.ts'
import { dose } from '../support/dose.ts'
import { byHand } from '../support/store.ts'
import { type Running, start } from './program.ts'

/** `npm run prove` needs this many kills; a few are enough every day. */
const KILLS = Number(process.env['KILLS'] ?? 0)
const worktrees = Array.from({ length: KILLS > 0 ? 8 : 4 }, (_, i) => `w${i}`)
/** The minimum duration of the loop (ms). */
const LEAST = dose(20_000, 4000)
/** The deadline of the loop; a busy machine takes longer, and only the limit of the test ends it sooner. */
const enough = ({ agents, supervisors, commands, servers, integrations }: Killed): boolean =>
  agents >= dose(6, 4) &&
  supervisors >= dose(3, 2) &&
  servers > 0 &&
  integrations > 0 &&
  agents + supervisors + commands + servers + integrations >= KILLS
/** The record of the kills so far, by victim. */
const FILE = process.env['KILLS_FILE'] ?? ''
/** A supervisor is killed after this many agents. */
const EACH = KILLS > 0 ? 8 : 2
/** The pauses between two kills and between two writes: a minimum and a random part (ms); shorter if many are required. */
const pause = KILLS > 0 ? { deaths: [60, 120], writes: 1500 } : { deaths: [150, 300], writes: 1200 }

onDurableServer()

const config = `
session: {maxParallel: ${worktrees.length}, maxRetries: 0}
lease: {ttl: 1500ms, heartbeat: 300ms, terminateGrace: 500ms}
integration: {verify: 'test -e README.md'}
`

/**
 * Leaves a file in the worktree. The lock, which the kernel releases when its holder dies, shows whether a task ran
 * twice at once. It works until the loop has seen it: on a busy machine an agent that only took its time would end before
 * its supervisor has recorded its process, and none could be killed.
 */
const command =
  'exec 9> "$AISWARM_ROOT/../locks/$AISWARM_TASK_ID"; flock -n 9 || { echo "$AISWARM_TASK_ID $AISWARM_AGENT_ID" >> "$AISWARM_ROOT/../twice"; exit 1; }; ' +
  'until [ -e "$AISWARM_ROOT/../hurry" ] || [ -e "$AISWARM_ROOT/../seen/$AISWARM_AGENT_ID" ]; do sleep 0.1; done; ' +
  `[ -e "$AISWARM_ROOT/../hurry" ] || sleep ${KILLS > 0 ? 1 : 0.2}; echo done > "done-$AISWARM_TASK_ID"`

it(
  'no acknowledged write is lost, no task runs twice at once, and every task ends, whichever process is killed',
  { timeout: 600_000 + KILLS * 3000 },
  async () => {
    const swarm = await openSwarm({ config })
    await expectDurableBoard(swarm.root)
    for (const folder of ['locks', 'seen']) mkdirSync(join(swarm.root, '..', folder))
    for (const name of worktrees) await swarm.build(name)
    const base = git(swarm.root, 'rev-parse', 'main')
    const seen = new Set<string>()
    const acknowledged: Acknowledged = { tasks: new Map(), cancelled: new Set(), integrated: new Set() }
    const remember = ({ id, title }: { id: number; title: string }): void => void acknowledged.tasks.set(id, title)
    for (let i = 0; i < 24; i++)
      remember(
        await swarm.task({
          title: `first ${i}`,
          command,
          targetWorktree: pick(worktrees),
          priority: random(5),
          dependencies: i < 4 ? [] : [1 + random(i), 1 + random(i)],
        }),
      )

    const supervisors = [start(swarm.root, ['run']), start(swarm.root, ['run'])]
    const killed: Killed = { agents: 0, supervisors: 0, commands: 0, servers: 0, integrations: 0 }
    const merges: Merges = { killedSince: 0 }
    const loop = new AbortController()
    const writing = [
      writeByCommand(swarm, loop.signal, remember, killed),
      writeByCore(swarm, loop.signal, remember, acknowledged.cancelled),
      writeByServer(swarm, loop.signal, acknowledged, killed, pause.writes),
      integrateOften(swarm, loop.signal, acknowledged, killed, merges),
      watchTarget(swarm, loop.signal, seen),
    ]
    // A failure ends the loop at once, instead of using up the test's time.
    const broken = Promise.all(writing).then(
      () => {},
      (error: unknown) => loop.abort(error),
    )
    const begun = Date.now()
    while (!loop.signal.aborted && (Date.now() < begun + LEAST || !enough(killed))) {
      noteDeaths(killed)
      await sleep(pause.deaths[0]! + random(pause.deaths[1]!))
      // Supervisors die in proportion to agents, not to time: on a busy machine none would live long enough to start one.
      if (killed.supervisors * EACH < killed.agents && mayKill(merges)) {
        merges.killedSince++
        await kill(supervisors.splice(random(2), 1)[0]!)
        killed.supervisors++
        supervisors.push(start(swarm.root, ['run']))
      } else if (await killAgent(swarm)) killed.agents++
    }
    noteDeaths(killed)
    loop.abort()
    writeFileSync(join(swarm.root, '../hurry'), '')
    await broken
    await Promise.all(writing)
    for (const supervisor of supervisors) await kill(supervisor)

    const last = await start(swarm.root, ['run', '--until-idle']).ended
    const all = await perform(swarm.core, listTasks, {}, person)
    const tasks = all.filter(({ title }) => !title.startsWith(byServer))
    const said = `killed ${JSON.stringify(killed)}, integrated ${acknowledged.integrated.size}\n${last.out.slice(-3000)}`

    // Work was still done in it.
    expect(tasks.filter(({ status }) => status === 'completed').length, said).toBeGreaterThan(dose(20, 12))

    // Every acknowledged write is there.
    expect(Object.fromEntries(acknowledged.tasks)).toEqual(
      Object.fromEntries(all.filter(({ id }) => acknowledged.tasks.has(id)).map(({ id, title }) => [id, title])),
    )
    expect(all.filter(({ id }) => acknowledged.cancelled.has(id)).map(({ status }) => status)).toEqual(
      [...acknowledged.cancelled].map(() => 'cancelled'),
    )

    // The target was only at verified merges, it contains everything that was reported as integrated, and nothing is
    // locked.
    expect(await harmToTarget(swarm, base, seen, acknowledged), said).toEqual([])

    // No task was held twice: neither in the rows, nor in the observations of the commands.
    expect(await overlaps(swarm)).toEqual([])
    const twice = join(swarm.root, '../twice')
    expect(existsSync(twice) ? readFileSync(twice, 'utf8') : '').toBe('')

    // Every task has ended, or is blocked by one that failed for good, which only many lost attempts explain.
    const failed = tasks.filter(({ status }) => status === 'failed')
    expect(
      failed
        .filter(({ errorMessage }) => !/attempt that was lost\.$/.test(errorMessage ?? ''))
        .map(({ id, errorMessage }) => `${id}: ${errorMessage}`),
    ).toEqual([])
    expect(tasks.filter(({ status }) => status === 'claimed' || status === 'in_progress')).toEqual([])
    expect(
      tasks
        .filter(({ status, blockedBy }) => status === 'pending' && (failed.length === 0 || blockedBy.length === 0))
        .map((task) => JSON.stringify(task)),
      said,
    ).toEqual([])

    // The work of completed tasks is committed.
    for (const name of worktrees) {
      const made = git(swarm.root, 'ls-tree', '--name-only', `feature/${name}`).split('\n')
      expect(
        tasks.filter(
          ({ status, targetWorktree, id }) =>
            status === 'completed' && targetWorktree === name && !made.includes(`done-${id}`),
        ),
      ).toEqual([])
    }

    // No process of aiswarm is left, and no row mentions one.
    await until('the end of all processes', () => processesMarked({ AISWARM_ROOT: swarm.root }).length === 0)
    expect(await swarm.runs()).toEqual([])
    expect(await checkDatabase(swarm.core)).toEqual({ ok: true, damaged: false, findings: [] })
  },
)

const noteDeaths = (killed: Killed): void => {
  if (FILE !== '') writeFileSync(FILE, JSON.stringify(killed))
}

const kill = async (running: Running): Promise<void> => {
  running.child.kill('SIGKILL')
  await running.ended
}

/** Kills the whole process group of a working agent, a few only every second time that there is one; the others may end. */
const killAgent = async (swarm: Swarm): Promise<boolean> => {
  const alive = (await swarm.runs()).filter(({ identity }) => identity !== null && livenessOf(identity) === 'alive')
  for (const { agentId } of alive) writeFileSync(join(swarm.root, '../seen', agentId), '')
  if (alive.length === 0 || (KILLS === 0 && random(2) === 0)) return false
  try {
    process.kill(-pick(alive).identity!.pid, 'SIGKILL')
    return true
  } catch {
    return false
  }
}

/** No more startable tasks than this are added, because a busy machine would never finish them. */
const MOST_WAITING = KILLS > 0 ? 200 : 16

const mayAdd = async (swarm: Swarm): Promise<boolean> => {
  const tasks = await perform(swarm.core, listTasks, {}, person)
  const waiting = tasks.filter(
    ({ title, status, blockedBy }) => status === 'pending' && blockedBy.length === 0 && !title.startsWith(byServer),
  )
  return waiting.length < MOST_WAITING
}

/** Creates tasks on the command line, whose process is sometimes killed too: then nothing was acknowledged. */
const writeByCommand = async (
  swarm: Swarm,
  signal: AbortSignal,
  remember: (task: { id: number; title: string }) => void,
  killed: Killed,
): Promise<void> => {
  for (let i = 0; !signal.aborted; i++, await sleep(pause.writes)) {
    if (!(await mayAdd(swarm))) continue
    const adding = start(swarm.root, [
      'task',
      'add',
      `by command ${i}`,
      '--persona',
      'implementer',
      '--worktree',
      pick(worktrees),
      '--command',
      command,
      '--json',
    ])
    if (random(KILLS > 0 ? 2 : 4) === 0) {
      await sleep(random(250))
      adding.child.kill('SIGKILL')
      killed.commands++
    }
    const { code, out, err } = await adding.ended
    if (code === 0) remember(JSON.parse(out) as { id: number; title: string })
    else if (code !== null) throw new Error(err)
  }
}

/** Creates tasks directly, and cancels some of them. */
const writeByCore = async (
  swarm: Swarm,
  signal: AbortSignal,
  remember: (task: { id: number; title: string }) => void,
  cancelled: Set<number>,
): Promise<void> => {
  for (let i = 0; !signal.aborted; i++, await sleep(KILLS > 0 ? 300 : 1000)) {
    if (!(await mayAdd(swarm))) continue
    const task = await swarm.task({ title: `by core ${i}`, command, targetWorktree: pick(worktrees) })
    remember(task)
    if (random(3) === 0) {
      const after = await perform(swarm.core, cancelTask, { taskId: task.id, reason: 'not needed' }, person)
      if (after.status === 'cancelled') cancelled.add(task.id)
    }
  }
}

/** Pairs of attempts at one task of which the second started before the first had ended. */
const overlaps = (swarm: Swarm): Promise<readonly unknown[]> =>
  byHand(
    swarm.core.store,
    'SELECT a.task_id, a.attempt, b.attempt AS other FROM task_attempts a JOIN task_attempts b ON a.task_id = b.task_id AND a.attempt < b.attempt WHERE a.ended_at IS NULL OR b.claimed_at < a.ended_at',
  )

const random = (below: number): number => Math.floor(Math.random() * below)
const pick = <T>(from: readonly T[]): T => from[random(from.length)]!

/** Writes that servers and commands acknowledged before they were killed. */
interface Acknowledged {
  /** Titles by task. */
  readonly tasks: Map<number, string>
  readonly cancelled: Set<number>
  /** Worktrees whose integration was reported as done. */
  readonly integrated: Set<string>
}

interface Killed {
  agents: number
  supervisors: number
  commands: number
  servers: number
  integrations: number
}

/** The supervisors that merge while others kill them: one must live long enough for each step. */
interface Merges {
  /** The supervisors that were killed since the last step of a merge. */
  killedSince: number
}

/** More than so many supervisors do not die for one step of a merge: on a busy machine no merge would ever end. */
const MOST_KILLED = 3

/** True if one more supervisor may be killed without keeping a merge from its end. */
const mayKill = ({ killedSince }: Merges): boolean => killedSince < MOST_KILLED

/** Tasks that planners create over MCP. Their commands wait for a person, so they do not run. */
const byServer = 'by MCP'

/** Starts MCP servers of planners one after the other, lets each create and cancel tasks, and kills it during a call. */
const writeByServer = async (
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
const integrateOften = async (
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
const watchTarget = async (swarm: Swarm, signal: AbortSignal, seen: Set<string>): Promise<void> => {
  for (; !signal.aborted; await sleep(100)) seen.add(git(swarm.root, 'rev-parse', 'main'))
}

/**
 * Positions of the target that are not verified and approved merges, integrations that were reported and are missing,
 * and locks without a holder.
 */
const harmToTarget = async (
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
