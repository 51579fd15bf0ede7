import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { LOCAL } from '../../../src/domain/host/host.ts'
import { person } from '../../../src/domain/agent/actor.ts'
import { claimTask } from '../../../src/operations/tasks/claims.ts'
import { registerAgent } from '../../../src/operations/agents/spawn.ts'
import { takeLease } from '../../../src/operations/supervision/leases.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { retryTask } from '../../../src/operations/tasks/retry.ts'
import { requestIntegration } from '../../../src/operations/integration/request.ts'
import { CONFIGURATION_CHANGED } from '../../../src/domain/integration/trusted-configuration.ts'
import { readGuard } from '../../../src/operations/integration/configuration.ts'
import { trustConfiguration } from '../../../src/operations/integration/drift-answers.ts'
import { SUPERVISOR } from '../../../src/operations/perform/roles.ts'
import { newHolder, whileHolding } from '../../../src/effects/lease.ts'
import { dispatchTasks } from '../../../src/effects/loops/dispatcher.ts'
import { rememberHost } from '../../../src/effects/hosts/own-host.ts'
import { MostAtOnce } from '../../../src/effects/guard/trusted-configuration.ts'
import { lookingOn, startSupervisor } from '../../../src/effects/loops/supervisor.ts'
import { supervising, type World } from '../../../src/effects/world.ts'
import { Refusal } from '../../../src/domain/rules/refusal.ts'
import { instant } from '../../../src/domain/words/time.ts'
import { refused } from '../../support/core.ts'
import { commit, git, openSwarm, read, until, write } from '../swarm.ts'
import { connectionOf } from '../../support/store.ts'
import { leavingBoard } from '../../support/unreachable-store.ts'

const supervise = (world: World, maxParallel: number | null = 4) => {
  const [reported, good]: string[][] = [[], []]
  const report = (sentence: string, isGood = false): void => {
    reported!.push(sentence)
    if (isGood) good!.push(sentence)
  }
  const supervisor = startSupervisor({ ...world, report }, { maxParallel })
  onTestFinished(() => supervisor.stop())
  return Object.assign(supervisor, { reported: reported!, good: good! })
}

