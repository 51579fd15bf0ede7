import { areSame, isOwn, ownOf, withOwn } from '../../domain/integration/trusted-configuration.ts'
import { isReadOnly, isRefusal, isUndecided } from '../../domain/rules/refusal.ts'
import { isHome } from '../../operations/perform/core.ts'
import { perform } from '../../operations/perform/perform.ts'
import { type GuardView, readGuard } from '../../operations/integration/configuration.ts'
import { recordGuard } from '../../operations/integration/configuration-drift.ts'
import { trustPrograms } from '../git/drivers.ts'
import { ownDifferences, readOwn } from '../configuration/own.ts'
import type { World } from '../world.ts'
import { hashOfEntries, judgeOwn } from './own-changes.ts'
import { type Obeyed, readObeyed } from './obeyed.ts'

// A merge driver that an agent adds to .git/config runs with the next merge, a hook with the person's next commit. The
// guard therefore records the configuration that git uses, and stops integrating when it has changed. The same holds
// for the configuration of aiswarm: a command in `.aiswarm/config.yaml` runs as the person, and a rule gives agents
// permissions.

/** Records the configuration if none is recorded yet: the state before the first agent starts is trusted. */
export const beginGuard = async (world: World): Promise<void> => {
  if (world.core.host === null) return
  const guard = await perform(world.core, readGuard, cloneOf(world.core), world.actor)
  if (guard === null) await checkGuard(world)
  else {
    trustPrograms(world.core.root, guard.entries)
    if (isHome(world.core) && !areSame(readOwn(world.core.root), ownOf((guard.changed ?? guard).entries)))
      await noticeChanges(world)
  }
}

/** Whose record is meant: that of the main checkout, with aiswarm's own configuration, or of the clone of another host. */
export const cloneOf = (core: World['core']): { readonly host?: string } => (isHome(core) ? {} : { host: core.host! })

/** The configuration of git in this clone now, with that of aiswarm in the main checkout, and the trusted one. */
const lookAt = async (world: World): Promise<{ readonly trusted: GuardView | null; readonly entries: Obeyed }> => {
  const { core, actor } = world
  if (!isHome(core))
    return { trusted: await perform(core, readGuard, cloneOf(core), actor), entries: await readObeyed(core.root) }
  const { guard, found } = await judgeOwn(world)
  return { trusted: guard, entries: withOwn(await readObeyed(core.root), found) }
}

/** True if the configuration is the trusted one. Differences are recorded for a person to review. */
export const checkGuard = async (world: World): Promise<boolean> => {
  const { core, actor } = world
  // Nothing runs in a checkout that has not joined.
  if (core.host === null) return true
  const { trusted, entries } = await lookAt(world)
  const hash = hashOfEntries(entries)
  trustPrograms(core.root, trusted?.entries ?? entries)
  if (trusted?.hash === hash && trusted.changed === null) return true
  const { recorded } = await perform(
    core,
    recordGuard,
    {
      before: trusted?.hash ?? null,
      found: { hash, entries },
      lines: trusted ? differences(trusted.entries, entries) : [],
      ...cloneOf(core),
    },
    actor,
  )
  // Another process has accepted a newer configuration than the one compared.
  if (recorded === 'void') return checkGuard(world)
  return recorded === 'first' || hash === trusted?.hash
}

/**
 * As `checkGuard`, for callers that continue either way. Reports when git itself no longer works, or the board takes no
 * writes; while the board does not answer, nothing was checked, and it refuses.
 */
export const noticeChanges = async (world: World): Promise<void> => {
  try {
    await checkGuard(world)
  } catch (error) {
    if (!isRefusal(error) || (isUndecided(error) && !isReadOnly(error))) throw error
    world.report(error.message)
  }
}

/**
 * Checks whether aiswarm's own configuration is the one last seen; runs no git command if it is. False if that cannot
 * be decided yet.
 */
export const lookAtOwn = async (world: World): Promise<boolean> => {
  if (!isHome(world.core)) return true
  const { guard, found, judged } = await judgeOwn(world, 0)
  if (judged && (guard === null || !areSame(found, ownOf((guard.changed ?? guard).entries)))) await noticeChanges(world)
  return judged
}

/** Lines removed and lines added, one per line. */
const differences = (before: Obeyed, after: Obeyed): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => before[name] !== after[name])
    .sort()
    .flatMap((name) =>
      isOwn(name)
        ? ownDifferences(name, before[name] ?? '', after[name] ?? '')
        : [...linesOf('-', name, before[name]), ...linesOf('+', name, after[name])],
    )

const linesOf = (sign: '-' | '+', name: string, value: string | undefined): string[] => {
  if (value === undefined) return []
  if (name.startsWith('config ')) return [`${sign} ${name} = ${value}`]
  return [
    `${sign} ${name}:`,
    ...value
      .trimEnd()
      .split('\n')
      .map((line) => `${sign}   ${line}`),
  ]
}
