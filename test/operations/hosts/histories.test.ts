import fc from 'fast-check'
import { expect, test } from 'vitest'
import { selectAgents } from '../../../src/db/agents.ts'
import { selectIntegrations } from '../../../src/db/integrations.ts'
import type { WorktreeRow } from '../../../src/db/schema/worktrees.ts'
import { selectTasks } from '../../../src/db/tasks.ts'
import { selectWorktrees } from '../../../src/db/worktrees.ts'
import { system } from '../../../src/domain/agent/actor.ts'
import { LOCAL } from '../../../src/domain/host/host.ts'
import { restsUnbuilt } from '../../../src/domain/worktree/placement-failures.ts'
import { isRefusal } from '../../../src/domain/rules/refusal.ts'
import type { Core } from '../../../src/operations/perform/core.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { changeHost, joinHost, makeJoinCode } from '../../../src/operations/hosts/membership.ts'
import { forgetHost } from '../../../src/operations/failover/forget-host.ts'
import { listHosts } from '../../../src/operations/hosts/list.ts'
import { loseHost } from '../../../src/operations/failover/lost-hosts.ts'
import { returnHost } from '../../../src/operations/failover/returned-hosts.ts'
import { setRemote } from '../../../src/operations/hosts/remote.ts'
import { takeHost } from '../../../src/operations/hosts/worker.ts'
import { approveIntegration } from '../../../src/operations/integration/decisions.ts'
import { beginMove, recordCandidate, recordMove } from '../../../src/operations/integration/merge.ts'
import { requestIntegration } from '../../../src/operations/integration/request.ts'
import { dispatch } from '../../../src/operations/supervision/dispatch.ts'
import { readWishes } from '../../../src/operations/supervision/wishes.ts'
import { recordLaunch, takeRun } from '../../../src/operations/runs/processes.ts'
import { recordPushed } from '../../../src/operations/hosts/locations.ts'
import { recordRemoval } from '../../../src/operations/worktrees/archive.ts'
import { recordStop, settleRun } from '../../../src/operations/runs/ends.ts'
import { recordVerification } from '../../../src/operations/integration/verification.ts'
import { recordWorktree } from '../../../src/operations/worktrees/building.ts'
import { cancelTask } from '../../../src/operations/tasks/cancel.ts'
import { retryTask } from '../../../src/operations/tasks/retry.ts'
import { continueStranded, readStranded } from '../../../src/operations/failover/stranded.ts'
import { createWorktreeOn } from '../../../src/operations/worktrees/create.ts'
import { discardWorktree } from '../../../src/operations/worktrees/discard.ts'
import { moveWorktree, refuseMove, requestMove } from '../../../src/operations/worktrees/moves.ts'
import { B, launch, twoHosts } from '../../support/board-of-hosts.ts'
import { minute, second } from '../../support/core.ts'
import { dose } from '../../support/dose.ts'
import { testedStore } from '../../support/template.ts'

const C = 'cccccccc'
const oid = (n: number): string => n.toString(16).padStart(40, '0')
const pick = <T>(list: readonly T[], draw: number): T | undefined => list[draw % Math.max(list.length, 1)]

type Event = (a: number, b: number) => Promise<unknown>

