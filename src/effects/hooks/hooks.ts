import { createHash } from 'node:crypto'
import type { Hook, HookEvent, Hooks } from '../../domain/settings/hooks.ts'
import { milliseconds } from '../../domain/words/time.ts'
import { perform } from '../../operations/perform/perform.ts'
import {
  type Delivery,
  planDeliveries,
  readDeliveries,
  recordDelivery,
} from '../../operations/supervision/deliveries.ts'
import { type ConfiguredHook, deliver } from './delivery.ts'
import { liveConfiguration } from '../guard/trusted-configuration.ts'
import type { Job } from '../job.ts'
import { whileHolding } from '../lease.ts'
import type { World } from '../world.ts'

/** The longest time between two queries for due deliveries (ms): another process may have supervised meanwhile. */
const GLANCE = 30_000

/** How long a hook that another process is delivering to is left to that process (ms). */
const PATIENCE = 1000

/** Deliveries to one hook in a row before the loops check everything else. */
const IN_A_ROW = 50

/**
 * How long the configuration must be unchanged before removed hooks and their pending deliveries are deleted (ms):
 * while an editor writes the file, it may be empty or missing for a moment.
 */
const STANDING = 10_000

/**
 * The hooks of `on:` as a source of jobs: returns the deliveries that are due. Without hooks it only checks the
 * configuration's date. It uses the trusted configuration of the main checkout.
 */
export const hooksOf = (world: World): ((lastEvent: number, now: number) => Promise<readonly Job[]>) => {
  const { core } = world
  const settings = liveConfiguration(world)
  let seen: Hooks | undefined
  let hooks: ReadonlyMap<string, ConfiguredHook> = new Map()
  let forgetAt = Infinity
  let planned = -1
  let again = 0
  /** The last failure of each hook, reported once. */
  const told = new Map<string, string>()
  /** The time until which each hook is left to another process (ms). */
  const elsewhere = new Map<string, number>()

  const known = async (): Promise<readonly string[]> =>
    (await perform(core, readDeliveries, { hooks: [] }, world.actor)).known
  return async (lastEvent, now) => {
    // One term for the whole turn and its jobs.
    const acting = { ...world }
    const { actor } = acting
    const { on } = await settings()
    if (on !== seen) {
      seen = on
      hooks = keyed(on)
      planned = -1
      forgetAt = now + STANDING
    }
    const forget = now >= forgetAt
    if (!forget && (hooks.size === 0 || (lastEvent === planned && now < again))) return []
    // Nothing is written to the database until there was a hook.
    const some = hooks.size > 0 || (await known()).length > 0
    if (some && (forget || lastEvent !== planned)) {
      const { more } = await perform(
        core,
        planDeliveries,
        { hooks: [...hooks.values()].map(({ key, event }) => ({ key, event })), forget },
        actor,
      )
      planned = more ? -1 : lastEvent
    }
    if (forget) forgetAt = Infinity
    if (hooks.size === 0) return []
    const { due, nextAt } = await perform(core, readDeliveries, { hooks: [...hooks.keys()] }, actor)
    // A due delivery is returned until it was made, because a job may not start at once.
    again =
      due.length > 0
        ? now
        : Math.min(now + GLANCE, nextAt === null ? Infinity : now + milliseconds(nextAt) - milliseconds(core.clock()))
    return due
      .filter(({ hook }) => now >= (elsewhere.get(hook) ?? 0))
      .map((first) => jobOf(acting, hooks.get(first.hook)!, first, told, elsewhere))
  }
}

const keyed = (on: Hooks): ReadonlyMap<string, ConfiguredHook> =>
  new Map(
    Object.entries(on).flatMap(([event, hooks]) =>
      hooks.map((hook) => [keyOf(event, hook), { key: keyOf(event, hook), event: event as HookEvent, hook }] as const),
    ),
  )

/** A new token in a header does not make a new hook. */
const keyOf = (event: string, hook: Hook): string =>
  createHash('sha256')
    .update(JSON.stringify([event, 'run' in hook ? { run: hook.run } : { post: hook.post }]))
    .digest('hex')

/**
 * Delivers due events to one hook, oldest first, until a delivery fails or none is left. Only one process does so at a
 * time.
 */
const jobOf = (
  world: World,
  hook: ConfiguredHook,
  first: Delivery,
  told: Map<string, string>,
  elsewhere: Map<string, number>,
): Job => ({
  key: `hook:${hook.key}`,
  run: async () => {
    const held = await whileHolding(world, `hook:${hook.key}`, 0, async (alone) => {
      let next: Delivery | undefined = first
      for (let n = 0; next !== undefined && n < IN_A_ROW; n++)
        next = (await tell(alone, hook, next, told)) ? await nextOf(alone, hook) : undefined
    })
    if (!held) elsewhere.set(hook.key, performance.now() + PATIENCE)
  },
})

const nextOf = async ({ core, actor }: World, { key }: ConfiguredHook): Promise<Delivery | undefined> =>
  (await perform(core, readDeliveries, { hooks: [key] }, actor)).due[0]

/** True if the hook accepted the delivery. */
const tell = async (
  world: World,
  configured: ConfiguredHook,
  delivery: Delivery,
  told: Map<string, string>,
): Promise<boolean> => {
  const { core, actor } = world
  const error = await deliver(core.root, configured, delivery)
  const { state, tries } = await perform(core, recordDelivery, { id: delivery.id, tries: delivery.tries, error }, actor)
  if (error === null) {
    told.delete(configured.key)
    return true
  }
  const what = `${nameOf(configured)} (${delivery.taskId === null ? `worktree ${delivery.worktree}` : `task ${delivery.taskId}`})`
  if (state === 'given_up') world.report(`${what} is not retried any more after ${tries} tries in a day: ${error}.`)
  else if (state === 'waiting' && told.get(configured.key) !== error)
    world.report(`${what} failed and will be retried: ${error}.`)
  told.set(configured.key, error)
  return false
}

/** The hook as a person recognises it, without the path of an address, which may hold a secret. */
const nameOf = ({ event, hook }: ConfiguredHook): string =>
  `The hook on ${event}, ${'run' in hook ? `'${hook.run.slice(0, 60)}'` : `a POST to ${new URL(hook.post).host}`}`
