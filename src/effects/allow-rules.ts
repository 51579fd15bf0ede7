import { accessSync, constants, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Document, isMap, isNode, isScalar, isSeq, parseDocument, type YAMLMap } from 'yaml'
import { isRefusal, Refusal } from '../domain/refusal.ts'
import { personaSettings, type Settings } from '../domain/settings.ts'
import { withFileLock } from '../operations/kernel/file-lock.ts'
import { parseSettings, settingsOf } from './config.ts'
import { readRegular } from './regular-file.ts'
import { replaceKept } from './replace-file.ts'

/**
 * What a persona may do without asking, as the configuration that is trusted now says: a rule that a person just added
 * counts at once, for agents that already run too. Where none was remembered, as it was at the start.
 */
export const liveRules = (first: Settings): ((personaId: string, configuration: string | undefined) => readonly string[]) => {
  let [text, settings] = [undefined as string | undefined, first]
  return (personaId, configuration) => {
    if (configuration !== undefined && configuration !== text) [text, settings] = [configuration, settingsOf(configuration) ?? settings]
    return personaSettings(settings, personaId).allow
  }
}

/**
 * Adds a rule to a persona's section; comments and everything else in the file stay as they are. Of several processes one
 * does it at a time, so that no rule of another is lost. Gives the file's text before and after.
 */
export const writeRule = (path: string, personaId: string, rule: string): { readonly before: string; readonly after: string } => {
  // Where git sees nothing of it.
  const folder = join(dirname(path), 'run')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return withFileLock(join(folder, 'config.lock'), () => {
    const before = textOf(path)
    const after = withRule(before, path, personaId, rule)
    replaceKept(path, after)
    return { before, after }
  })
}

/** Refuses a rule that could not be added now: the file is broken, or may not be written. */
export const checkRule = (path: string, personaId: string, rule: string): void => {
  withRule(textOf(path), path, personaId, rule)
  try {
    accessSync(dirname(path), constants.W_OK)
  } catch (error) {
    throw new Refusal('not_writable', `${path} cannot be written, so the rule ${rule} was not added to it.`, { cause: error })
  }
}

const textOf = (path: string): string => readRegular(path) ?? ''

/** The text with the rule in it; `path` names it in sentences. */
export const withRule = (source: string, path: string, personaId: string, rule: string): string => {
  const document = parseDocument(source)
  if (document.errors.length > 0 || (document.contents !== null && !isMap(document.contents))) refuseBroken(source, path, rule)
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
  // Never a file that we could not read again.
  refuseBroken(text, path, rule)
  return text
}

const refuseBroken = (source: string, path: string, rule: string): void => {
  try {
    parseSettings(source, path)
  } catch (error) {
    if (!isRefusal(error)) throw error
    throw new Refusal(error.code, `${error.message} The rule ${rule} was not added; repair the file first.`, { cause: error })
  }
}

/** A section in the place of a value that is none, with the comments of that; `reviewer: codex` is short for a section with a kind. */
const sectionInstead = (document: Document, old: unknown): YAMLMap => {
  const kind = isScalar(old) && typeof old.value === 'string' ? old.value : undefined
  const section = document.createNode(kind === undefined ? {} : { kind }) as YAMLMap
  if (!isNode(old)) return section
  section.spaceBefore = (isScalar(old) && old.spaceBefore) ?? false
  section.commentBefore = [old.commentBefore, old.comment].filter((comment) => comment !== null && comment !== undefined).join('\n') || null
  return section
}
