import { existsSync, readFileSync } from 'node:fs'
import { LineCounter, parseDocument, type YAMLError } from 'yaml'
import { z } from 'zod'
import { attentionKinds } from '../../domain/request/attention.ts'
import { noLimits } from '../../domain/budget/budget.ts'
import { isRefusal, Refusal } from '../../domain/rules/refusal.ts'
import { noticeCommand } from '../../domain/settings/notices.ts'
import { consoleThemes, defaultSettings, type Settings } from '../../domain/settings/settings.ts'
import { toolsets } from '../../domain/settings/agent-settings.ts'
import { nearest } from '../../operations/door/nearest.ts'
import { customKind, kindName, personaSettings, refuseWithoutCommand } from './agents.ts'
import { lineFinder } from './place.ts'
import { milliseconds, size } from './values.ts'
import { hooks } from './hook-config.ts'

export interface LoadedSettings {
  readonly settings: Settings
  /** True if the configuration names the target branch; otherwise the repository determines it. */
  readonly namesTarget: boolean
  /** Unknown keys, one sentence each. */
  readonly warnings: readonly string[]
}

/** Reads a configuration file; a missing file means the defaults. Refuses invalid values with file, line and key. */
export const readSettings = (path: string): LoadedSettings =>
  existsSync(path) ? parseSettings(readFileSync(path, 'utf8'), path) : { settings: defaultSettings, namesTarget: false, warnings: [] }

/** As `readSettings`, for a text, such as the configuration on a branch. `path` names it in error messages. */
export const parseSettings = (source: string, path: string): LoadedSettings => {
  const lines = new LineCounter()
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false })
  const error: YAMLError | undefined = document.errors[0]
  if (error) throw new Refusal('config_invalid', `${path}:${lines.linePos(error.pos[0]).line}: ${error.message.split('\n')[0]}.`)
  const value = valueOf(document, path)
  const lineOf = lineFinder(document, lines)
  const result = config.safeParse(value)
  if (!result.success) {
    const issue = result.error.issues[0]!
    throw new Refusal('config_invalid', `${path}:${lineOf(issue.path)}: ${issue.path.join('.') || 'the file'}: ${issue.message}.`)
  }
  return { settings: withDefaults(result.data), namesTarget: result.data.integration?.target !== undefined, warnings: unknownKeys(value, path, lineOf) }
}

/**
 * Nested aliases can expand to more values than fit in memory; the parser refuses those, and aliases without an anchor.
 */
const valueOf = (document: ReturnType<typeof parseDocument>, path: string): unknown => {
  try {
    return document.toJS() ?? {}
  } catch (error) {
    throw new Refusal('config_invalid', `${path}: ${(error as Error).message.split('\n')[0]}. Write the values out instead of using aliases.`, { cause: error })
  }
}

/** The settings in a text of the configuration; undefined if it cannot be parsed. */
export const settingsOf = (source: string): Settings | undefined => loadedOf(source)?.settings

/** As `settingsOf`, with the warnings and whether the text names the target branch. */
export const loadedOf = (source: string): LoadedSettings | undefined => {
  try {
    return parseSettings(source, 'config.yaml')
  } catch (error) {
    if (isRefusal(error)) return undefined
    throw error
  }
}

const count = z.int('a whole number is expected').min(0)
const port = z.int('a port is a whole number').min(1).max(65_535)

const limits = z
  .object({
    costUsd: z.number('an amount in dollars is expected, such as 2.5').positive('a budget is greater than 0').nullable().default(null),
    tokens: z.int('a whole number of tokens is expected').positive('a budget is greater than 0').nullable().default(null),
  })
  .nullish()
  .transform((given) => given ?? noLimits)

const oneKey = z.union([z.string().min(1), z.int().min(0).max(9).transform(String)], "a key is written as 'S', 'ctrl-s' or 'page-down'")
const keysOf = z.union([oneKey.transform((key) => [key]), z.array(oneKey)], "a key is written as 'S', 'ctrl-s' or 'page-down'; several as a list")