/** A board with three hosts, the events that may happen there, and what must hold whatever happens. */
const board = async () => {
  const hosts = await twoHosts()
  const { world, beat: beatOf } = hosts
  const cores: Readonly<Record<string, Core>> = { ...hosts.cores, [C]: { ...world.core, host: C, root: '/c/shop' } }
  const run = world.perform
  await run(setRemote, { url: 'git@git.example.net:shop' })
  const { secret } = await run(makeJoinCode, {})
  await run(joinHost, { secret, hostId: C, name: 'c', machine: 'n', root: '/c/shop' })
  const beat = async (hostId: string): Promise<unknown> => {
    if (hostId !== C) return beatOf(hostId)
    const input = { hostId, holder: 'of c', pid: 1, ttl: minute, root: '/c/shop', program: '1' }
    return run(takeHost, { ...input, kinds: ['claude', 'command'] }, system())
  }
  let commits = 0
  /** The tasks that a person has cancelled, with a worktree or alone, and those of a new worktree that could not be built. */
  const cancelled = new Set<number>()

  const { read } = world.core.store
  const there = async () => (await run(listHosts, {})).filter(({ state }) => state === 'up' || state === 'draining')
  const lost = async () => (await run(listHosts, {})).filter(({ state }) => state === 'lost')
  const rows = (folder?: WorktreeRow['folder']) =>
    selectWorktrees(read, folder === undefined ? {} : { folders: [folder] })
  const reachable = async (folder: WorktreeRow['folder']): Promise<readonly WorktreeRow[]> => {
    const ids = (await there()).map(({ id }) => id)
    return (await rows(folder)).filter((row) => ids.includes(row.host_id) && !restsUnbuilt(row))
  }
  const agentsIn = async (process: 'wanted' | 'started') => {
    const ids = (await there()).map(({ id }) => id)
    return (await selectAgents(read, { live: true, processes: [process] })).filter(({ host_id: host }) =>
      ids.includes(host),
    )
  }
  const pass = async (ms: number): Promise<void> => {
    world.pass(ms)
    for (const { id } of await there()) await beat(id)
  }
  const comeBack = async (hostId: string): Promise<void> => {
    world.pass(second)
    const kept = (await rows('ready'))
      .filter(({ host_id: host }) => host === hostId)
      .map(({ name: worktree }) => ({ worktree, ref: 'r', problem: null, pushed: false }))
    await run(returnHost, { hostId, kept }, system())
    await beat(hostId)
  }
  const build = async ({ name, continues }: WorktreeRow, error: string | null): Promise<void> => {
    const baseOid = error === null ? oid(1) : null
    const { cancelled: ids } = await run(recordWorktree, { name, baseOid, error }, system())
    // Without the folder that they name, tasks would change other files.
    if (continues === null) for (const id of ids) cancelled.add(id)
  }
  const begin = async (a: number): Promise<unknown> => {
    const ready = new Set((await rows('ready')).map(({ name }) => name))
    const agent = pick(
      (await agentsIn('wanted')).filter(({ assigned_worktree: w }) => w === null || ready.has(w)),
      a,
    )
    if (agent === undefined) return undefined
    const { id: agentId, run: n, host_id: host } = agent
    if (agent.stop_requested_at !== null) return run(recordStop, { agentId, run: n, exitCode: null }, system())
    if (!(await perform(cores[host]!, takeRun, { agentId, run: n }, system())).taken) return undefined
    return run(recordLaunch, { agentId, run: n, ...launch }, system())
  }
  const end = async (a: number, completes: boolean): Promise<unknown> => {
    const agent = pick(await agentsIn('started'), a)
    if (agent === undefined) return undefined
    const { id: agentId, run: n } = agent
    if (agent.stop_requested_at !== null) return run(recordStop, { agentId, run: n, exitCode: null }, system())
    const verdict = completes
      ? ({ kind: 'completed', resultData: {} } as const)
      : ({ kind: 'failed', error: 'no' } as const)
    return run(settleRun, { agentId, run: n, exitCode: completes ? 0 : 1, verdict }, system())
  }
  const remove = async (a: number): Promise<unknown> => {
    const host = pick(await there(), a)!.id
    const { worktrees } = await perform(cores[host]!, readWishes, {}, system())
    const one = worktrees.find(({ folder }) => folder === 'leaving')
    if (one === undefined || (await selectAgents(read, { live: true, worktree: one.name })).length > 0) return undefined
    return run(recordRemoval, { name: one.name, archiveRef: null, trashPath: null }, system())
  }
  const push = async (a: number): Promise<unknown> => {
    const row = pick(await reachable('ready'), a)
    if (row === undefined) return undefined
    const commit = oid(++commits)
    await run(recordPushed, { worktree: row.name, oid: commit }, system())
    if (row.move_to === null) return undefined
    try {
      return await perform(cores[row.host_id]!, moveWorktree, { worktreeName: row.name, oid: commit }, system())
    } catch (error) {
      if (!isRefusal(error)) throw error
      return run(refuseMove, { worktreeName: row.name, problem: error.message }, system())
    }
  }
  const prepare = async (a: number, isAuto: boolean): Promise<unknown> => {
    const one = pick(await selectIntegrations(read, { statuses: ['requested'] }), a)
    if (one === undefined || !(await rows('ready')).some(({ name }) => name === one.worktree)) return undefined
    const candidate = { targetOid: oid(1), branchOid: oid(2), mergeOid: oid(++commits) }
    await run(recordCandidate, { id: one.id, candidate, approval: isAuto ? 'auto' : 'human' }, system())
    return run(recordVerification, { id: one.id, mergeOid: candidate.mergeOid, verification: null }, system())
  }
  const land = async (a: number, lands: boolean): Promise<unknown> => {
    const one = pick(await selectIntegrations(read, { statuses: ['approved', 'moving'] }), a)
    if (one === undefined) return undefined
    if (!(await run(beginMove, { id: one.id }, system())).begun) return undefined
    const outcome = lands ? ({ kind: 'landed' } as const) : ({ kind: 'stale', problem: 'main has moved' } as const)
    return run(recordMove, { id: one.id, outcome }, system())
  }
  const stranded = async (): Promise<unknown> => {
    const { stranded: isStranded } = await perform(cores[LOCAL]!, readStranded, {}, system())
    const { continued, stayed, placed } = await perform(cores[LOCAL]!, continueStranded, {}, system())
    expect(continued.length + stayed.length + placed.length > 0).toBe(isStranded)
    return undefined
  }
  const start = () => perform(cores[LOCAL]!, dispatch, { maxParallel: 8 }, system())

  const events: Readonly<Record<string, Event>> = {
    'the hosts beat': (a) => pass([second, 40 * second, 6 * minute, 11 * minute][a % 4]!),
    'a host is lost': (a) => run(loseHost, { host: pick([B, C], a)! }),
    'a host is back': async (a) => {
      const host = pick(await lost(), a)
      return host && comeBack(host.id)
    },
    'a host is drained or resumed': async (a) => {
      const host = pick(await there(), a)!
      return run(changeHost, { host: host.id, to: host.state === 'up' ? 'drain' : 'resume' })
    },
    'a host is forgotten': async (a, b) => {
      const host = b % 3 === 0 ? pick(await lost(), a) : undefined
      return host && run(forgetHost, { host: host.id })
    },
    'a worktree is created': async (a) => {
      const name = `w${(await rows()).length}`
      return (await rows()).length > 5
        ? undefined
        : run(createWorktreeOn, { name, branchName: name, host: pick(await there(), a)!.id })
    },
    'a task is created': async (a, b) => {
      if (b % 4 === 0) return world.task({ metadata: { worktree: 'auto' } })
      const row = pick(
        (await rows()).filter(({ status }) => status === 'active'),
        a,
      )
      if (row === undefined) return
      await world.task({ targetWorktree: row.name })
    },
    'tasks start': start,
    'a program begins': begin,
    'a program ends': (a, b) => end(a, b % 3 > 0),
    'a worktree is built': async (a, b) => {
      const row = pick(await reachable('building'), a)
      return row && build(row, b % 2 === 0 ? 'make was not found' : null)
    },
    'a folder leaves': remove,
    'a worktree is continued': stranded,
    'a branch is pushed': push,
    'a move is wanted': async (a, b) => {
      const row = pick([...(await rows('ready')), ...(await rows('leaving'))], a)
      return row && run(requestMove, { worktreeName: row.name, host: pick([LOCAL, B, C], b)! })
    },
    'a worktree is discarded': async (a) => {
      const row = pick(await rows('ready'), a)
      if (row === undefined) return
      const { cancelled: ids } = await run(discardWorktree, { worktreeName: row.name, reason: 'no' })
      for (const id of ids) cancelled.add(id)
    },
    'a task is cancelled': async (a) => {
      const task = pick(await selectTasks(read, {}), a)
      if (task === undefined) return
      await run(cancelTask, { taskId: task.id })
      cancelled.add(task.id)
    },
    'a task is retried': async (a) => {
      const task = pick(await selectTasks(read, { statuses: ['failed'] }), a)
      return task && run(retryTask, { taskId: task.id })
    },
    'a merge is requested': async (a) => {
      const row = pick(await rows('ready'), a)
      return row && run(requestIntegration, { worktreeName: row.name })
    },
    'a merge is prepared': (a, b) => prepare(a, b % 2 === 0),
    'a merge is approved': async (a) => {
      const one = pick(await selectIntegrations(read, { statuses: ['ready'] }), a)
      const { worktree, target_oid: targetOid, branch_oid: branchOid, merge_oid: mergeOid } = one ?? {}
      if (worktree === undefined || !targetOid || !branchOid || !mergeOid) return undefined
      return run(approveIntegration, { worktreeName: worktree, targetOid, branchOid, mergeOid })
    },
    'a merge lands': (a, b) => land(a, b % 3 > 0),
  }

  /** The open tasks whose worktree has not ended. */
  const startable = async () => {
    const ended = new Set((await rows('gone')).map(({ name }) => name))
    return (await unfinished()).filter(({ target_worktree: name }) => name === null || !ended.has(name))
  }
  const unfinished = () => selectTasks(read, { statuses: ['pending', 'claimed', 'in_progress'] })

  const holds = async (): Promise<void> => {
    const all = await rows()
    for (const { id } of await selectTasks(read, { statuses: ['cancelled'] }))
      expect(cancelled.has(id), `task ${id} was cancelled by a person`).toBe(true)
    for (const { id, target_worktree: name } of await unfinished())
      if (name !== null)
        expect(all.find((row) => row.name === name)?.status, `the worktree of task ${id}`).toBe('active')
    const working = await selectAgents(read, { live: true, processes: ['wanted', 'started'] })
    const places = working.map(({ assigned_worktree: name }) => name).filter((name) => name !== null)
    expect(new Set(places).size, `one agent works in each of ${places.join()}`).toBe(places.length)
    for (const { id, assigned_worktree: name, host_id: host } of working)
      if (name !== null) expect(all.find((one) => one.name === name)?.host_id, `the host of ${id}`).toBe(host)
  }

  /** Everything that waits takes place, and nothing fails; hosts that are lost come back, or never. */
  const calm = async (allComeBack: boolean): Promise<void> => {
    if (allComeBack) for (const { id } of await lost()) await comeBack(id)
    for (const host of await there())
      if (host.state === 'draining') await run(changeHost, { host: host.id, to: 'resume' })
    for (let round = 0; round < 60 && (await startable()).length > 0; round++) {
      await pass(minute)
      await stranded()
      for (const row of await reachable('building')) await build(row, null)
      for (let n = 0; n < 3; n++) await Promise.all([remove(n)])
      for (const [n] of (await rows('ready')).entries()) await push(n)
      await land(0, true)
      await start()
      for (let n = 0; n < 8; n++) await begin(0)
      for (let n = 0; n < 8; n++) await end(0, true)
      await holds()
    }
    expect((await startable()).map(({ id, target_worktree: name }) => `${id} in ${name}`)).toEqual([])
  }
  return { events, holds, calm }
}

