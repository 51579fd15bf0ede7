import { createHash } from 'node:crypto'
import type { Hook, HookEvent, Hooks } from '../domain/hooks.ts'
import { milliseconds } from '../domain/time.ts'
import { perform } from '../operations/kernel/perform.ts'
import { planDeliveries } from '../operations/plan-deliveries.ts'
import { type Delivery, readDeliveries } from '../operations/read-deliveries.ts'
import { recordDelivery } from '../operations/record-delivery.ts'
import { type ConfiguredHook, deliver } from './hook-delivery.ts'
import { liveConfiguration } from './live-configuration.ts'
import type { Job } from './loops.ts'
import { whileHolding, type World } from './world.ts'

/** How long to go without a look at what is due (ms): another process may have supervised meanwhile. */
const GLANCE = 30_000

/** How long a hook that another process tells is left to it before the next look (ms). */
const PATIENCE = 1000

/** Deliveries to one hook that are made one after the other before the loops look at everything again. */
const IN_A_ROW = 50

/**
 * How long the configuration must stand as it is before hooks that it lacks are forgotten with all that they are still to
 * be told (ms): while somebody writes the file it may be empty or away for a moment.
 */
const STANDING = 10_000

/**
 * The hooks of `on:` as one more source of jobs: gives what is to be told now. Costs a look at the configuration's date
 * while none is configured. The configuration is the main checkout's, a person's file, as it is trusted at that moment.
 */
export const hooksOf = (world: World): ((lastEvent: number, now: number) => Promise<readonly Job[]>) => {
  const { core, actor } = world
  const settings = liveConfiguration(world)
  let seen: Hooks | undefined
  let hooks: ReadonlyMap<string, ConfiguredHook> = new Map()
  let forgetAt = Infinity
  let planned = -1
  let again = 0
  /** What each hook last failed with, told once. */
  const told = new Map<string, string>()
  /** Until when each hook is left to another process that tells it (ms). */
  const elsewhere = new Map<string, number>()

  const known = async (): Promise<readonly string[]> => (await perform(core, readDeliveries, { hooks: [] }, actor)).known
  return async (lastEvent, now) => {
    const { on } = await settings()
    if (on !== seen) {
      seen = on
      hooks = keyed(on)
      planned = -1
      forgetAt = now + STANDING
    }
    const forget = now >= forgetAt
    if (!forget && (hooks.size === 0 || (lastEvent === planned && now < again))) return []
    // Where there never was a hook nothing is written.
    const some = hooks.size > 0 || (await known()).length > 0
    if (some && (forget || lastEvent !== planned)) {
      const { more } = await perform(core, planDeliveries, { hooks: [...hooks.values()].map(({ key, event }) => ({ key, event })), forget }, actor)
      planned = more ? -1 : lastEvent
    }
    if (forget) forgetAt = Infinity
    if (hooks.size === 0) return []
    const { due, nextAt } = await perform(core, readDeliveries, { hooks: [...hooks.keys()] }, actor)
    // What is due is given until it was told: a job may not be begun at once.
    again = due.length > 0 ? now : Math.min(now + GLANCE, nextAt === null ? Infinity : now + milliseconds(nextAt) - milliseconds(core.clock()))
    return due.filter(({ hook }) => now >= (elsewhere.get(hook) ?? 0)).map((first) => jobOf(world, hooks.get(first.hook)!, first, told, elsewhere))
  }
}

const keyed = (on: Hooks): ReadonlyMap<string, ConfiguredHook> =>
  new Map(Object.entries(on).flatMap(([event, hooks]) => hooks.map((hook) => [keyOf(event, hook), { key: keyOf(event, hook), event: event as HookEvent, hook }] as const)))

/** A new token in a header makes no new hook. */
const keyOf = (event: string, hook: Hook): string =>
  createHash('sha256')
    .update(JSON.stringify([event, 'run' in hook ? { run: hook.run } : { post: hook.post }]))
    .digest('hex')

/** Tells one hook what is due, oldest first, until it fails or nothing is left. Of all processes one does it at a time. */
const jobOf = (world: World, hook: ConfiguredHook, first: Delivery, told: Map<string, string>, elsewhere: Map<string, number>): Job => ({
  key: `hook:${hook.key}`,
  run: async () => {
    const held = await whileHolding(world, `hook:${hook.key}`, 0, async () => {
      let next: Delivery | undefined = first
      for (let n = 0; next !== undefined && n < IN_A_ROW; n++) next = (await tell(world, hook, next, told)) ? await nextOf(world, hook) : undefined
    })
    if (!held) elsewhere.set(hook.key, performance.now() + PATIENCE)
  },
})

const nextOf = async ({ core, actor }: World, { key }: ConfiguredHook): Promise<Delivery | undefined> => (await perform(core, readDeliveries, { hooks: [key] }, actor)).due[0]

/** True when the hook took it. */
const tell = async (world: World, configured: ConfiguredHook, delivery: Delivery, told: Map<string, string>): Promise<boolean> => {
  const { core, actor } = world
  const error = await deliver(core.root, configured, delivery)
  const { state, tries } = await perform(core, recordDelivery, { id: delivery.id, tries: delivery.tries, error }, actor)
  if (error === null) {
    told.delete(configured.key)
    return true
  }
  const what = `${nameOf(configured)} (${delivery.taskId === null ? `worktree ${delivery.worktree}` : `task ${delivery.taskId}`})`
  if (state === 'given_up') world.report(`${what} was given up after ${tries} tries in a day: ${error}.`)
  else if (state === 'waiting' && told.get(configured.key) !== error) world.report(`${what} failed and is tried again: ${error}.`)
  told.set(configured.key, error)
  return false
}

/** As a person recognises it; an address may hold a secret behind its host. */
const nameOf = ({ event, hook }: ConfiguredHook): string => `The hook on ${event}, ${'run' in hook ? `'${hook.run.slice(0, 60)}'` : `a post to ${new URL(hook.post).host}`}`
