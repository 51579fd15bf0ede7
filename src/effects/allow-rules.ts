import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Document, isMap, isNode, isScalar, isSeq, parseDocument, type YAMLMap } from 'yaml'
import { isRefusal, Refusal } from '../domain/refusal.ts'
import { personaSettings, type Settings } from '../domain/settings.ts'
import { parseSettings, readSettings } from './config.ts'
import { replaceFile } from './replace-file.ts'

/**
 * What a persona may do without asking, as the configuration says now: a rule that a person just added counts at once,
 * for agents that already run too. While the file is broken the last rules hold.
 */
export const liveRules = (path: string, first: Settings): ((personaId: string) => readonly string[]) => {
  const settings = liveSettings(path, first)
  return (personaId) => personaSettings(settings(), personaId).allow
}

/** The configuration as the file says now; while it is broken, as it last was. */
export const liveSettings = (path: string, first: Settings): (() => Settings) => {
  let settings = first
  let seen = stampOf(path)
  return () => {
    const stamp = stampOf(path)
    if (stamp !== seen) {
      seen = stamp
      settings = readable(path) ?? settings
    }
    return settings
  }
}

/** Adds a rule to a persona's section; comments and everything else in the file stay as they are. */
export const writeRule = (path: string, personaId: string, rule: string): void => replaceFile(path, withRule(path, personaId, rule))

/** Refuses a rule that could not be added now: the file is broken, or may not be written. */
export const checkRule = (path: string, personaId: string, rule: string): void => {
  withRule(path, personaId, rule)
  try {
    accessSync(dirname(path), constants.W_OK)
  } catch (error) {
    throw new Refusal('not_writable', `${path} cannot be written, so the rule ${rule} was not added to it.`, { cause: error })
  }
}

/** The file's text with the rule in it. */
const withRule = (path: string, personaId: string, rule: string): string => {
  const source = existsSync(path) ? readFileSync(path, 'utf8') : ''
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

const readable = (path: string): Settings | undefined => {
  try {
    return readSettings(path).settings
  } catch (error) {
    if (isRefusal(error)) return undefined
    throw error
  }
}

const stampOf = (path: string): string => {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat === undefined ? '' : `${stat.ino}:${stat.mtimeMs}:${stat.size}`
}
