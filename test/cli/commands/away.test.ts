import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { person, system } from '../../../src/domain/agent/actor.ts'
import { Refusal } from '../../../src/domain/rules/refusal.ts'
import type { Outside } from '../../../src/contracts/outside.ts'
import type { Services } from '../../../src/cli/call/services.ts'
import type { Core } from '../../../src/operations/perform/core.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { loseHost } from '../../../src/operations/failover/lost-hosts.ts'
import { setRemote } from '../../../src/operations/hosts/remote.ts'
import { recordPushed } from '../../../src/operations/hosts/locations.ts'
import { recordWorktree } from '../../../src/operations/worktrees/building.ts'
import { continueStranded } from '../../../src/operations/failover/stranded.ts'
import { moveWorktree } from '../../../src/operations/worktrees/moves.ts'
import { withAbsence } from '../../support/unreachable-store.ts'
import { B, onB, twoHosts, worktreeOn } from '../../support/board-of-hosts.ts'
import { openTerminal } from '../terminal.ts'

// Commands that look at the board again and again, while its server is away for some of their looks.

/** A command line on this board; `meanwhile` runs between two looks, of which it gets the number. */
const openOn = async (
  core: Core,
  meanwhile: (look: number, stop: () => void) => Promise<void>,
  { outside, ...services }: Partial<Services> & { outside?: Partial<Outside> } = {},
) => {
  const absence = withAbsence({ core })
  const stop = new AbortController()
  let looks = 0
  const terminal = await openTerminal({
    streams: { signal: stop.signal },
    services: {
      open: () =>
        Promise.resolve({
          core: absence.world.core,
          actor: person,
          outside: { carryOut: () => Promise.resolve(), ...outside } as Outside,
        }),
      nextChange: async () => {
        if (++looks > 20) throw new Error('too many looks')
        await setImmediate()
        await meanwhile(looks, () => stop.abort())
      },
      ...services,
    },
  })
  return { ...terminal, ...absence }
}

const away = 'The server does not answer. The command waits for it.\n'
const again = 'The board answers again.\n'

test('a wait for the end of a drained host lasts over an outage of the board, which is said once', async () => {
  const { world, cores, agentId } = await onB()
  const { run, refuse } = await openOn(cores['local']!, async (look) => {
    if (look === 1) refuse(1, Infinity)
    if (look === 4) refuse(Infinity)
    if (look === 5)
      await world.store.write((db) =>
        db.updateTable('agents').set({ process: 'none' }).where('id', '=', agentId).execute(),
      )
  })
  const { code, out, err } = await run('host', 'drain', 'b', '--wait', '1h')
  expect(err).toBe(`${away}${again}`)
  expect(out).toBe('Host b starts nothing new, and has finished.\n')
  expect(code).toBe(0)
})

test('a wait that ends while the board is away says that it is not known whether the host has finished', async () => {
  const { cores } = await onB()
  const { run, refuse } = await openOn(cores['local']!, async (look, stop) => {
    refuse(1, Infinity)
    if (look === 3) stop()
  })
  const { code, out } = await run('host', 'drain', 'b', '--wait', '1h')
  expect(out).toBe(
    'Host b starts nothing new; whether it has finished is not known, because the board does not answer.\n',
  )
  expect(code).toBe(3)
})

test('another refusal than an outage ends a wait for a drained host', async () => {
  const { world, cores } = await onB()
  const { run } = await openOn(cores['local']!, async () => void (await world.perform(loseHost, { host: 'b' })))
  const { code, err } = await run('host', 'drain', 'b', '--wait', '1h')
  expect(err).toMatch(/^Host b is lost now/)
  expect(code).toBe(1)
})

test('a wait for a worktree that moves lasts over an outage of the board', async () => {
  const { world, cores } = await twoHosts()
  await world.perform(setRemote, { url: 'git@git.example.net:shop' })
  await worktreeOn(world, 'b')
  const oid = 'b'.repeat(40)
  const { run, refuse } = await openOn(cores['local']!, async (look) => {
    if (look === 1) refuse(1, Infinity)
    if (look === 3) refuse(Infinity)
    if (look < 4) return
    await world.perform(recordPushed, { worktree: 'w', oid }, system())
    const { successor } = await perform(cores[B]!, moveWorktree, { worktreeName: 'w', oid }, system())
    if (successor !== null)
      await world.perform(recordWorktree, { name: successor, baseOid: oid, error: null }, system())
  })
  const { out, err } = await run('worktree', 'move', 'w', '--host', 'local')
  expect(err).toBe(`${away}${again}`)
  expect(out).toMatch(/^Worktree w-2 continues w on host local\./)
})