describe('the supervisor', () => {
  it('runs a board until nothing moves, by priority and dependency', async () => {
    const swarm = await openSwarm()
    const order = (name: string) => `echo ${name} >> order.txt`
    const first = await swarm.task({ command: order('first') })
    const last = await swarm.task({ command: order('last'), dependencies: [first.id], priority: 100 })
    await swarm.task({ command: order('urgent'), priority: 50 })
    const rest = await supervise(swarm.world, 1).untilIdle()
    expect(rest).toMatchObject({ moving: false, completed: 3, failed: [], waiting: [] })
    expect(read(swarm.root, 'order.txt')).toBe('urgent\nfirst\nlast\n')
    expect((await swarm.show(last.id)).attempts).toHaveLength(1)
  })

  it('starts as many agents at a time as the configuration allows now, on every host', async () => {
    const swarm = await openSwarm({ config: 'session: {maxParallel: 1}\n' })
    const other = await swarm.open()
    const elsewhere = new MostAtOnce({ ...other, core: { ...other.core, host: 'bbbbbbbb' } }, null)
    const names = ['one', 'two', 'three']
    for (const name of names) {
      await swarm.build(name)
      await swarm.task({ command: 'until [ -e done ]; do sleep 0.01; done', targetWorktree: name })
    }
    const running = async () => (await swarm.runs()).filter(({ process }) => process === 'started').length
    const home = supervise(swarm.world, null)
    await until('the first agent', async () => (await running()) === 1)
    await elsewhere.reread()
    expect([home.standing().most, elsewhere.now, await running()]).toEqual([1, 1, 1])
    // An agent runs, which may have written it.
    write(swarm.root, { '.aiswarm/config.yaml': 'session: {maxParallel: 2}\n' })
    const { hash } = await until(
      'the difference',
      async () => (await perform(swarm.core, readGuard, {}, person))?.changed,
    )
    expect([home.standing().most, await running()]).toEqual([1, 1])
    await perform(swarm.core, trustConfiguration, { hash }, person)
    await until('the second agent', async () => (await running()) === 2)
    await elsewhere.reread()
    expect([home.standing().most, elsewhere.now, await running()]).toEqual([2, 2, 2])
    for (const name of names) write((await swarm.worktree(name)).path, { done: '' })
  })

  it('follows the configuration also on a first host that does not plan', async () => {
    const swarm = await openSwarm({ config: 'session: {maxParallel: 1}\n' })
    const { core, actor } = swarm.world
    await perform(core, takeLease, { name: SUPERVISOR, holder: newHolder(), pid: process.pid, ttl: 600_000 }, actor)
    rememberHost(swarm.root, LOCAL)
    const home = supervise({ ...swarm.world, core: { ...core, host: LOCAL } }, null)
    await until('its role', () => home.standing().here && home.standing().most === 1)
    write(swarm.root, { '.aiswarm/config.yaml': 'session: {maxParallel: 2}\n' })
    await until('the new number', () => home.standing().most === 2)
    expect(home.reported).toEqual([])
  })

  it('waits for a retry and for its result', async () => {
    const swarm = await openSwarm()
    const { id } = await swarm.task({ command: 'true' })
    // Almost a second before the loops look by themselves again.
    connectionOf(swarm.core.store)
      .prepare('UPDATE task_status SET not_before = ? WHERE task_id = ?')
      .run(instant(Date.now() + 1300), id)
    expect(await supervise(swarm.world).untilIdle()).toMatchObject({ completed: 1, waiting: [] })
  })

  it('runs what another process has just released, although the store notices it a little later', async () => {
    const swarm = await openSwarm()
    const { id } = await swarm.task({ command: 'true' })
    connectionOf(swarm.core.store)
      .prepare('UPDATE task_status SET not_before = ? WHERE task_id = ?')
      .run(instant(Date.now() + 3_600_000), id)
    let asked = 0
    // As it was a second ago.
    const before: { readonly at: number; readonly version: number }[] = []
    const version = (): number => {
      before.push({ at: performance.now(), version: swarm.core.store.version() })
      return before.findLast(({ at }) => at < before.at(-1)!.at - 1000)?.version ?? 0
    }
    const store = Object.create(swarm.core.store, {
      version: { value: () => (asked++, version()) },
      hears: { value: () => true },
    }) as typeof swarm.core.store
    const idle = supervise({ ...swarm.world, core: { ...swarm.core, store } }).untilIdle()
    await until('some looks', () => asked > 30)
    await perform(swarm.core, retryTask, { taskId: id }, person)
    expect(await idle).toMatchObject({ completed: 1, waiting: [] })
  })

  it('reports what cannot continue, and why', async () => {
    const swarm = await openSwarm({ config: 'session: {maxRetries: 0}\n' })
    const { id } = await swarm.task({ command: 'exit 3' })
    await swarm.task({ command: 'true', dependencies: [id] })
    expect(await supervise(swarm.world).untilIdle()).toMatchObject({
      completed: 0,
      failed: [id],
      waiting: [{ taskId: 2, why: `blocked by ${id}` }],
    })
  })

  it('completes an integration if the target allows it', async () => {
    const swarm = await openSwarm({ files: { '.aiswarm/config.yaml': 'integration: {approval: auto}\n' } })
    commit(await swarm.build('auth'), { a: 'x' })
    await perform(swarm.core, requestIntegration, { worktreeName: 'auth' }, person)
    supervise(swarm.world)
    await until('the integration', async () => (await swarm.worktree('auth')).folder === 'gone')
    expect(git(swarm.root, 'show', 'main:a')).toBe('x')
  })

  it('reports a failure once, not ten times a second', async () => {
    const swarm = await openSwarm({ files: { '.aiswarm/config.yaml': 'integration: {approval: auto}\n' } })
    commit(await swarm.build('auth'), { a: 'x' })
    commit(swarm.root, { '.aiswarm/config.yaml': 'integration: {approval: maybe}\n' })
    await perform(swarm.core, requestIntegration, { worktreeName: 'auth' }, person)
    const { reported } = supervise(swarm.world)
    await until('the sentence', () => reported.length > 0)
    // Other work continues meanwhile, turn after turn.
    for (let i = 0; i < 3; i++) {
      const { id } = await swarm.task({ command: 'true' })
      await until('the task', async () => (await swarm.show(id)).status === 'completed')
    }
    expect(reported).toEqual([expect.stringMatching(/^main:\.aiswarm\/config\.yaml:1: integration\.approval/)])
  })
})

