import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Hook, HookEvent } from '../domain/hooks.ts'
import { maskSecrets } from '../domain/secrets.ts'
import type { Delivery } from '../operations/read-deliveries.ts'
import { logsFolder } from './places.ts'
import { runCommand } from './process.ts'

/** A hook with the event it is for. */
export interface ConfiguredHook {
  readonly key: string
  readonly event: HookEvent
  readonly hook: Hook
}

/** How long a command may take, and an answer to a post (ms). */
const COMMAND_TIME = 60_000
const ANSWER_TIME = 10_000

/** Redirects that are followed for one post. */
const REDIRECTS = 3

/** Tells a hook, once; gives what went wrong, in words. A line of it stands in `.aiswarm/logs/hooks.log`, with what a command printed. */
export const deliver = async (root: string, { event, hook }: ConfiguredHook, delivery: Delivery): Promise<string | null> => {
  mkdirSync(logsFolder(root), { recursive: true, mode: 0o700 })
  const log = join(logsFolder(root), 'hooks.log')
  const say = (text: string): void => appendFileSync(log, `${new Date().toISOString()} ${event} ${delivery.id}: ${maskSecrets(text)}\n`, { mode: 0o600 })
  const about: About = { ...delivery, event }
  say('run' in hook ? hook.run.split('\n')[0]! : `post to ${new URL(hook.post).host}`)
  const error = 'run' in hook ? await run(root, hook.run, log, about) : await post(hook, about)
  say(error ?? 'done')
  return error
}

interface About extends Delivery {
  readonly event: string
}

const run = async (root: string, command: string, log: string, { id, event, payload }: About): Promise<string | null> => {
  const { exitCode, timedOut } = await runCommand(command, {
    cwd: root,
    environment: { AISWARM_EVENT: event, AISWARM_DELIVERY: id },
    input: payload,
    output: log,
    timeout: COMMAND_TIME,
  })
  if (timedOut) return `it did not end within ${COMMAND_TIME / 1000} s`
  if (exitCode === 0) return null
  return exitCode === null ? 'it was ended by a signal' : `exit code ${exitCode}`
}

const post = async (
  { post: to, headers }: { readonly post: string; readonly headers: Readonly<Record<string, string>> },
  { id, event, payload }: About,
): Promise<string | null> => {
  try {
    const own = new Headers(filled(headers))
    own.set('Content-Type', 'application/json')
    own.set('User-Agent', 'aiswarm')
    own.set('X-Aiswarm-Event', event)
    own.set('X-Aiswarm-Delivery', id)
    return await send(new URL(to), { method: 'POST', headers: own, body: payload, redirect: 'manual', signal: AbortSignal.timeout(ANSWER_TIME) }, REDIRECTS)
  } catch (error) {
    return sentenceOf(error)
  }
}

/** 2xx is success. Only a redirect that keeps the method is followed, and never to another host: the headers may hold a secret. */
const send = async (url: URL, request: RequestInit, redirects: number): Promise<string | null> => {
  const response = await fetch(url.href, request)
  await response.body?.cancel()
  if (response.ok) return null
  const location = response.headers.get('location')
  if ((response.status === 307 || response.status === 308) && location !== null && URL.canParse(location, url.href)) {
    const next = new URL(location, url)
    if (next.origin !== url.origin) return `it was sent on to another host, ${next.host}, which is not followed`
    return redirects > 0 ? send(next, request, redirects - 1) : 'it was sent on in circles'
  }
  return `the answer was ${response.status}`
}

/** `${NAME}` in a header stands for a variable of the environment: the configuration is meant to be committed, a token is not. */
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

const sentenceOf = (error: unknown): string => {
  const { name, message, cause } = error as Error
  if (name === 'TimeoutError') return `there was no answer within ${ANSWER_TIME / 1000} s`
  const { code, message: why } = (cause ?? {}) as { readonly code?: unknown; readonly message?: unknown }
  if (typeof code === 'string') return `it cannot be reached (${code})`
  return typeof why === 'string' ? `${message}: ${why}` : message
}
