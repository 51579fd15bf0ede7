import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Hook, HookEvent } from '../../domain/settings/hooks.ts'
import { maskSecrets } from '../../domain/words/secrets.ts'
import type { Delivery } from '../../operations/supervision/deliveries.ts'
import { logsFolder } from '../files/paths.ts'
import { runCommand } from '../processes/process.ts'

/** A hook with its event. */
export interface ConfiguredHook {
  readonly key: string
  readonly event: HookEvent
  readonly hook: Hook
}

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
