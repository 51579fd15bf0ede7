import { z } from 'zod'
import { SERVER_NAME } from '../../agents/kind/server-config.ts'
import { knownClis, protocolOf } from '../../agents/kinds.ts'
import { noLimits } from '../../domain/budget/budget.ts'
import { attentionKinds } from '../../domain/request/inbox.ts'
import { parseRule } from '../../domain/request/permission.ts'
import { hostPattern } from '../../domain/sandbox/allowlist.ts'
import { approvals, networks, sandboxModes, toolsets } from '../../domain/settings/agent-settings.ts'
import { type Hook, type HookEvent, hookEvents } from '../../domain/settings/hooks.ts'
import { noticeCommand } from '../../domain/settings/notices.ts'
import { consoleThemes, defaultFleet } from '../../domain/settings/settings.ts'
import { parseDuration } from '../../domain/words/time.ts'

const count = z.int('a whole number is expected').min(0)
const port = z.int('a port is a whole number').min(1).max(65_535)

const limits = z
  .object({
    costUsd: z
      .number('an amount in dollars is expected, such as 2.5')
      .positive('a budget is greater than 0')
      .nullable()
      .default(null),
    tokens: z
      .int('a whole number of tokens is expected')
      .positive('a budget is greater than 0')
      .nullable()
      .default(null),
  })
  .nullish()
  .transform((given) => given ?? noLimits)

const oneKey = z.union(
  [z.string().min(1), z.int().min(0).max(9).transform(String)],
  "a key is written as 'S', 'ctrl-s' or 'page-down'",
)
const keysOf = z.union(
  [oneKey.transform((key) => [key]), z.array(oneKey)],
  "a key is written as 'S', 'ctrl-s' or 'page-down'; several as a list",
)

const sandboxMode = z.enum(sandboxModes)
const placesOf = z.array(
  z
    .string()
    .regex(/^(?:~?\/|~$)/, "a path begins with '/' or '~/'")
    .refine((path) => !path.split('/').includes('..'), 'a path has no ..'),
)
const sandbox = z
  .union([
    sandboxMode.transform((mode) => ({ mode })),
    z
      .object({
        mode: sandboxMode,
        write: placesOf,
        read: placesOf,
        hide: placesOf,
        others: z.enum(['read', 'hide']),
        network: z.enum(networks),
        hosts: z.array(
          z.string().regex(hostPattern, 'a host is written as example.com, *.example.com or localhost:4873'),
        ),
      })
      .partial(),
  ])
  .nullish()

// Values of the configuration that have a unit.

/** Longer durations mean "never", and no instant is so far away (ms). */
const LONGEST_DURATION = 3650 * 86_400_000

const units = { B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 } as const

/** Parses a duration into milliseconds. */
const milliseconds = z.union([z.string(), z.number()]).transform((value, context) => {
  const parsed = typeof value === 'number' ? value * 1000 : parseDuration(value)
  if (parsed !== undefined && parsed >= 0) return Math.min(parsed, LONGEST_DURATION)
  context.addIssue({ code: 'custom', message: `'${value}' is not a duration; write 500ms, 30s, 10m or 2h` })
  return z.NEVER
})

/** Parses a size into bytes. */
const size = z.union([z.string(), z.number()]).transform((value, context) => {
  const [, number, unit] = /^(\d+(?:\.\d+)?) ?(B|KB|MB|GB)$/i.exec(String(value)) ?? []
  if (number !== undefined && unit !== undefined)
    return Math.min(
      Math.round(Number(number) * units[unit.toUpperCase() as keyof typeof units]),
      Number.MAX_SAFE_INTEGER,
    )
  context.addIssue({ code: 'custom', message: `'${value}' is not a size; write 64MB or 1GB` })
  return z.NEVER
})

// The part of the configuration about agents: personas and kinds.

/** The name of a kind of agent. */
const kindName = z.string().min(1)

const rule = z
  .string()
  .refine((text) => parseRule(text) !== undefined, "a rule is 'edit', 'shell(npm test)' or 'tool(Name)'")

const toolset = z
  .string()
  .refine((name) => toolsets.some((one) => one === name), `a toolset is one of ${toolsets.join(', ')}`)

