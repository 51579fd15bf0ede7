import { createHash } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseDocument } from 'yaml'
import {
  areSame,
  CONFIGURATION,
  type Entries,
  ownOf,
  PERSONAS,
  withOwn,
} from '../../domain/integration/trusted-configuration.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { instant } from '../../domain/words/time.ts'
import { adoptConfiguration, recordGuard } from '../../operations/integration/configuration-drift.ts'
import { type GuardView, readGuard } from '../../operations/integration/configuration.ts'
import { isHome } from '../../operations/perform/core.ts'
import { perform } from '../../operations/perform/perform.ts'
import { readRegular } from '../files/regular-file.ts'
import { askGit } from '../git/git.ts'
import { whileHolding } from '../lease.ts'
import type { World } from '../world.ts'

// Decides who made a change of aiswarm's own configuration. If no agent runs or has just run, a person made it, and it
// applies; so do changes that aiswarm writes itself and changes that a person approved. Any other change waits for a
// person's decision and is ignored until then.

/** The lease that a process holds while it changes the files for aiswarm or judges a change. */
const ROLE = 'own configuration'

/** How long to wait for a change by another aiswarm process (ms). */
const PATIENCE = 5000

/** The part of the world that judging needs. */
export type Judge = Pick<World, 'core' | 'actor' | 'holder'>

interface Own {
  readonly guard: GuardView | null
  /** The texts of the files now. */
  readonly found: Entries
  /** False while another aiswarm process changes them. */
  readonly judged: boolean
}

export const hashOfEntries = (entries: Entries): string =>
  createHash('sha256').update(JSON.stringify(entries)).digest('hex')

/** Returns the trusted texts and the texts found, after a person's own change was adopted. */
export const judgeOwn = async (world: Judge, patience = PATIENCE): Promise<Own> => {
  const { guard, found } = await readBoth(world)
  if (guard === null || areSame(found, ownOf(guard.entries))) return { guard, found, judged: true }
  return (
    (await whileHolding(world, ROLE, patience, (alone) => adoptPersons(alone)))?.result ?? {
      guard,
      found,
      judged: false,
    }
  )
}

/**
 * Runs a change of the files by aiswarm itself; `after` returns the texts that result from it, given the trusted ones.
 */
export const changingOwn = async <T>(
  world: World,
  work: () => Promise<T>,
  after: (result: T, trusted: Entries) => Entries,
): Promise<T> => {
  if (!isHome(world.core))
    throw new Refusal(
      'invalid_state',
      "The configuration of this board is in the main checkout, on its first host ('aiswarm host list'). Change it there.",
    )
  return alone(world, work, async (held, guard, result) =>
    adopt(held, guard, after(result, ownOf(guard.entries)), 'aiswarm'),
  )
}

/**
 * Moves a branch, possibly that of the main checkout, from one commit to another. If a person has read the commits, the
 * files in them become trusted; unread files do not become trusted by being merged.
 */
export const landingOwn = async <T>(
  world: World,
  landing: { readonly from: string; readonly to: string; readonly isRead: boolean },
  move: () => Promise<T>,
): Promise<T> => {
  const { exitCode } = await askGit(
    world.core.root,
    ['diff-tree', '-r', '--quiet', landing.from, landing.to, '--', '.aiswarm'],
    { answers: [1, 128] },
  )
  if (exitCode === 0) return move()
  return alone(world, move, async (held, guard) =>
    landing.isRead ? trustLanded(held, guard, landing.to) : recordLanded(held, guard),
  )
}

const alone = async <T>(
  world: World,
  work: () => Promise<T>,
  after: (held: World, guard: GuardView, result: T) => Promise<unknown>,
): Promise<T> => {
  const held = await whileHolding(world, ROLE, PATIENCE, async (alone) => {
    const result = await work()
    const guard = await perform(alone.core, readGuard, {}, alone.actor)
    if (guard !== null) await after(alone, guard, result)
    return result
  })
  return held ? held.result : work()
}

const trustLanded = async (world: World, guard: GuardView, commit: string): Promise<void> => {
  const { root } = world.core
  const [trusted, found] = [ownOf(guard.entries), readOwn(root)]
  const names = [...new Set([...Object.keys(trusted), ...Object.keys(found)])].filter(
    (name) => found[name] !== trusted[name],
  )
  const landed = await Promise.all(
    names.map(async (name) =>
      (await textIn(root, commit, name)) === found[name] ? [[name, found[name]] as const] : [],
    ),
  )
  await adopt(world, guard, present({ ...trusted, ...Object.fromEntries(landed.flat()) }), 'aiswarm')
}

/** The files count as an agent's change even if no agent runs at that moment. */
const recordLanded = async ({ core, actor }: World, { hash, entries }: GuardView): Promise<void> => {
  const own = readOwn(core.root)
  const found = withOwn(entries, own)
  if (!areSame(own, ownOf(entries)))
    await perform(
      core,
      recordGuard,
      {
        before: hash,
        found: { hash: hashOfEntries(found), entries: found },
        lines: [...ownChanges(ownOf(entries), own)],
      },
      actor,
    )
}

const readBoth = async ({ core, actor }: Judge): Promise<Pick<Own, 'guard' | 'found'>> => ({
  guard: await perform(core, readGuard, {}, actor),
  found: readOwn(core.root),
})

const adoptPersons = async (world: Judge): Promise<Own> => {
  const { guard, found } = await readBoth(world)
  if (guard === null) return { guard, found, judged: true }
  // An older aiswarm recorded only git's configuration.
  const isFirst = guard.entries[CONFIGURATION] === undefined
  const adopted = await adopt(world, guard, found, isFirst ? 'aiswarm' : 'nobody else')
  return { guard: adopted ? await perform(world.core, readGuard, {}, world.actor) : guard, found, judged: true }
}

const adopt = async (
  { core, actor }: Judge,
  { hash, entries }: GuardView,
  own: Entries,
  by: 'aiswarm' | 'nobody else',
): Promise<boolean> => {
  const found = withOwn(entries, own)
  if (hashOfEntries(found) === hash) return true
  const changed = changedAtOfOwn(core.root, ownOf(entries), own)
  const changedAt = changed === null ? null : instant(changed)
  return (
    await perform(
      core,
      adoptConfiguration,
      { before: hash, found: { hash: hashOfEntries(found), entries: found }, by, changedAt },
      actor,
    )
  ).adopted
}

/** The content of a file in a commit. */
const textIn = async (root: string, commit: string, name: string): Promise<string | undefined> => {
  const { exitCode, stdout } = await askGit(root, ['cat-file', 'blob', `${commit}:${name}`], { answers: [128] })
  if (name === CONFIGURATION) return exitCode === 0 ? meaningOf(stdout) : ''
  return exitCode === 0 ? stdout : undefined
}

const present = (entries: Readonly<Record<string, string | undefined>>): Entries =>
  Object.fromEntries(Object.entries(entries).flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])))

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
const changedAtOfOwn = (root: string, before: Entries, found: Entries): number | null => {
  const names = [...new Set([...Object.keys(before), ...Object.keys(found)])].filter(
    (name) => before[name] !== found[name],
  )
  const times = names.map((name) => statSync(join(root, name), { throwIfNoEntry: false })?.ctimeMs)
  return times.some((time) => time === undefined) ? null : Math.max(0, ...(times as number[]))
}

/** Lines removed from the files and lines added to them, one per line. */
const ownChanges = (before: Entries, after: Entries): readonly string[] =>
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
