import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { person } from '../../src/domain/actor.ts'
import { livenessOf } from '../../src/effects/process-identity.ts'
import { processesMarked } from '../../src/effects/process-table.ts'
import { cancelTask } from '../../src/operations/cancel-task.ts'
import { perform } from '../../src/operations/kernel/perform.ts'
import { listTasks } from '../../src/operations/list-tasks.ts'
import { git, openSwarm, type Swarm, until } from '../effects/swarm.ts'
import { look } from '../support/store.ts'
import { type Running, start } from './program.ts'

const worktrees = ['w0', 'w1', 'w2', 'w3'] as const
/** So many deaths of agents, supervisors and commands `npm run prove` wants; a few are enough every day. */
const KILLS = Number(process.env['KILLS'] ?? 0)
/** How long the loop goes on at least, and at most where the machine is too busy for enough deaths in that time (ms). */
const LOOP = { least: process.env['EVERY'] === '1' ? 20_000 : 8000, most: 60_000 + KILLS * 1500 }
const enough = ({ agents, supervisors, commands }: { readonly agents: number; readonly supervisors: number; readonly commands: number }): boolean =>
  agents > 5 && supervisors > 2 && agents + supervisors + commands >= KILLS

const config = `
session: {maxParallel: 4, maxRetries: 0}
lease: {ttl: 1500ms, heartbeat: 300ms, terminateGrace: 500ms}
`

/** Leaves a file in the worktree; the lock, which the kernel takes back from the dead, tells whether a task ran twice at once. */
const command =
  'exec 9> "$AISWARM_ROOT/../locks/$AISWARM_TASK_ID"; flock -n 9 || { echo "$AISWARM_TASK_ID $AISWARM_AGENT_ID" >> "$AISWARM_ROOT/../twice"; exit 1; }; sleep 0.2; echo done > "done-$AISWARM_TASK_ID"'

const random = (below: number): number => Math.floor(Math.random() * below)
const pick = <T>(from: readonly T[]): T => from[random(from.length)]!