const mcpServer = z.union([
  z.strictObject({
    command: z.string().min(1),
    args: z.array(z.string()).default([]),
    env: z.record(z.string(), z.coerce.string()).default({}),
  }),
  z.strictObject({ url: z.url(), headers: z.record(z.string(), z.coerce.string()).default({}) }),
])
/** Names that every CLI accepts: Gemini joins tool names with `_` and splits them again. */
const serverNames = z.record(
  z
    .string()
    .regex(/^[A-Za-z0-9-]{1,50}$/, 'a server name has only letters, digits and -')
    .refine((name) => name !== SERVER_NAME, `'${SERVER_NAME}' is aiswarm's own server`),
  mcpServer,
)
const personaMcp = z.union(
  [z.literal('only-aiswarm'), z.strictObject({ servers: serverNames })],
  'write only-aiswarm, or {servers: {NAME: {command, args, env}}} or {url, headers}',
)

/** Limits of all processes of one agent together. */
const processLimits = () =>
  z
    .object({
      memory: size.refine((bytes) => bytes >= 64 * 1024 ** 2, 'an agent needs at least 64 MB').nullable(),
      processes: z.int('a whole number is expected').min(16, 'an agent needs at least 16 processes').nullable(),
      cpuWeight: z.int('a whole number is expected').min(1).max(10_000).nullable(),
    })
    .partial()

/** The settings of one persona. */
const personaSettings = z.object({
  kind: kindName.optional(),
  model: z.string().optional(),
  args: z.array(z.string()).default([]),
  approvals: z.enum(approvals).default('ask'),
  allow: z.array(rule).default([]),
  toolsets: z.array(toolset).optional(),
  mcp: personaMcp.optional(),
  writes: z.boolean().optional(),
  sandbox: z.enum(sandboxModes).optional(),
  network: z.enum(networks).optional(),
  limits: processLimits().optional(),
})

/** Limited in length, because a pattern is matched against every line at the end of an output. */
const pattern = z
  .string()
  .max(500)
  .refine((text) => isPattern(text), 'it is not a regular expression')

/** A kind of agent that the configuration defines. */
const customKind = z.object({
  command: z.array(z.string()).default([]),
  prompt: z.enum(['argv', 'stdin', 'file']).default('argv'),
  files: z.boolean().default(false),
  protocol: z.enum(['stream-json', 'acp', 'app-server', 'headless']).optional(),
  terminal: z.array(z.string()).min(1, 'the command is empty').optional(),
  env: z.record(z.string(), z.coerce.string()).default({}),
  errors: z.object({ limited: z.array(pattern).default([]), unauthorized: z.array(pattern).default([]) }).optional(),
})

/** A kind without a command must be one of the known CLIs. */
const refuseWithoutCommand = (
  kinds: Readonly<Record<string, { readonly command: readonly string[]; readonly protocol?: string | undefined }>>,
  context: z.RefinementCtx,
): void => {
  for (const [name, { command, protocol }] of Object.entries(kinds)) {
    const known = knownClis.find((kind) => kind.name === name)
    if (command.length === 0 && known && protocol && protocol !== 'headless' && protocolOf(name) !== protocol)
      context.addIssue({ code: 'custom', path: [name, 'protocol'], message: `${name} does not speak ${protocol}` })
    if (command.length > 0 && protocol === 'app-server')
      context.addIssue({ code: 'custom', path: [name, 'protocol'], message: 'only codex itself speaks app-server' })
    if (command.length === 0 && !knownClis.some((kind) => kind.name === name))
      context.addIssue({ code: 'custom', path: [name, 'command'], message: 'the command is empty' })
  }
}

// Parses the section `on` of the configuration.

const address = z.string().superRefine((text, context) => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const refuse = (message: string): void => context.addIssue({ code: 'custom', message })
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    refuse(`'${text.slice(0, 60)}' is not a URL; http://… or https://… is expected`)
  // fetch refuses such addresses, and logs would contain the password.
  else if (url.username !== '' || url.password !== '')
    refuse('a URL must not contain a password; use an Authorization header')
})

const headers = z
  .record(z.string(), z.string())
  .refine((given) => canBeHeaders(given), 'a header name has only letters and dashes, and its value is one line')

const hook = z
  .strictObject({
    run: z.string().min(1, 'the command is empty').optional(),
    post: address.optional(),
    headers: headers.optional(),
  })
  .refine(({ run, post }) => (run === undefined) !== (post === undefined), "a hook has either 'run' or 'post'")
  .refine(({ run, headers }) => run === undefined || headers === undefined, "'headers' requires 'post'")
  .transform(({ run, post, headers = {} }): Hook => (run === undefined ? { post: post!, headers } : { run }))

/** One hook or a list; a plain text is a command. */
const listed = z.preprocess(
  (value) =>
    (value === null ? [] : Array.isArray(value) ? (value as unknown[]) : [value]).map((one) =>
      typeof one === 'string' ? { run: one } : one,
    ),
  z.array(hook),
)

