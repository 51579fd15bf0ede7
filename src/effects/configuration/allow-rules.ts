import { accessSync, constants, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Document, isMap, isNode, isScalar, isSeq, parseDocument, type YAMLMap } from 'yaml'
import { isRefusal, Refusal } from '../../domain/rules/refusal.ts'
import type { Settings } from '../../domain/settings/settings.ts'
import { personaSettings } from '../../domain/settings/persona-settings.ts'
import { withFileLock } from '../../operations/perform/file-lock.ts'
import { parseSettings, settingsOf } from './config.ts'
import { readRegular } from '../files/regular-file.ts'
import { replaceKept } from '../files/replace-file.ts'

/**
 * The rules that a persona may apply without asking, from the configuration that is trusted now: a rule that a person
 * just added applies at once, also to running agents. Without a trusted configuration, the rules loaded at the start.
 */
export const liveRules = (
  first: Settings,
): ((personaId: string, configuration: string | undefined) => readonly string[]) => {
  let [text, settings] = [undefined as string | undefined, first]
  return (personaId, configuration) => {
    if (configuration !== undefined && configuration !== text)
      [text, settings] = [configuration, settingsOf(configuration) ?? settings]
    return personaSettings(settings, personaId).allow
  }
}

/**
 * Adds a rule to a persona's section and leaves comments and everything else in the file as they are. A lock serialises
 * processes, so that none overwrites another's rule. Returns the file's text before and after.
 */
export const writeRule = (
  path: string,
  personaId: string,
  rule: string,
): { readonly before: string; readonly after: string } => {
  // Git ignores this folder.
  const folder = join(dirname(path), 'run')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return withFileLock(join(folder, 'config.lock'), () => {
    const before = textOf(path)
    const after = withRule(before, path, personaId, rule)
    replaceKept(path, after)
    return { before, after }
  })
}

/** Refuses a rule that could not be added now, because the file is broken or not writable. */
export const checkRule = (path: string, personaId: string, rule: string): void => {
  withRule(textOf(path), path, personaId, rule)
  try {
    accessSync(dirname(path), constants.W_OK)
  } catch (error) {
    throw new Refusal('not_writable', `${path} cannot be written, so the rule ${rule} was not added to it.`, {
      cause: error,
    })
  }
}

const textOf = (path: string): string => readRegular(path) ?? ''

/** Returns the text with the rule added; `path` names the file in error messages. */
export const withRule = (source: string, path: string, personaId: string, rule: string): string => {
  const document = parseDocument(source)
  if (document.errors.length > 0 || (document.contents !== null && !isMap(document.contents)))
    refuseBroken(source, path, rule)
  const at = ['agents', 'personas', personaId]
  for (const depth of [1, 2]) {
    const path = at.slice(0, depth)
    if (!isMap(document.getIn(path))) document.setIn(path, sectionInstead(document, document.getIn(path, true)))
  }
  const persona = document.getIn(at, true)
  if (!isMap(persona)) document.setIn(at, sectionInstead(document, persona))
  const allow = document.getIn([...at, 'allow'])
  if (!isSeq(allow)) document.setIn([...at, 'allow'], document.createNode([rule]))
  else if (!allow.toJSON().includes(rule)) allow.add(document.createNode(rule))
  const text = document.toString({ flowCollectionPadding: false })
  // Never write a file that could not be read again.
  refuseBroken(text, path, rule)
  return text
}

const refuseBroken = (source: string, path: string, rule: string): void => {
  try {
    parseSettings(source, path)
  } catch (error) {
    if (!isRefusal(error)) throw error
    throw new Refusal(error.code, `${error.message} The rule ${rule} was not added; fix the file first.`, {
      cause: error,
    })
  }
}

/**
 * Replaces a value that is not a section by a section and keeps its comments; `reviewer: codex` is short for a section
 * with a kind.
 */
const sectionInstead = (document: Document, old: unknown): YAMLMap => {
  const kind = isScalar(old) && typeof old.value === 'string' ? old.value : undefined
  const section = document.createNode(kind === undefined ? {} : { kind }) as YAMLMap
  if (!isNode(old)) return section
  section.spaceBefore = (isScalar(old) && old.spaceBefore) ?? false
  section.commentBefore =
    [old.commentBefore, old.comment].filter((comment) => comment !== null && comment !== undefined).join('\n') || null
  return section
}