describe('two supervisors', () => {
  it('share one lease, and the other takes over when it is released', async () => {
    // Longer than either may be delayed: the lease is released, not lost.
    const swarm = await openSwarm({ config: 'lease: {ttl: 6s}\n' })
    const other = await swarm.open()
    const one = supervise(swarm.world)
    await until('the first', () => one.standing().here)
    const two = supervise(other)
    await until('the second to know the first', () => two.standing().pid === process.pid)
    expect(two.standing().here).toBe(false)
    await one.stop()
    await until('the second to take over', () => two.standing().here)
    const { id } = await swarm.task({ command: 'true' })
    await until('its work', async () => (await swarm.show(id)).status === 'completed')
  })

  it('take over when the lease of a dead one expires', async () => {
    const swarm = await openSwarm({ config: 'lease: {ttl: 1s}\n' })
    const lasts = (ttl: number) =>
      perform(swarm.core, takeLease, { name: SUPERVISOR, holder: 'killed', pid: 1, ttl }, swarm.world.actor)
    await lasts(600_000)
    const two = supervise(swarm.world)
    await until('the second to know the first', () => two.standing().pid === 1)
    expect(two.standing().here).toBe(false)
    await lasts(1)
    await until('the second to take over', () => two.standing().here)
  })

  it('take over from a killed one at once, whatever is left of its lease', async () => {
    const swarm = await openSwarm()
    const holder = newHolder().replace(/^\d+/, String(spawnSync('true').pid))
    await perform(swarm.core, takeLease, { name: SUPERVISOR, holder, pid: 1, ttl: 600_000 }, swarm.world.actor)
    const two = supervise(swarm.world)
    await until('the second to take over', () => two.standing().here)
  })

  it('give every lease holder a whole term after a suspension of a minute', async () => {
    const swarm = await openSwarm()
    await swarm.task({})
    await perform(swarm.core, registerAgent, { id: 'ext', personaId: 'implementer' }, person)
    await perform(swarm.core, claimTask, { taskId: 1, agentId: 'ext' }, person)
    let stood = 0
    const core = { ...swarm.core, monotonic: () => ({ boot: 'this', ms: 1_000_000 + stood }) }
    const real = performance.now.bind(performance)
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => real() + stood)
    onTestFinished(() => clock.mockRestore())
    const ends = () =>
      connectionOf(swarm.core.store)
        .prepare("SELECT ends_ms FROM deadlines WHERE subject = 'task' AND boot = 'this'")
        .pluck()
        .get()
    const supervisor = supervise({ ...swarm.world, core }, 0)
    await until('the first sweep', () => supervisor.standing().here && ends() !== undefined)
    // The whole machine was suspended, and this process is the first to resume.
    stood = 66_000
    await until('a new term', () => Number(ends()) > 1_060_000)
    expect(await swarm.show(1)).toMatchObject({ status: 'claimed', attempts: [{ outcome: null }] })
  })

  it('give every lease holder a whole term after the board was away, also the one that did not plan before', async () => {
    const swarm = await openSwarm()
    await swarm.task({})
    await perform(swarm.core, registerAgent, { id: 'ext', personaId: 'implementer' }, person)
    await perform(swarm.core, claimTask, { taskId: 1, agentId: 'ext' }, person)
    const ends = () =>
      connectionOf(swarm.core.store).prepare("SELECT ends_ms FROM deadlines WHERE subject = 'task'").pluck().get()
    const before = Number(ends())
    // The one that planned could not renew its role for a minute, and neither could the agent its lease.
    const ttl = 1
    await perform(swarm.core, takeLease, { name: SUPERVISOR, holder: 'away', pid: 1, ttl }, swarm.world.actor)
    connectionOf(swarm.core.store).exec(
      "UPDATE leases SET expires_at = '2020-01-01T00:00:00.000Z'; UPDATE deadlines SET ends_ms = 1 WHERE subject <> 'role'",
    )
    const supervisor = supervise(swarm.world)
    await until('its role', () => supervisor.standing().here)
    await until('the new terms', () => Number(ends()) >= before)
    expect(await swarm.show(1)).toMatchObject({ status: 'claimed', attempts: [{ outcome: null }] })
  })

  it('do not both act: the one whose lease expired writes nothing', async () => {
    const swarm = await openSwarm()
    await perform(
      swarm.core,
      takeLease,
      { name: SUPERVISOR, holder: 'another', pid: 1, ttl: 60_000 },
      swarm.world.actor,
    )
    await swarm.task({ command: 'true' })
    expect(
      await refused(
        dispatchTasks(
          supervising(swarm.world, () => 1),
          4,
        ),
      ),
    ).toBe('stale_supervisor')
    expect(await swarm.runs()).toEqual([])
  })
})

