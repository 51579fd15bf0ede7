import { execFileSync, type StdioOptions } from 'node:child_process'
import { appendFileSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { benchCoreOn, migrations } from '../../../bench/bench-core.ts'
import { openPostgres } from '../../../src/db/postgres/open.ts'
import { client, person } from '../../../src/domain/agent/actor.ts'
import { LOCAL } from '../../../src/domain/host/host.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { cancelTask } from '../../../src/operations/tasks/cancel.ts'
import type { Core } from '../../../src/operations/perform/core.ts'
import { getTask } from '../../../src/operations/tasks/detail.ts'
import { createTask } from '../../../src/operations/tasks/create.ts'
import { createWorktreeOn } from '../../../src/operations/worktrees/create.ts'
import { getWorktreeStatus } from '../../../src/operations/worktrees/status.ts'
import { type Lab, openLab } from '../../fleet/lab.ts'
import type { Figures } from '../proof.ts'
import { randomFrom } from '../random.ts'
import { checkHistory } from './check.ts'
import { harass, type Victim } from './faults.ts'
import { approveWork, giveWork, listWork, type Person, type Shown, surely, withoutContinued } from './people.ts'

const HOSTS = ['a', 'b', 'c']

const agent = resolve(import.meta.dirname, '../../fixtures/stream-agent.mjs')
const writer = resolve(import.meta.dirname, 'writer.ts')
const ownClock = resolve(import.meta.dirname, '../../fixtures/own-clock.mjs')

const config = `
session: {maxParallel: 8, freeDisk: 20MB}
lease: {ttl: 6s, heartbeat: 1s, terminateGrace: 200ms}
fleet: {silentAfter: 3s, lostAfter: 9s}
agents: {kinds: {talker: {command: [sh, -c, 'exec "$0" "$1" "$HOME/agent"', '${process.execPath}', '${agent}'], protocol: stream-json}}}
`

/** How long it may take, when nothing fails any more, until one more of what is left has come to its end (ms). */
const END = 240_000

/** Three hosts at work, with random faults for so long (ms), and what they have left. */
export const runFaults = async ({ seed, ms }: { readonly seed: number; readonly ms: number }): Promise<Figures> => {
  const lab = await openLab({
    hosts: HOSTS,
    guests: ['laptop'],
    files: { 'README.md': 'a shop\n', '.aiswarm/config.yaml': config },
    fsync: true,
    disk: '600m',
  })
  try {
    return await inLab(lab, seed, ms)
  } finally {
    if (process.env['PROVE_KEEP']) {
      lab.cluster.stop()
      for (const folder of [lab.folder, lab.cluster.folder])
        execFileSync('cp', ['-a', folder, `${process.env['PROVE_KEEP']}${folder === lab.folder ? '' : '.server'}`])
    }
    await lab.close()
  }
}

const inLab = async (lab: Lab, seed: number, ms: number): Promise<Figures> => {
  if (lab.machines['a']!.net === undefined) throw new Error(`hosts are ${lab.form}, which cannot be cut off.`)
  const begin = execFileSync('git', ['-C', lab.remote.folder, 'rev-parse', 'main'], { encoding: 'utf8' }).trim()
  const url = `${lab.cluster.url()}&port=${lab.port}`
  const store = await openPostgres({ url, schema: 'board' }, { migrations: join(migrations, 'postgres') })
  try {
    // Without a host it would be of a board of one, which exchanges no code with others.
    const core = { ...(await benchCoreOn(store, lab.folder)), host: LOCAL }
    // Its command waits for an approval, so what waits for it is never begun.
    const asked = { title: 'never', personaId: 'tester', command: 'true' }
    const { id: blocker } = await perform(core, createTask, asked, client('planner'))
    const victims: Victim[] = []
    for (const name of HOSTS) victims.push(await victimOf(lab, name, blocker))
    const talks: number[] = []
    for (const name of HOSTS) {
      const worktree = `talk-${name}`
      await perform(core, createWorktreeOn, { name: worktree, branchName: worktree, host: name }, person)
      const draft = { title: worktree, personaId: 'tester', targetWorktree: worktree, metadata: { cli: 'talker' } }
      talks.push((await perform(core, createTask, draft, person)).id)
    }
    const self: Person = { tasks: new Map(), approved: new Map(), over: false, leaves: false, problem: undefined }
    const note = (error: unknown): void => void (self.problem ??= error)
    let isOver = false
    const alive = keepAlive(victims, () => isOver)
    const giving = giveWork(core, HOSTS, self).catch(note)
    const approving = approveWork(core, self).catch(note)
    const log = join(lab.folder, 'faults.log')
    const say = (words: string): void => appendFileSync(log, `${new Date().toISOString()} ${words}\n`)
    const happened = await harass({ lab, victims, random: randomFrom(seed), say }, performance.now() + ms)
    self.over = true
    await giving
    const during = landedOf(lab, begin)
    if (self.problem !== undefined) throw new Error('the work of the person failed', { cause: self.problem })
    for (const { writer: program } of victims) program.signal('SIGKILL')
    // They have no end, and would keep the places of a host on which all worktrees are continued.
    for (const taskId of talks) await surely(() => endTalk(core, taskId))
    const left = await untilDone(self, () => surely(() => listWork(core)))
    const owed = () => surely(async () => withoutContinued(store, await perform(core, getWorktreeStatus, {}, person)))
    left.push(...(await untilMerged(owed)))
    self.leaves = true
    await approving
    if (self.problem !== undefined) throw new Error('the approvals of the person failed', { cause: self.problem })
    isOver = true
    const restarts = await alive
    const { counts, violations } = await checkHistory(lab, store, self, HOSTS, begin)
    return {
      counts: {
        hosts: victims.length,
        faults: Object.values(happened).reduce((sum, count) => sum + count, 0),
        ...happened,
        ...counts,
        'of these before the faults were over': during,
        'workers that ended by themselves': restarts,
      },
      violations: [...violations, ...left, ...(await harmTo(lab, victims))].map((words) => `seed ${seed}: ${words}`),
    }
  } finally {
    store.close()
  }
}

const endTalk = async (core: Core, taskId: number): Promise<void> => {
  const { status } = await perform(core, getTask, { taskId }, person)
  if (status === 'failed' || status === 'cancelled') return
  await perform(core, cancelTask, { taskId, reason: 'the faults are over' }, person)
}

const victimOf = async (lab: Lab, name: string, blocker: number): Promise<Victim> => {
  const machine = lab.machines[name]!
  mkdirSync(join(machine.home, 'agent'))
  writeFileSync(join(machine.home, 'agent', 'turns.json'), JSON.stringify([[{ say: 'I begin.' }, { until: 'never' }]]))
  const writes = join(machine.home, 'writes')
  const start = {
    worker: ['worker', '--max-parallel', '3'],
    writer: [process.execPath, writer, lab.url, 'board', machine.root, name, writes, String(blocker)],
  }
  const log = (of: string): StdioOptions => {
    const file = openSync(join(lab.folder, `${name}.${of}.log`), 'a')
    return ['ignore', file, file]
  }
  const clock = join(machine.home, 'clock')
  const setClock = (ahead: number): void => writeFileSync(clock, String(ahead))
  setClock(0)
  const env = { ...machine.environment, OWN_CLOCK: clock, NODE_OPTIONS: `--import=${pathToFileURL(ownClock).href}` }
  const work = () => machine.start(start.worker, { stdio: log('worker'), env })
  const write = () => machine.launch(start.writer, { stdio: log('writer') })
  const sentinel = async (): Promise<void> => {
    const script =
      'for s in TERM INT HUP USR1 CONT; do trap "echo $s >> $HOME/foreign" $s; done; while :; do sleep 1; done'
    await Promise.resolve(machine.launch(['sh', '-c', script]))
  }
  await sentinel()
  const victim: Victim = {
    machine,
    worker: work(),
    writer: write(),
    restart: () => void (victim.worker = work()),
    setClock,
    restartWriter: () => void (victim.writer = write()),
    sentinel,
  }
  return victim
}

/** As a service manager, starts a worker again that has ended by itself, for example because it began without the board. */
const keepAlive = async (victims: readonly Victim[], isOver: () => boolean): Promise<number> => {
  let ended = 0
  while (!isOver()) {
    for (const victim of victims) {
      const { child } = victim.worker
      if (child.exitCode === null && child.signalCode === null) continue
      // A fault that killed it starts it again itself.
      if (child.exitCode === null || child.exitCode > 128) continue
      ended++
      victim.restart()
    }
    await sleep(500)
  }
  return ended
}

/** Waits until nothing of it is left, or for a long time not one less; returns the rest. */
const untilLess = async <T>(read: () => Promise<readonly T[]>): Promise<readonly T[]> => {
  let left = await read()
  for (let end = performance.now() + END; left.length > 0 && performance.now() < end; await sleep(500)) {
    const now = await read()
    if (now.length < left.length) end = performance.now() + END
    left = now
  }
  return left
}

type Listed = Awaited<ReturnType<typeof listWork>>

/** Every task of the person ends; one fails for good only after many lost attempts, or killed programs. */
const untilDone = async (self: Person, read: () => Promise<Listed>): Promise<string[]> => {
  const open = async () =>
    (await read()).filter(
      ({ id, status }) => self.tasks.has(id) && !['completed', 'failed', 'cancelled'].includes(status),
    )
  return (await untilLess(open)).map(
    ({ id, status, errorMessage }) => `task ${id} is still ${status}: ${errorMessage ?? ''}`,
  )
}

/** Every worktree whose tasks are completed is merged. */
const untilMerged = async (read: () => Promise<Shown>): Promise<readonly string[]> => {
  const open = async () =>
    (await read()).filter(
      ({ name, status, integration }) =>
        name.startsWith('w') && status === 'active' && integration !== null && integration.status !== 'integrated',
    )
  return (await untilLess(open)).map(
    ({ name, integration }) => `worktree ${name} is not merged, but ${integration?.status}`,
  )
}

const landedOf = (lab: Lab, begin: string): number =>
  Number(
    execFileSync('git', ['-C', lab.remote.folder, 'rev-list', '--count', '--first-parent', `${begin}..main`], {
      encoding: 'utf8',
    }),
  )

/** The chain of events is whole, and every host is back. */
const harmTo = async (lab: Lab, victims: readonly Victim[]): Promise<readonly string[]> => {
  const problems: string[] = []
  await lab.machines['a']!.run(['db', 'check']).catch((error: unknown) => problems.push(String(error)))
  for (const { machine } of victims) {
    const said = readFileSync(join(lab.folder, `${machine.name}.worker.log`), 'utf8')
    const crash = /^(?:Refusal|\w*Error):.*$/m.exec(said.split(/^Node\.js v/m).length > 1 ? said : '')
    if (crash) problems.push(`the worker of ${machine.name} crashed: ${crash[0].slice(0, 300)}`)
  }
  const hosts = await lab.hosts()
  for (const { machine } of victims) {
    const host = hosts[machine.name]!
    if (host.state !== 'up' || host.silentSince !== null)
      problems.push(`host ${machine.name} is ${host.state}, not back`)
  }
  return problems
}