/** At night (`HISTORIES=2000`) there are as many as are named. */
const HISTORIES = Number(process.env['HISTORIES'] ?? (testedStore === 'sqlite' ? dose(400, 12) : dose(60, 3)))

test(
  'random losses, returns, moves, drains and decisions of persons lose no task, and no worktree gets two agents',
  { timeout: 300_000 + HISTORIES * 5000 },
  async () => {
    const often = [
      'a task is created',
      'a worktree is continued',
      'a worktree is built',
      'a host is lost',
      'tasks start',
    ]
    const names = [...Object.keys((await board()).events), ...often, ...often]
    const step = fc.tuple(fc.noBias(fc.constantFrom(...names)), fc.noBias(fc.nat(59)), fc.noBias(fc.nat(59)))
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 60, maxLength: 60 }), fc.boolean(), async (history, allComeBack) => {
        const { events, holds, calm } = await board()
        const first = [
          ['a worktree is created', 1],
          ['a worktree is built', 1],
          ['a task is created', 1],
        ] as const
        for (const [name, a, b] of [...first.map(([name, n]) => [name, n, n] as const), ...history]) {
          await events[name]!(a, b).catch((error: unknown) => {
            if (!isRefusal(error)) throw error
          })
          await holds()
        }
        await calm(allComeBack)
      }),
      // To shrink sixty events takes longer than to read them.
      { numRuns: HISTORIES, endOnFailure: true },
    )
  },
)