/** Every key of `.aiswarm/config.yaml`. All are optional, and a null section counts as absent. */
const config = z.object({
  budget: z.object({ task: limits, session: limits }).partial().nullish(),
  session: z
    .object({
      maxParallel: count.max(1000),
      maxRetries: count.max(100),
      pollInterval: milliseconds,
      maxOpenTasks: count.max(100_000),
      logLimit: size.refine((bytes) => bytes >= 65_536, 'a log holds at least 64 KB'),
      freeDisk: size,
    })
    .partial()
    .nullish(),
  agents: z
    .object({
      default: kindName,
      personas: z.record(z.string(), z.union([kindName.transform((kind) => personaSettings.parse({ kind })), personaSettings])),
      names: z.record(z.string(), kindName),
      kinds: z.record(z.string(), customKind).superRefine(refuseWithoutCommand),
      pass: z.array(z.string().min(1)),
    })
    .partial()
    .nullish(),
  permissions: z.object({ timeout: milliseconds }).partial().nullish(),
  worktrees: z
    .object({
      path: z.string().includes('{name}', 'the path must contain {name}'),
      setup: z.string(),
      setupTimeout: milliseconds,
      teardown: z.string(),
      teardownTimeout: milliseconds,
      ports: z.tuple([port, port]).refine(([first, last]) => first <= last, 'the first port is above the last; write [41000, 41999]'),
      retention: milliseconds,
      perTask: z.boolean(),
      writers: z.int('a whole number is expected').min(1).max(1000),
    })
    .partial()
    .nullish(),
  integration: z
    .object({ target: z.string().min(1), verify: z.string(), approval: z.enum(['human', 'auto']), pass: z.array(z.string().min(1)), watchCheckout: z.boolean() })
    .partial()
    .nullish(),
  lease: z.object({ ttl: milliseconds, heartbeat: milliseconds, stalledAfter: milliseconds, terminateGrace: milliseconds }).partial().nullish(),
  mcp: z
    .object({ toolsets: z.array(z.enum(toolsets)) })
    .partial()
    .nullish(),
  memory: z
    .object({ owners: z.record(z.string(), z.array(z.string())) })
    .partial()
    .nullish(),
  console: z
    .object({ theme: z.enum(consoleThemes), keys: z.record(z.string(), keysOf), mouse: z.boolean(), strict: z.boolean() })
    .partial()
    .nullish(),
  notify: z
    .object({
      bell: z.boolean(),
      osc: z.boolean(),
      command: z.string().refine((command) => noticeCommand(command) !== undefined, '{text} must be a separate word; elsewhere write "$AISWARM_NOTICE"'),
      quiet: z.array(z.enum(attentionKinds)),
    })
    .partial()
    .nullish(),
  on: hooks,
})

const withDefaults = (given: z.output<typeof config>): Settings =>
  Object.fromEntries(
    Object.entries(defaultSettings).map(([section, defaults]) => [section, { ...defaults, ...present((given as Record<string, object | null | undefined>)[section]) }]),
  ) as unknown as Settings

const present = (section: object | null | undefined): object => Object.fromEntries(Object.entries(section ?? {}).filter(([, value]) => value !== undefined))

const unknownKeys = (value: unknown, path: string, lineOf: (keys: readonly PropertyKey[]) => number): readonly string[] => {
  const warnings: string[] = []
  const visit = (object: unknown, schema: z.ZodType, keys: readonly string[]): void => {
    if (typeof object !== 'object' || object === null) return
    const inner = unwrap(schema, object)
    // Below freely chosen names (personas, kinds) the keys are fixed again.
    if (inner instanceof z.ZodRecord) return Object.entries(object).forEach(([key, child]) => visit(child, inner.valueType as z.ZodType, [...keys, key]))
    if (!(inner instanceof z.ZodObject)) return
    const known = Object.keys(inner.shape)
    for (const [key, child] of Object.entries(object)) {
      const at = [...keys, key]
      if (known.includes(key)) visit(child, (inner.shape as Record<string, z.ZodType>)[key]!, at)
      else {
        const close = nearest(key, known)
        warnings.push(`${path}:${lineOf(at)}: unknown key ${at.join('.')}${close === undefined ? '' : `; did you mean ${[...keys, close].join('.')}?`}`)
      }
    }
  }
  visit(value, config, [])
  return warnings
}

/** The object or record schema for a value; of several in a union the one that has all its keys. */
const unwrap = (schema: z.ZodType, value: object): z.ZodType => {
  if (schema instanceof z.ZodPipe) return unwrap(schema.in as z.ZodType, value)
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return unwrap(schema.unwrap() as z.ZodType, value)
  if (!(schema instanceof z.ZodUnion)) return schema
  const objects = (schema.options as readonly z.ZodType[]).filter((option) => option instanceof z.ZodObject)
  return objects.find(({ shape }) => Object.keys(value).every((key) => Object.hasOwn(shape, key))) ?? objects[0] ?? schema
}