/** A worktree of host B that moves to the first host, while `meanwhile` happens. */
const moving = async (
  meanwhile: (about: Awaited<ReturnType<typeof twoHosts>>, stop: () => void) => Promise<unknown>,
) => {
  const hosts = await twoHosts()
  await hosts.world.perform(setRemote, { url: 'git@git.example.net:shop' })
  await worktreeOn(hosts.world, 'b')
  const { run } = await openOn(hosts.cores['local']!, async (_, stop) => void (await meanwhile(hosts, stop)))
  return run('worktree', 'move', 'w', '--host', 'local')
}

test('a wait for a worktree that moves ends when a person undoes the move, and so does the command that undoes it', async () => {
  let undone = ''
  const { code, err } = await moving(async ({ cores }) => {
    const { run } = await openOn(cores['local']!, () => Promise.resolve())
    undone = (await run('worktree', 'move', 'w', '--host', 'b')).out
  })
  expect(err).toBe('The move of worktree w was undone. It stays on host b.\n')
  expect(code).toBe(1)
  expect(undone).toBe('Worktree w stays on host b; its move was undone.\n')
})

test('a wait for a worktree that moves ends with the reason when its host is lost', async () => {
  const { code, err } = await moving(async ({ world, cores }) => {
    await world.perform(loseHost, { host: 'b' })
    await perform(cores['local']!, continueStranded, {}, system())
  })
  expect(err).toBe('Host b was declared lost before it had pushed all of w.\n')
  expect(code).toBe(1)
})

test('a wait for a worktree that moves says when it ends how the move is undone', async () => {
  const { out } = await moving((_, stop) => Promise.resolve(stop()))
  expect(out).toBe(
    "Host b has not pushed w yet; it is moved to host local when it has. 'aiswarm worktree move w --host b' undoes the move.\n",
  )
})

test('a followed log continues after an outage of the board, and prints each line once', async () => {
  const { cores, agentId } = await onB()
  let output = 'one\n'
  let isAwayBetween = false
  const { run } = await openOn(
    cores['local']!,
    (look, stop) => {
      if (look === 1) {
        output += 'two\nthree\n'
        isAwayBetween = true
      }
      if (look === 2) isAwayBetween = false
      if (look === 3) stop()
      return Promise.resolve()
    },
    {
      outside: {
        readRawOutput: () => Promise.resolve({ text: output, next: output.length, size: output.length }),
        // In pieces, of which the board refuses the second.
        readOutput: (_, { offset }: { offset: number }) => {
          if (isAwayBetween && offset === 8) throw new Refusal('store_unreachable', 'The server does not answer.')
          const text = output.slice(offset, offset + 4)
          return Promise.resolve({ text, next: offset + text.length, size: output.length })
        },
      },
    },
  )
  const { code, out, err } = await run('agent', 'logs', agentId, '--follow')
  expect(out).toBe('one\ntwo\nthree\n')
  expect(err).toBe(`${away}${again}`)
  expect(code).toBe(0)
})

test('a log of a board that is away from the start is not followed', async () => {
  const { cores } = await onB()
  const { run, refuse } = await openOn(cores['local']!, () => Promise.reject(new Error('no second look was expected')))
  refuse(1, Infinity)
  const { code, err } = await run('task', 'logs', '1', '--follow')
  expect(err).toBe('The server does not answer.\n')
  expect(code).toBe(1)
})

test('the results of agents that have ended are printed although the board is away for a moment then', async () => {
  const { cores } = await twoHosts()
  const terminal = await openOn(
    cores['local']!,

    async () => terminal.refuse(Infinity),
    { runTasks: () => Promise.resolve(terminal.refuse(1, Infinity)) },
  )
  const { out, err } = await terminal.run('agent', 'run', 'backend', 'Bake')
  expect(err).toBe(`${away}${again}`)
  expect(out).toMatch(/^backend:/)
})
