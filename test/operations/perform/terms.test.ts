import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Actor, system } from '../../../src/domain/agent/actor.ts'
import type { Operation } from '../../../src/operations/perform/operation.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { SUPERVISOR } from '../../../src/operations/perform/roles.ts'
import { readRole, releaseLease, takeLease } from '../../../src/operations/supervision/leases.ts'
import { createTask } from '../../../src/operations/tasks/create.ts'
import { filesIn, root } from '../../architecture/sources.ts'
import { openCore, refused, second, type World } from '../../support/core.ts'

const TTL = 10 * second

/** Every operation of the program that writes. */
const writes = async (): Promise<readonly Operation[]> => {
  const found: Operation[] = []
  for (const file of filesIn('src/operations')) {
    const module = (await import(join(root, file))) as Readonly<Record<string, unknown>>
    for (const value of Object.values(module)) if (isOperation(value) && value.access !== 'read') found.push(value)
  }
  return found
}

const isOperation = (value: unknown): value is Operation =>
  typeof value === 'object' && value !== null && 'access' in value && 'authority' in value && 'run' in value

/** The operation without its own input and work; `ran` counts how often it got as far as its work. */
const reached = (operation: Operation) => {
  const count = { ran: 0 }
  const probe: Operation = {
    ...operation,
    input: z.any(),
    run: () => {
      count.ran += 1
      return Promise.resolve(null)
    },
    subject: () => null,
    wish: () => undefined,
  }
  return { probe, count }
}

const take = async ({ perform: run }: World, name: string, holder: string): Promise<number> => {
  const lease = await run(takeLease, { name, holder, pid: 1, ttl: TTL }, system())
  expect(lease.granted).toBe(true)
  return lease.term
}

/** A process that holds the lease, is stopped until another one has taken it, and continues. */
const succeeded = async (name: string): Promise<{ world: World; old: number; now: number }> => {
  const world = await openCore()
  const old = await take(world, name, 'stopped')
  world.pass(TTL)
  return { world, old, now: await take(world, name, 'successor') }
}

const supervisor = (holder: string, term: number): Actor => system({ holder, term })
const holder = (name: string, by: string, term: number): Actor =>
  ({ ...system(), roles: [{ name, holder: by, term }] }) as Actor

describe.each<[string, string, (by: string, term: number) => Actor, string]>([
  ['a supervisor', SUPERVISOR, supervisor, 'stale_supervisor'],
  ['the loops of a host', 'host:b', (by, term) => system({ holder: by, term, host: 'b' }), 'stale_host'],
  ['work under a lease', 'landing:main', (by, term) => holder('landing:main', by, term), 'role_lost'],
])('%s that was stopped while another process took over', (_, name, actor, code) => {
  it('writes nothing by any operation, and its successor does', async () => {
    const { world, old, now } = await succeeded(name)
    const all = await writes()
    expect(all.length).toBeGreaterThan(75)
    for (const operation of all) {
      const { probe, count } = reached(operation)
      expect([operation.name, await refused(perform(world.core, probe, {}, actor('stopped', old)))]).toEqual([
        operation.name,
        code,
      ])
      expect([operation.name, count.ran]).toEqual([operation.name, 0])
      await perform(world.core, probe, {}, actor('successor', now))
      expect([operation.name, count.ran]).toEqual([operation.name, 1])
    }
    expect(await world.events()).toEqual([])
  })

  it('writes nothing for its earlier term, even if it has the lease again', async () => {
    const { world, old } = await succeeded(name)
    world.pass(TTL)
    const again = await take(world, name, 'stopped')
    const draft = { title: 'x', personaId: 'implementer' }
    expect(await refused(perform(world.core, createTask, draft, actor('stopped', old)))).toBe(code)
    await perform(world.core, createTask, draft, actor('stopped', again))
  })

  it('writes nothing after the lease was released', async () => {
    const { world, now } = await succeeded(name)
    await world.perform(releaseLease, { name, holder: 'successor' }, system())
    const draft = { title: 'x', personaId: 'implementer' }
    expect(await refused(perform(world.core, createTask, draft, actor('successor', now)))).toBe(code)
  })
})

it('a role is free before it is taken and after it was given back, but not when only its term is over', async () => {
  const world = await openCore()
  const isFree = async (): Promise<boolean> => (await world.perform(readRole, { name: SUPERVISOR }, system())).free
  expect(await isFree()).toBe(true)
  await take(world, SUPERVISOR, 'one')
  expect(await isFree()).toBe(false)
  world.pass(TTL)
  expect(await isFree()).toBe(false)
  await world.perform(releaseLease, { name: SUPERVISOR, holder: 'one' }, system())
  expect(await isFree()).toBe(true)
})