it('integrations wait for a person while the configuration is not trusted, and no loop spins', async () => {
  const swarm = await openSwarm()
  commit(await swarm.build('auth'), { a: 'x' })
  git(swarm.root, 'config', 'merge.evil.driver', 'x')
  await perform(swarm.core, requestIntegration, { worktreeName: 'auth' }, person)
  const supervisor = supervise(swarm.world)
  expect(await supervisor.untilIdle()).toMatchObject({ moving: false })
  expect(supervisor.reported).toEqual([CONFIGURATION_CHANGED])
})

describe('a role', () => {
  it('is held by one process at a time, in turn', async () => {
    const swarm = await openSwarm()
    const worlds = [swarm.world, await swarm.open(), await swarm.open()]
    let inside = 0
    let most = 0
    const turns = await Promise.all(
      [...worlds, ...worlds].map((world) =>
        whileHolding(world, 'test', 10_000, async () => {
          most = Math.max(most, ++inside)
          await world.core.store.write(() => Promise.resolve())
          inside--
          return true
        }),
      ),
    )
    expect(turns).toEqual(Array.from({ length: 6 }, () => ({ result: true })))
    expect(most).toBe(1)
  })

  it('that is taken is awaited only for a limited time', async () => {
    const swarm = await openSwarm()
    const other = await swarm.open()
    const inner = await whileHolding(swarm.world, 'test', 0, () =>
      whileHolding(other, 'test', 0, () => Promise.resolve('both')),
    )
    expect(inner).toEqual({ result: undefined })
  })

  it('is released after work that threw', async () => {
    const swarm = await openSwarm()
    await expect(whileHolding(swarm.world, 'test', 0, () => Promise.reject(new Error('oh')))).rejects.toThrow('oh')
    expect(await whileHolding(swarm.world, 'test', 0, () => Promise.resolve(1))).toEqual({ result: 1 })
  })
})

it('a supervisor reports that the board takes no writes, and that it takes them again', async () => {
  const { world } = await openSwarm()
  let full = false
  const { store } = world.core
  const cramped = {
    ...store,
    version: () => store.version(),
    read: store.read,
    write: (...of: Parameters<typeof store.write>) =>
      full ? Promise.reject(new Refusal('disk_failed', 'The server has no room left.')) : store.write(...of),
  } as typeof store
  const { reported, good } = supervise({ ...world, core: { ...world.core, store: cramped } })
  const told = (sentence: string) => until(sentence, () => reported.at(-1) === sentence)
  full = true
  await told('The server has no room left.')
  full = false
  await told('The board takes writes again.')
  expect(good).toEqual(['The board takes writes again.'])
})

