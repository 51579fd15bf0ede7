import { createHash } from 'node:crypto'
import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Hook, HookEvent, Hooks } from '../../domain/settings/hooks.ts'
import { maskSecrets } from '../../domain/words/secrets.ts'
import { milliseconds } from '../../domain/words/time.ts'
import { perform } from '../../operations/perform/perform.ts'
import {
  type Delivery,
  planDeliveries,
  readDeliveries,
  recordDelivery,
} from '../../operations/supervision/deliveries.ts'
import { logsFolder } from '../files/paths.ts'
import { liveConfiguration } from '../guard/trusted-configuration.ts'
import type { Job } from '../job.ts'
import { whileHolding } from '../lease.ts'
import { runCommand } from '../processes/process.ts'
import type { World } from '../world.ts'

/** The longest time between two queries for due deliveries (ms): another process may have supervised meanwhile. */
const GLANCE = 30_000

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

/** A hook with its event. */
interface ConfiguredHook {
  readonly key: string
  readonly event: HookEvent
  readonly hook: Hook
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

/** How long a hook that another process is delivering to is left to that process (ms). */
const PATIENCE = 1000

/** Deliveries to one hook in a row before the loops check everything else. */
const IN_A_ROW = 50

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

/** Time limits for a command, and for the answer to a post (ms). */
const patience = { command: 60_000, answer: 10_000 }

/**
 * Delivers an event to a hook once and returns the failure as a sentence. `.aiswarm/logs/hooks.log` gets one line for
 * it, with the command's output.
 */
export const deliver = async (
  root: string,
  { event, hook }: ConfiguredHook,
  delivery: Delivery,
  within = patience,
): Promise<string | null> => {
  mkdirSync(logsFolder(root), { recursive: true, mode: 0o700 })
  const log = join(logsFolder(root), 'hooks.log')
  const say = (text: string): void =>
    appendFileSync(log, `${new Date().toISOString()} ${event} ${delivery.id}: ${maskSecrets(text)}\n`, { mode: 0o600 })
  const about: About = { ...delivery, event }
  say('run' in hook ? hook.run.split('\n')[0]! : `post to ${new URL(hook.post).host}`)
  const error =
    'run' in hook ? await run(root, hook.run, log, about, within.command) : await post(hook, about, within.answer)
  say(error ?? 'done')
  return error
}

interface About extends Delivery {
  readonly event: string
}

const run = async (
  root: string,
  command: string,
  log: string,
  { id, event, payload }: About,
  timeout: number,
): Promise<string | null> => {
  const { exitCode, timedOut } = await runCommand(command, {
    cwd: root,
    environment: { AISWARM_EVENT: event, AISWARM_DELIVERY: id },
    input: payload,
    output: log,
    timeout,
  })
  if (timedOut) return `it did not exit within ${timeout / 1000} s`
  if (exitCode === 0) return null
  return exitCode === null ? 'it was killed by a signal' : `exit code ${exitCode}`
}

const post = async (
  { post: to, headers }: { readonly post: string; readonly headers: Readonly<Record<string, string>> },
  { id, event, payload }: About,
  timeout: number,
): Promise<string | null> => {
  try {
    const own = new Headers(filled(headers))
    own.set('Content-Type', 'application/json')
    own.set('User-Agent', 'aiswarm')
    own.set('X-Aiswarm-Event', event)
    own.set('X-Aiswarm-Delivery', id)
    // Redirects are not followed: the headers may hold a secret, and only the configuration decides who receives it.
    const response = await fetch(to, {
      method: 'POST',
      headers: own,
      body: payload,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeout),
    })
    await response.body?.cancel()
    return response.ok ? null : refused(response)
  } catch (error) {
    return sentenceOf(error, timeout)
  }
}

const refused = ({ status, headers }: Response): string =>
  headers.has('location') && status >= 300 && status < 400
    ? `the response was ${status}, and redirects are not followed`
    : `the response was ${status}`

/**
 * `${NAME}` in a header is replaced by an environment variable: the configuration is meant to be committed, a token is
 * not.
 */
const filled = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([header, value]) => [
      header,
      value.replace(/\$\{(\w+)\}/g, (_, name: string) => {
        const found = process.env[name]
        if (found === undefined) throw new Error(`its header ${header} needs the variable ${name}, which is not set`)
        return found
      }),
    ]),
  )

const sentenceOf = (error: unknown, timeout: number): string => {
  const { name, message, cause } = error as Error
  if (name === 'TimeoutError') return `there was no response within ${timeout / 1000} s`
  const { code, message: why } = (cause ?? {}) as { readonly code?: unknown; readonly message?: unknown }
  if (typeof code === 'string') return `it cannot be reached (${code})`
  return typeof why === 'string' ? `${message}: ${why}` : message
}
