import { createHash } from 'node:crypto'
import { areSame, CONFIGURATION, type Entries, ownOf, withOwn } from '../../domain/integration/trusted-configuration.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { instant } from '../../domain/words/time.ts'
import { adoptConfiguration, recordGuard } from '../../operations/integration/configuration-drift.ts'
import { isHome } from '../../operations/perform/core.ts'
import { perform } from '../../operations/perform/perform.ts'
import { type GuardView, readGuard } from '../../operations/integration/configuration.ts'
import { askGit } from '../git/git.ts'
import { changedAtOfOwn, meaningOf, ownChanges, readOwn } from '../configuration/own.ts'
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

export interface Own {
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
