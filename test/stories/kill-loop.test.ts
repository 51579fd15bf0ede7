import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { person } from '../../src/domain/agent/actor.ts'
import { livenessOf } from '../../src/effects/processes/identity.ts'
import { processesMarked } from '../../src/effects/processes/table.ts'
import { cancelTask } from '../../src/operations/tasks/cancel.ts'
import { perform } from '../../src/operations/perform/perform.ts'
import { checkDatabase } from '../../src/operations/database/maintenance.ts'
import { listTasks } from '../../src/operations/tasks/list.ts'
import { git, openSwarm, type Swarm, until } from '../effects/swarm.ts'
import { expectDurableBoard, onDurableServer } from '../support/board-of-test.ts'
import { dose } from '../support/dose.ts'
import { byHand } from '../support/store.ts'
import { type Running, start } from './program.ts'
import {
  type Acknowledged,
  byServer,
  harmToTarget,
  integrateOften,
  type Killed,
  mayKill,
  type Merges,
  pick,
  random,
  watchTarget,
  writeByServer,
} from './victims.ts'

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