it('whatever is killed, nothing that was acknowledged is lost, nothing is done twice at once, and all comes to an end', { timeout: 600_000 + KILLS * 3000 }, async () => {
  const swarm = await openSwarm({ config })
  mkdirSync(join(swarm.root, '../locks'))
  for (const name of worktrees) await swarm.build(name)
  const acknowledged = { tasks: new Map<number, string>(), cancelled: new Set<number>() }
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
  const killed = { agents: 0, supervisors: 0, commands: 0 }
  const loop = new AbortController()
  const writing = [writeByCommand(swarm, loop.signal, remember, killed), writeByCore(swarm, loop.signal, remember, acknowledged.cancelled)]
  const begun = Date.now()
  const goesOn = (): boolean => Date.now() < begun + (enough(killed) ? LOOP.least : LOOP.most)
  while (goesOn()) {
    await sleep(150 + random(300))
    if (random(7) === 0) {
      await kill(supervisors.splice(random(2), 1)[0]!)
      killed.supervisors++
      supervisors.push(start(swarm.root, ['run']))
    } else if (await killAgent(swarm)) killed.agents++
  }
  loop.abort()
  await Promise.all(writing)
  for (const supervisor of supervisors) await kill(supervisor)

  const last = await start(swarm.root, ['run', '--until-idle']).ended
  const tasks = await perform(swarm.core, listTasks, {}, person)
  const said = `killed ${JSON.stringify(killed)}\n${last.out}`

  // It was a kill loop, and work was done in it all the same.
  expect(enough(killed), said).toBe(true)
  expect(tasks.filter(({ status }) => status === 'completed').length, said).toBeGreaterThan(20)

  // Every acknowledged write is there.
  expect(Object.fromEntries(acknowledged.tasks)).toEqual(Object.fromEntries(tasks.filter(({ id }) => acknowledged.tasks.has(id)).map(({ id, title }) => [id, title])))
  expect(tasks.filter(({ id }) => acknowledged.cancelled.has(id)).map(({ status }) => status)).toEqual([...acknowledged.cancelled].map(() => 'cancelled'))

  // No task was held twice: neither by the rows, nor by what the commands saw.
  expect(overlaps(swarm)).toEqual([])
  const twice = join(swarm.root, '../twice')
  expect(existsSync(twice) ? readFileSync(twice, 'utf8') : '').toBe('')

  // Every task has ended; what has not is blocked by one that failed for good, which only many lost attempts explain.
  const failed = tasks.filter(({ status }) => status === 'failed')
  expect(failed.filter(({ errorMessage }) => !/attempt that was lost\.$/.test(errorMessage ?? '')).map(({ id, errorMessage }) => `${id}: ${errorMessage}`)).toEqual([])
  expect(tasks.filter(({ status }) => status === 'claimed' || status === 'in_progress')).toEqual([])
  expect(
    tasks.filter(({ status, blockedBy }) => status === 'pending' && (failed.length === 0 || blockedBy.length === 0)).map(({ id, errorMessage }) => `${id}: ${errorMessage}`),
  ).toEqual([])

  // What completed tasks made is committed.
  for (const name of worktrees) {
    const made = git(swarm.root, 'ls-tree', '--name-only', `feature/${name}`).split('\n')
    expect(tasks.filter(({ status, targetWorktree, id }) => status === 'completed' && targetWorktree === name && !made.includes(`done-${id}`))).toEqual([])
  }

  // No process of ours is left, and no row speaks of one.
  await until('the end of all processes', () => processesMarked({ AISWARM_ROOT: swarm.root }).length === 0)
  expect(await swarm.runs()).toEqual([])
  expect(look(swarm.core.store.path, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
})

const kill = async (running: Running): Promise<void> => {
  running.child.kill('SIGKILL')
  await running.ended
}

/** Kills the whole group of an agent at work; false where none is. */
const killAgent = async (swarm: Swarm): Promise<boolean> => {
  const alive = (await swarm.runs()).filter(({ identity }) => identity !== null && livenessOf(identity) === 'alive')
  if (alive.length === 0) return false
  try {
    process.kill(-pick(alive).identity!.pid, 'SIGKILL')
    return true
  } catch {
    return false
  }
}

/** Puts tasks on the board by the command line, whose process is killed as well now and then: then nothing was acknowledged. */
const writeByCommand = async (swarm: Swarm, signal: AbortSignal, remember: (task: { id: number; title: string }) => void, killed: { commands: number }): Promise<void> => {
  for (let i = 0; !signal.aborted; i++) {
    const adding = start(swarm.root, ['task', 'add', `by command ${i}`, '--persona', 'implementer', '--worktree', pick(worktrees), '--command', command, '--json'])
    if (random(4) === 0) {
      await sleep(random(250))
      adding.child.kill('SIGKILL')
      killed.commands++
    }
    const { code, out, err } = await adding.ended
    if (code === 0) remember(JSON.parse(out) as { id: number; title: string })
    else if (code !== null) throw new Error(err)
    await sleep(1200)
  }
}

/** Puts tasks on the board directly, and cancels some of them. */
const writeByCore = async (swarm: Swarm, signal: AbortSignal, remember: (task: { id: number; title: string }) => void, cancelled: Set<number>): Promise<void> => {
  for (let i = 0; !signal.aborted; i++) {
    const task = await swarm.task({ title: `by core ${i}`, command, targetWorktree: pick(worktrees) })
    remember(task)
    if (random(3) === 0) {
      const after = await perform(swarm.core, cancelTask, { taskId: task.id, reason: 'not needed' }, person)
      if (after.status === 'cancelled') cancelled.add(task.id)
    }
    await sleep(1000)
  }
}

/** Pairs of attempts at one task of which the second began before the first had ended. */
const overlaps = (swarm: Swarm): readonly unknown[] =>
  look(
    swarm.core.store.path,
    'SELECT a.task_id, a.attempt, b.attempt AS other FROM task_attempts a JOIN task_attempts b ON a.task_id = b.task_id AND a.attempt < b.attempt WHERE a.ended_at IS NULL OR b.claimed_at < a.ended_at',
  )
