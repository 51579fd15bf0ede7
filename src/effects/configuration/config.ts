import { existsSync, readFileSync } from 'node:fs'
import { LineCounter, parseDocument, type YAMLError } from 'yaml'
import { z } from 'zod'
import { isRefusal, Refusal } from '../../domain/rules/refusal.ts'
import { defaultSettings, type Settings } from '../../domain/settings/settings.ts'
import { nearest } from '../../operations/perform/nearest.ts'
import { lineFinder } from './key-lines.ts'
import { config } from './schema.ts'

// Which text of the configuration counts when:
//
// 1. At the start of a process: `.aiswarm/config.yaml` of the main checkout if no agent has changed it, otherwise the
//    text that a person accepted last (guard/trusted-configuration.ts).
// 2. While a process runs: the same, checked again whenever the file has changed (there too). A text that an agent may
//    have changed waits for a person's decision (guard/own-configuration.ts).
// 3. For an integration: `integration.verify`, `approval` and `tests` as committed on the target branch
//    (integration/candidate.ts), never as on the branch that is merged.
// 4. For an agent: the text of 2 at the start of its run; its permissions as in 2 at each question.
// 5. Variables of the environment (AISWARM_SANDBOX, AISWARM_STORE) count before the file.
// On a board with several hosts, the file is that of the first host.

export interface LoadedSettings {
  readonly settings: Settings
  /** True if the configuration names the target branch; otherwise the repository determines it. */
  readonly namesTarget: boolean
  /** Unknown keys, one sentence each. */
  readonly warnings: readonly string[]
}

/** Reads a configuration file; a missing file means the defaults. Refuses invalid values with file, line and key. */
export const readSettings = (path: string): LoadedSettings =>
  existsSync(path)
    ? parseSettings(readFileSync(path, 'utf8'), path)
    : { settings: defaultSettings, namesTarget: false, warnings: [] }

/** As `readSettings`, for a text, such as the configuration on a branch. `path` names it in error messages. */
export const parseSettings = (source: string, path: string): LoadedSettings => {
  const lines = new LineCounter()
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false })
  const error: YAMLError | undefined = document.errors[0]
  if (error)
    throw new Refusal('config_invalid', `${path}:${lines.linePos(error.pos[0]).line}: ${error.message.split('\n')[0]}.`)
  const value = valueOf(document, path)
  const lineOf = lineFinder(document, lines)
  // Compiling a check for each section takes longer than the few that it would do (measured: 3 % of the first frame).
  const result = config.safeParse(value, { jitless: true })
  if (!result.success) {
    const issue = result.error.issues[0]!
    throw new Refusal(
      'config_invalid',
      `${path}:${lineOf(issue.path)}: ${issue.path.join('.') || 'the file'}: ${issue.message}.`,
    )
  }
  return {
    settings: withDefaults(result.data),
    namesTarget: result.data.integration?.target !== undefined,
    warnings: unknownKeys(value, path, lineOf),
  }
}

/**
 * Nested aliases can expand to more values than fit in memory; the parser refuses those, and aliases without an anchor.
 */
const valueOf = (document: ReturnType<typeof parseDocument>, path: string): unknown => {
  try {
    return document.toJS() ?? {}
  } catch (error) {
    throw new Refusal(
      'config_invalid',
      `${path}: ${(error as Error).message.split('\n')[0]}. Write the values out instead of using aliases.`,
      { cause: error },
    )
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

const withDefaults = (given: z.output<typeof config>): Settings =>
  Object.fromEntries(
    Object.entries(defaultSettings).map(([section, defaults]) => [
      section,
      { ...defaults, ...present((given as Record<string, object | null | undefined>)[section]) },
    ]),
  ) as unknown as Settings

const present = (section: object | null | undefined): object =>
  Object.fromEntries(Object.entries(section ?? {}).filter(([, value]) => value !== undefined))

const unknownKeys = (
  value: unknown,
  path: string,
  lineOf: (keys: readonly PropertyKey[]) => number,
): readonly string[] => {
  const warnings: string[] = []
  const visit = (object: unknown, schema: z.ZodType, keys: readonly string[]): void => {
    if (typeof object !== 'object' || object === null) return
    const inner = unwrap(schema, object)
    // Below freely chosen names (personas, kinds) the keys are fixed again.
    if (inner instanceof z.ZodRecord)
      return Object.entries(object).forEach(([key, child]) =>
        visit(child, inner.valueType as z.ZodType, [...keys, key]),
      )
    if (!(inner instanceof z.ZodObject)) return
    const known = Object.keys(inner.shape)
    for (const [key, child] of Object.entries(object)) {
      const at = [...keys, key]
      if (known.includes(key)) visit(child, (inner.shape as Record<string, z.ZodType>)[key]!, at)
      else {
        const close = nearest(key, known)
        warnings.push(
          `${path}:${lineOf(at)}: unknown key ${at.join('.')}${close === undefined ? '' : `; did you mean ${[...keys, close].join('.')}?`}`,
        )
      }
    }
  }
  visit(value, config, [])
  return warnings
}

/** The object or record schema for a value; of several in a union the one that has all its keys. */
const unwrap = (schema: z.ZodType, value: object): z.ZodType => {
  if (schema instanceof z.ZodPipe) return unwrap(schema.in as z.ZodType, value)
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return unwrap(schema.unwrap() as z.ZodType, value)
  if (!(schema instanceof z.ZodUnion)) return schema
  const objects = (schema.options as readonly z.ZodType[]).filter((option) => option instanceof z.ZodObject)
  return (
    objects.find(({ shape }) => Object.keys(value).every((key) => Object.hasOwn(shape, key))) ?? objects[0] ?? schema
  )
}