describe('a wait for the end of the work', () => {
  it.each([['here'], ['on other hosts']])('%s continues while the board cannot be read', async (where) => {
    const swarm = await openSwarm()
    await swarm.task({ command: 'until [ -e done ]; do sleep 0.01; done' })
    const { state, world } = leavingBoard(swarm.world)
    const here = supervise(where === 'here' ? world : swarm.world)
    const waiting = where === 'here' ? here : lookingOn(world)
    onTestFinished(() => waiting.stop())
    await until('the agent', async () => (await swarm.runs())[0]?.process === 'started')
    const idle = waiting.untilIdle()
    let ended = false
    idle.then(
      () => (ended = true),
      () => (ended = true),
    )
    state.away = true
    await until('refused reads', () => state.refused > 3)
    expect(ended).toBe(false)
    state.away = false
    write(swarm.root, { done: '' })
    expect(await idle).toMatchObject({ completed: 1, waiting: [] })
  })

  it('does not ask a board in which nothing changes more than twice a second', async () => {
    const swarm = await openSwarm()
    await swarm.task({ command: 'sleep 60' })
    const { state, world } = leavingBoard(swarm.world)
    const looking = lookingOn(world)
    supervise(swarm.world)
    await until('the agent', async () => (await swarm.runs())[0]?.process === 'started')
    const settled = swarm.core.store.version()
    await until('quiet', () => swarm.core.store.version() === settled)
    const idle = looking.untilIdle()
    state.reads = 0
    await sleep(3000)
    // The hosts are looked at too.
    expect(state.reads).toBeLessThan(12)
    await looking.stop()
    expect(await idle).toMatchObject({ moving: true })
  })

  it('ends if the board is at another place now', async () => {
    const swarm = await openSwarm()
    await swarm.task({ command: 'sleep 60' })
    const { state, world } = leavingBoard(swarm.world)
    const looking = lookingOn(world)
    onTestFinished(() => looking.stop())
    state.away = true
    state.refusal = new Refusal('database_moved', 'The board is elsewhere.')
    expect(await refused(looking.untilIdle())).toBe('database_moved')
  })
})

it('a supervisor reports that the board cannot be reached, and that it answers again', async () => {
  const { state, world } = leavingBoard((await openSwarm()).world)
  const { reported, good } = supervise(world)
  const told = (sentence: string) => until(sentence, () => reported.at(-1) === sentence)
  for (const reason of ['refused', 'starting up']) {
    state.refusal = new Refusal('store_unreachable', `The server does not answer (${reason}).`)
    state.refused = 0
    state.away = true
    await until('refused turns', () => state.refused > 1)
  }
  await told('The server does not answer (refused).')
  state.away = false
  await told('The board answers again.')
  expect(reported).toEqual(['The server does not answer (refused).', 'The board answers again.'])
  expect(good).toEqual(['The board answers again.'])
})

it('a supervisor reports once that the board answers again, also if only a job was refused', async () => {
  const swarm = await openSwarm()
  await swarm.task({ command: 'touch ended' })
  const { store } = swarm.core
  let refused = false
  const write: typeof store.write = (...of) => {
    if (refused || !existsSync(join(swarm.root, 'ended'))) return store.write(...of)
    refused = true
    return Promise.reject(new Refusal('store_unreachable', 'The server does not answer.'))
  }
  const leaving = { ...store, version: () => store.version(), read: store.read, write } as typeof store
  const supervisor = supervise({ ...swarm.world, core: { ...swarm.core, store: leaving } })
  expect(await supervisor.untilIdle()).toMatchObject({ completed: 1 })
  expect(refused).toBe(true)
  expect(supervisor.reported).toEqual(['The server does not answer.', 'The board answers again.'])
})