const hooks = z
  .object(Object.fromEntries(hookEvents.map((event) => [event, listed])) as Record<HookEvent, typeof listed>)
  .partial()
  .nullish()

/** Every key of `.aiswarm/config.yaml`. All are optional, and a null section counts as absent. */
export const config = z.object({
  budget: z.object({ task: limits, session: limits }).partial().nullish(),
  session: z
    .object({
      maxParallel: count.max(1000),
      maxRetries: count.max(100),
      pollInterval: milliseconds,
      maxOpenTasks: count.max(100_000),
      logLimit: size.refine((bytes) => bytes >= 65_536, 'a log holds at least 64 KB'),
      freeDisk: size,
      freeMemory: size,
    })
    .partial()
    .nullish(),
  agents: z
    .object({
      default: kindName,
      personas: z.record(
        z.string(),
        z.union([kindName.transform((kind) => personaSettings.parse({ kind })), personaSettings]),
      ),
      names: z.record(z.string(), kindName),
      kinds: z.record(z.string(), customKind).superRefine(refuseWithoutCommand),
      pass: z.array(z.string().min(1)),
      connect: z.enum(['direct', 'socket']),
    })
    .partial()
    .nullish(),
  sandbox,
  limits: processLimits().nullish(),
  permissions: z.object({ timeout: milliseconds }).partial().nullish(),
  worktrees: z
    .object({
      path: z.string().includes('{name}', 'the path must contain {name}'),
      setup: z.string(),
      setupTimeout: milliseconds,
      teardown: z.string(),
      teardownTimeout: milliseconds,
      ports: z
        .tuple([port, port])
        .refine(([first, last]) => first <= last, 'the first port is above the last; write [41000, 41999]'),
      retention: milliseconds,
      agentBranches: z
        .string()
        .regex(/^(?:[A-Za-z0-9_-]+\/)+$/, 'letters, digits, - and _ with a / at the end are expected, such as agents/')
        .max(50),
      perTask: z.boolean(),
      writers: z.int('a whole number is expected').min(1).max(1000),
    })
    .partial()
    .nullish(),
  integration: z
    .object({
      target: z.string().min(1),
      verify: z.string(),
      approval: z.enum(['human', 'auto']),
      tests: z.array(z.string().min(1)).max(200).nullable(),
      pass: z.array(z.string().min(1)),
      watchCheckout: z.boolean(),
    })
    .partial()
    .nullish(),
  lease: z
    .object({ ttl: milliseconds, heartbeat: milliseconds, stalledAfter: milliseconds, terminateGrace: milliseconds })
    .partial()
    .nullish(),
  fleet: z
    .object({
      silentAfter: milliseconds,
      lostAfter: milliseconds,
      maxLoad: z.number('a number is expected, such as 1.5').positive('a load is greater than 0').nullable(),
      pushBranches: z.enum(['none', 'heads']),
    })
    .partial()
    .refine(
      ({ silentAfter = defaultFleet.silentAfter, lostAfter = defaultFleet.lostAfter }) => lostAfter >= 2 * silentAfter,
      'lostAfter is at least twice silentAfter',
    )
    .nullish(),
  mcp: z
    .object({ toolsets: z.array(z.enum(toolsets)) })
    .partial()
    .nullish(),
  memory: z
    .object({ owners: z.record(z.string(), z.array(z.string())) })
    .partial()
    .nullish(),
  console: z
    .object({
      theme: z.enum(consoleThemes),
      keys: z.record(z.string(), keysOf),
      mouse: z.boolean(),
      strict: z.boolean(),
      templates: z.record(z.string().min(1), z.string().min(1, 'the text is empty').max(20_000)),
    })
    .partial()
    .nullish(),
  notify: z
    .object({
      bell: z.boolean(),
      osc: z.boolean(),
      command: z
        .string()
        .refine(
          (command) => noticeCommand(command) !== undefined,
          '{text} must be a separate word; elsewhere write "$AISWARM_NOTICE"',
        ),
      quiet: z.array(z.enum(attentionKinds)),
    })
    .partial()
    .nullish(),
  on: hooks,
})

const isPattern = (text: string): boolean => {
  try {
    return new RegExp(text, 'i') instanceof RegExp
  } catch {
    return false
  }
}

const canBeHeaders = (given: Readonly<Record<string, string>>): boolean => {
  try {
    new Headers(given)
    return true
  } catch {
    return false
  }
}
