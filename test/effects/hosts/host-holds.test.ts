import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { selectLease } from '../../../src/db/leases.ts'
import { person, system } from '../../../src/domain/agent/actor.ts'
import { LOCAL } from '../../../src/domain/host/host.ts'
import { rememberHost } from '../../../src/effects/hosts/own-host.ts'
import { whyHold } from '../../../src/effects/loops/capacity.ts'
import { databasePath } from '../../../src/effects/files/paths.ts'
import { startSupervisor } from '../../../src/effects/loops/supervisor.ts'
import { openWorld } from '../../../src/effects/opening/open-core.ts'
import type { World } from '../../../src/effects/world.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { SUPERVISOR } from '../../../src/operations/perform/roles.ts'
import { dispatch } from '../../../src/operations/supervision/dispatch.ts'
import { recordWorktree } from '../../../src/operations/worktrees/building.ts'
import { retryTask } from '../../../src/operations/tasks/retry.ts'
import { joinHost, makeJoinCode } from '../../../src/operations/hosts/membership.ts'
import { listHosts } from '../../../src/operations/hosts/list.ts'
import { takeHost } from '../../../src/operations/hosts/worker.ts'
import { readBoard } from '../../../src/operations/screens/board.ts'
import { createWorktreeOn } from '../../../src/operations/worktrees/create.ts'
import { B } from '../../support/board-of-hosts.ts'
import { openBoardOf } from '../../support/board-of-test.ts'
import { temporaryFolder } from '../../support/core.ts'
import { endProcessesOf } from '../../support/processes.ts'
import { openSwarm, sh, until } from '../swarm.ts'

// Two hosts with a clone each, whose loops run in this process on one board.

const twoClones = async () => {
  const swarm = await openSwarm({ config: 'lease: {ttl: 1500ms, heartbeat: 300ms}\nfleet: {silentAfter: 2s}\n' })
  const clone = join(temporaryFolder(), 'shop')
  sh(
    swarm.root,
    `git clone --quiet . "${clone}"; mkdir -p "${clone}/.aiswarm"; cp .aiswarm/config.yaml "${clone}/.aiswarm"`,
  )
  const { self } = swarm.world
  const opened = await openWorld(clone, {
    openStore: () => openBoardOf(swarm.root, databasePath(swarm.root)),
    self,
    warn: () => {},
  })
  onTestFinished(() => opened.core.store.close())
  onTestFinished(() => endProcessesOf(clone))
  const at = (world: World, host: string): World => ({ ...world, core: { ...world.core, host } })
  const { core } = swarm
  const { secret } = await perform(core, makeJoinCode, {}, person)
  await perform(core, joinHost, { secret, hostId: B, name: 'b', machine: 'm', root: clone }, person)
  rememberHost(swarm.root, LOCAL)
  rememberHost(clone, B)
  // The program that counts as the one that is running is that of the first question.
  expect(whyHold(swarm.world)).toBeUndefined()
  const replaced = join(temporaryFolder(), 'main.js')
  writeFileSync(replaced, 'another version')
  const reports: string[] = []
  return {
    swarm,
    reports,
    hosts: { [LOCAL]: at(swarm.world, LOCAL), [B]: at(opened, B) } as const,
    /** Runs the loops of a host; `isReplaced`: its program was upgraded, so that it may start nothing. */
    begin: (world: World, isReplaced = false): void => {
      const report = (sentence: string): void => void reports.push(sentence)
      const supervisor = startSupervisor(
        { ...world, report, self: isReplaced ? [process.execPath, replaced] : self },
        { maxParallel: 4 },
      )
      onTestFinished(() => supervisor.stop())
    },
    /** Creates a worktree on host B. */
    worktree: (name: string) =>
      perform(core, createWorktreeOn, { name, branchName: `feature/${name}`, host: 'b' }, person),
    held: async (taskId: number) =>
      (await perform(core, readBoard, {}, person)).held.find((one) => one.taskId === taskId)?.why,
  }
}

const REPLACED = 'aiswarm was replaced on disk; restart it'

it('a host that may start nothing closes only itself, also if it plans for the board', async () => {
  const { swarm, hosts, begin, worktree, held, reports } = await twoClones()
  begin(hosts[LOCAL], true)
  await until('the hold of the first host', async () =>
    (await perform(swarm.core, listHosts, {}, person)).some(({ id, hold }) => id === LOCAL && hold === REPLACED),
  )
  begin(hosts[B])
  await until('host b', async () =>
    (await perform(swarm.core, listHosts, {}, person)).some(({ id, beatAt }) => id === B && beatAt !== null),
  )
  await worktree('w')
  const here = await swarm.task({ command: 'true' })
  const there = await swarm.task({ command: 'true', targetWorktree: 'w' })
  await until('its end', async () => (await swarm.show(there.id)).status === 'completed')
  expect(await swarm.show(here.id)).toMatchObject({ status: 'pending', attempt: 0 })
  expect(await held(here.id)).toBe(`it works in the main checkout, and host local starts nothing new: ${REPLACED}`)
  expect(reports.filter((sentence) => sentence.includes('replaced'))).toEqual([
    `No agent is started on this host: ${REPLACED}.`,
  ])
})

it('a run that its host does not take ends, and its task says why it waits', async () => {
  const { swarm, hosts, begin, worktree, held } = await twoClones()
  await worktree('w')
  const { core } = hosts[B]
  await perform(core, recordWorktree, { name: 'w', baseOid: 'a'.repeat(40), error: null }, system())
  // The last heartbeat before the upgrade, and the decision that rests on it.
  const input = { hostId: B, holder: 'former', pid: 1, ttl: 1, root: core.root, program: '1', kinds: ['command'] }
  await perform(core, takeHost, input, system())
  const { id } = await swarm.task({ command: 'true', targetWorktree: 'w' })
  expect((await perform(core, dispatch, { maxParallel: 4 }, system())).started).toHaveLength(1)
  begin(hosts[B], true)
  begin(hosts[LOCAL])
  await until('the end of the run', async () => (await swarm.show(id)).status === 'pending')
  const error = 'Host b did not start it within 2s.'
  const { attempts, retryCount } = await swarm.show(id)
  expect({ attempts, retryCount }).toMatchObject({ attempts: [{ outcome: 'not_started', error }], retryCount: 0 })
  await perform(core, retryTask, { taskId: id }, person)
  await until('the reason', () => held(id))
  expect(await held(id)).toBe(`it works in w, and host b starts nothing new: ${REPLACED}`)
})

it('a host with a newer aiswarm plans for the board, also if an older one did before', async () => {
  const { swarm, hosts, begin, reports } = await twoClones()
  const [older, newer] = [
    { ...hosts[LOCAL], version: '0.9.0' },
    { ...hosts[B], version: '0.10.0' },
  ]
  const holder = async () => (await selectLease(swarm.core.store.read, SUPERVISOR))?.holder
  begin(older)
  await until('the older one', async () => (await holder()) === older.holder)
  begin(newer)
  await until('the newer one', async () => (await holder()) === newer.holder)
  const { id } = await swarm.task({ command: 'true' })
  await until('its end', async () => (await swarm.show(id)).status === 'completed')
  expect(await holder()).toBe(newer.holder)
  expect(reports).toEqual(['Host b has a newer aiswarm (0.10.0) and plans from now on.'])
})
