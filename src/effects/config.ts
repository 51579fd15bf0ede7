import { existsSync, readFileSync } from 'node:fs'
import { LineCounter, parseDocument, type YAMLError } from 'yaml'
import { z } from 'zod'
import { knownClis } from '../agents/kinds.ts'
import { SERVER_NAME } from '../agents/server-config.ts'
import { attentionKinds } from '../domain/attention.ts'
import { noLimits } from '../domain/budget.ts'
import { isRefusal, Refusal } from '../domain/refusal.ts'
import { noticeCommand } from '../domain/notices.ts'
import { parseRule } from '../domain/permission.ts'
import { approvals, consoleThemes, defaultSettings, type Settings, toolsets } from '../domain/settings.ts'
import { nearest } from '../operations/kernel/nearest.ts'
import { lineFinder } from './config-place.ts'
import { milliseconds, size } from './config-values.ts'
import { hooks } from './hook-config.ts'

export interface LoadedSettings {
  readonly settings: Settings
  /** Whether it says which branch merges go into; else that is found in the repository. */
  readonly namesTarget: boolean
  /** Unknown keys, a sentence each. */
  readonly warnings: readonly string[]
}

/** Reads a configuration file; a missing one means the defaults. Refuses with file, line and key. */
export const readSettings = (path: string): LoadedSettings =>
  existsSync(path) ? parseSettings(readFileSync(path, 'utf8'), path) : { settings: defaultSettings, namesTarget: false, warnings: [] }

/** As `readSettings`, from a text: the configuration as it stands on a branch. `path` names it in sentences. */
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

/** Aliases of aliases can stand for more values than there is memory; the parser refuses those, and aliases to nothing. */
const valueOf = (document: ReturnType<typeof parseDocument>, path: string): unknown => {
  try {
    return document.toJS() ?? {}
  } catch (error) {
    throw new Refusal('config_invalid', `${path}: ${(error as Error).message.split('\n')[0]}. Write the values out instead of using aliases.`, { cause: error })
  }
}

/** What a text of the configuration says; undefined where it cannot be read. */
export const settingsOf = (source: string): Settings | undefined => loadedOf(source)?.settings

/** As `settingsOf`, with what else is known of the text. */
export const loadedOf = (source: string): LoadedSettings | undefined => {
  try {
    return parseSettings(source, 'config.yaml')
  } catch (error) {
    if (isRefusal(error)) return undefined
    throw error
  }
}

const isPattern = (text: string): boolean => {
  try {
    return new RegExp(text, 'i') instanceof RegExp
  } catch {
    return false
  }
}

const count = z.int('a whole number is expected').min(0)
const kindName = z.string().min(1)
const port = z.int('a port is a whole number').min(1).max(65_535)

const rule = z.string().refine((text) => parseRule(text) !== undefined, "a rule is 'edit', 'shell(npm test)' or 'tool(Name)'")

const toolset = z.string().refine((name) => toolsets.some((one) => one === name), `a toolset is one of ${toolsets.join(', ')}`)

const mcpServer = z.union([
  z.strictObject({ command: z.string().min(1), args: z.array(z.string()).default([]), env: z.record(z.string(), z.coerce.string()).default({}) }),
  z.strictObject({ url: z.url(), headers: z.record(z.string(), z.coerce.string()).default({}) }),
])
/** Names that every CLI takes: Gemini makes names of tools with `_` and takes them apart again. */
const serverNames = z.record(
  z
    .string()
    .regex(/^[A-Za-z0-9-]{1,50}$/, 'a server is named with letters, digits and -')
    .refine((name) => name !== SERVER_NAME, `'${SERVER_NAME}' is our own server`),
  mcpServer,
)
const personaMcp = z.union(
  [z.literal('only-aiswarm'), z.strictObject({ servers: serverNames })],
  'write only-aiswarm, or {servers: {NAME: {command, args, env}}} or {url, headers}',
)

const personaSettings = z.object({
  kind: kindName.optional(),
  model: z.string().optional(),
  args: z.array(z.string()).default([]),
  approvals: z.enum(approvals).default('ask'),
  allow: z.array(rule).default([]),
  toolsets: z.array(toolset).optional(),
  mcp: personaMcp.optional(),
  writes: z.boolean().optional(),
})

/** At most so long: a pattern is tried on every line of the end of an output. */
const pattern = z
  .string()
  .max(500)
  .refine((text) => isPattern(text), 'it is no regular expression')

const customKind = z.object({
  command: z.array(z.string()).default([]),
  prompt: z.enum(['argv', 'stdin', 'file']).default('argv'),
  files: z.boolean().default(false),
  env: z.record(z.string(), z.coerce.string()).default({}),
  errors: z.object({ limited: z.array(pattern).default([]), unauthorized: z.array(pattern).default([]) }).optional(),
})

/** Without a command only a CLI that is known here can be meant. */
const refuseWithoutCommand = (kinds: Readonly<Record<string, { readonly command: readonly string[] }>>, context: z.RefinementCtx): void => {
  for (const [name, { command }] of Object.entries(kinds)) {
    if (command.length === 0 && !knownClis.some((kind) => kind.name === name)) context.addIssue({ code: 'custom', path: [name, 'command'], message: 'the command is empty' })
  }
}

const limits = z
  .object({
    costUsd: z.number('a sum in dollars is expected, such as 2.5').positive('a budget is more than nothing').nullable().default(null),
    tokens: z.int('a whole number of tokens is expected').positive('a budget is more than nothing').nullable().default(null),
  })
  .nullish()
  .transform((given) => given ?? noLimits)

const oneKey = z.union([z.string().min(1), z.int().min(0).max(9).transform(String)], "a key is written as 'S', 'ctrl-s' or 'page-down'")
const keysOf = z.union([oneKey.transform((key) => [key]), z.array(oneKey)], "a key is written as 'S', 'ctrl-s' or 'page-down'; several as a list")

/** Every key of `.aiswarm/config.yaml` (DESIGN section 10). All are optional; a null section counts as absent. */
const config = z.object({
  budget: z.object({ task: limits, session: limits }).partial().nullish(),
  session: z
    .object({
      maxParallel: count.max(1000),
      maxRetries: count.max(100),
      pollInterval: milliseconds,
      logLimit: size.refine((bytes) => bytes >= 65_536, 'a log holds at least 64 KB'),
      freeDisk: size,
      maxOpenTasks: count.max(100_000),
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
    .object({ target: z.string().min(1), verify: z.string(), approval: z.enum(['human', 'auto']), pass: z.array(z.string().min(1)) })
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
      command: z.string().refine((command) => noticeCommand(command) !== undefined, '{text} has to be a word of its own; elsewhere write "$AISWARM_NOTICE"'),
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
    const inner = unwrap(schema)
    if (typeof object !== 'object' || object === null) return
    // Below freely named keys (personas, kinds) the keys are known again.
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

const unwrap = (schema: z.ZodType): z.ZodType => {
  if (schema instanceof z.ZodPipe) return unwrap(schema.in as z.ZodType)
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return unwrap(schema.unwrap() as z.ZodType)
  return schema instanceof z.ZodUnion ? ((schema.options as readonly z.ZodType[]).find((option) => option instanceof z.ZodObject) ?? schema) : schema
}
