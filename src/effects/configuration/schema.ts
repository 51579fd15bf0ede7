import { z } from 'zod'
import { attentionKinds } from '../../domain/request/inbox.ts'
import { noLimits } from '../../domain/budget/budget.ts'
import { hostPattern } from '../../domain/sandbox/allowlist.ts'
import { noticeCommand } from '../../domain/settings/notices.ts'
import { consoleThemes, defaultFleet } from '../../domain/settings/settings.ts'
import { networks, sandboxModes, toolsets } from '../../domain/settings/agent-settings.ts'
import { customKind, kindName, personaSettings, refuseWithoutCommand } from './agents.ts'
import { milliseconds, processLimits, size } from './values.ts'
import { hooks } from './hook-config.ts'

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
