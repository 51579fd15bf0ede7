import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseDocument } from 'yaml'
import { CONFIGURATION, type Entries, PERSONAS } from '../../domain/integration/trusted-configuration.ts'
import { readRegular } from '../files/regular-file.ts'

// Reads the files below `.aiswarm` in the main checkout that decide what the person's processes run and allow.

/** Their texts by path. The configuration is always included: if it is missing or has no key, its text is empty. */
export const readOwn = (root: string): Entries => ({
  [CONFIGURATION]: meaningOf(textOf(root, CONFIGURATION)),
  ...Object.fromEntries(personasIn(root).map((name) => [name, textOf(root, name)])),
})

/** As the rows keep it, which have no NUL, so that it can be compared with them. */
const textOf = (root: string, name: string): string => (readRegular(join(root, name)) ?? '').replaceAll('\0', '\ufffd')

/** Treats a text of comments only, such as `aiswarm init` writes, as empty. */
export const meaningOf = (text: string): string =>
  text.split('\n').every((line) => /^\s*(?:#|$)/.test(line)) ? '' : text

const personasIn = (root: string): readonly string[] => {
  const folder = join(root, PERSONAS)
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return []
  return readdirSync(folder)
    .filter((file) => file.endsWith('.md'))
    .sort()
    .map((file) => `${PERSONAS}/${file}`)
}

/** A stamp that differs if a file may have changed; reads only the folder and the dates. */
export const stampOfOwn = (root: string): string =>
  [CONFIGURATION, ...personasIn(root)]
    .map((name) => {
      const stat = statSync(join(root, name), { throwIfNoEntry: false, bigint: true })
      return stat === undefined ? '-' : `${name} ${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`
    })
    .join('\n')

/**
 * When the files whose texts differ were last changed (ms). Uses the time of the status change (ctime), which no
 * program can set. Null if one of them was deleted, because then no time is known.
 */
export const changedAtOfOwn = (root: string, before: Entries, found: Entries): number | null => {
  const names = [...new Set([...Object.keys(before), ...Object.keys(found)])].filter(
    (name) => before[name] !== found[name],
  )
  const times = names.map((name) => statSync(join(root, name), { throwIfNoEntry: false })?.ctimeMs)
  return times.some((time) => time === undefined) ? null : Math.max(0, ...(times as number[]))
}

/** Lines removed from the files and lines added to them, one per line. */
export const ownChanges = (before: Entries, after: Entries): readonly string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .sort()
    .flatMap((name) => ownDifferences(name, before[name] ?? '', after[name] ?? ''))

/** Differences between two texts of a file: keys of the configuration, lines of a persona. */
export const ownDifferences = (name: string, before: string, after: string): readonly string[] => {
  const changed = name === CONFIGURATION ? changedKeys(before, after) : undefined
  const { removed, added } = changed ?? changedLines(before, after)
  return [...removed.map((line) => `- ${name}: ${line}`), ...added.map((line) => `+ ${name}: ${line}`)]
}

interface Changed {
  readonly removed: readonly string[]
  readonly added: readonly string[]
}

/** Undefined if one text is not YAML, or if only comments differ; then the lines themselves are shown. */
const changedKeys = (before: string, after: string): Changed | undefined => {
  const [old, now] = [settingsIn(before), settingsIn(after)]
  if (old === undefined || now === undefined) return undefined
  const differing = ([key, value]: readonly [string, string], other: ReadonlyMap<string, string>): readonly string[] =>
    other.get(key) === value ? [] : [`${key} = ${value}`]
  const removed = [...old].flatMap((entry) => differing(entry, now))
  const added = [...now].flatMap((entry) => differing(entry, old))
  return removed.length + added.length === 0 ? undefined : { removed, added }
}

/** Every value of a configuration by its path, `on.task.completed[0].run`. */
const settingsIn = (text: string): ReadonlyMap<string, string> | undefined => {
  const found = new Map<string, string>()
  const visit = (value: unknown, at: string): void => {
    if (Array.isArray(value) && value.length > 0) value.forEach((one, n) => visit(one, `${at}[${n}]`))
    else if (typeof value === 'object' && value !== null && Object.keys(value).length > 0)
      Object.entries(value).forEach(([key, one]) => visit(one, at === '' ? key : `${at}.${key}`))
    // One line per value, whatever it contains.
    else if (at !== '')
      found.set(
        JSON.stringify(at).slice(1, -1),
        typeof value === 'string' && !value.includes('\n') ? value : JSON.stringify(value),
      )
  }
  try {
    const document = parseDocument(text)
    if (document.errors.length > 0) return undefined
    visit(document.toJS(), '')
    return found
  } catch {
    // For example endlessly nested aliases.
    return undefined
  }
}

/** The lines that differ, without the common beginning and end. */
const changedLines = (before: string, after: string): Changed => {
  const [old, now] = [linesOf(before), linesOf(after)]
  let start = 0
  while (start < Math.min(old.length, now.length) && old[start] === now[start]) start++
  let end = 0
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end++
  return { removed: old.slice(start, old.length - end), added: now.slice(start, now.length - end) }
}

const linesOf = (text: string): readonly string[] => (text === '' ? [] : text.trimEnd().split('\n'))
