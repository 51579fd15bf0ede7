import { createHash } from 'node:crypto'
import { existsSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { areSame, isOwn, ownOf, withOwn } from '../../domain/integration/trusted-configuration.ts'
import { isReadOnly, isRefusal, isUndecided } from '../../domain/rules/refusal.ts'
import { recordGuard } from '../../operations/integration/configuration-drift.ts'
import { type GuardView, readGuard } from '../../operations/integration/configuration.ts'
import { isHome } from '../../operations/perform/core.ts'
import { perform } from '../../operations/perform/perform.ts'
import { commonFolder } from '../files/git-dir.ts'
import { trustPrograms } from '../git/drivers.ts'
import { git } from '../git/git.ts'
import type { World } from '../world.ts'
import { hashOfEntries, judgeOwn, ownDifferences, readOwn } from './own-configuration.ts'

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

/** The configuration of git in this clone now, with that of aiswarm in the main checkout, and the trusted one. */
const lookAt = async (world: World): Promise<{ readonly trusted: GuardView | null; readonly entries: Obeyed }> => {
  const { core, actor } = world
  if (!isHome(core))
    return { trusted: await perform(core, readGuard, cloneOf(core), actor), entries: await readObeyed(core.root) }
  const { guard, found } = await judgeOwn(world)
  return { trusted: guard, entries: withOwn(await readObeyed(core.root), found) }
}

/** The configuration of this repository for git (without the person's own) and for aiswarm, as name and content. */
type Obeyed = Readonly<Record<string, string>>

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

const readObeyed = async (root: string): Promise<Obeyed> => {
  const common = commonFolder(root)!
  const own = await configured(root, ['--includes'])
  const linked = await Promise.all(listed(join(common, 'worktrees')).map((name) => ofWorktree(root, common, name, own)))
  return Object.fromEntries([...own, ...linked.flat(), ...filesOf(common)])
}

/**
 * Keys that tools write and that affect nothing aiswarm does, because it talks only to the remote of the board, and not by
 * this configuration. A clone, `git remote add` and the tools of a forge write those of a remote: were they compared, a
 * board would stop at each of them. Its keys that name a program are no tool's: the person's next `git fetch` would run it.
 */
const harmless =
  /^(?:branch\..*\.(?!mergeoptions$)[^.]*|remote\.(?!.*\.(?:uploadpack|receivepack|vcs|proxy)$).*|gui\..*|extensions\.worktreeconfig|core\.sparsecheckout(?:cone)?|index\.sparse|core\.(?:filemode|ignorecase|precomposeunicode|logallrefupdates))$/

/** Settings that git-lfs writes when it runs as a filter: the only version there is, and how to access a server. */
const harmlessOfLfs = (key: string, value: string): boolean =>
  (key === 'lfs.repositoryformatversion' && value === '0') ||
  (/^lfs\..*\.access$/.test(key) && /^(?:basic|negotiate|ntlm|private|none)$/i.test(value))

/** The repository's own settings, including those of included files. */
const configured = async (root: string, from: readonly string[]): Promise<readonly (readonly [string, string])[]> => {
  const fields = (await git(root, ['config', '--list', ...from, '--show-scope', '-z'])).split('\0')
  const times = new Map<string, number>()
  const found: [string, string][] = []
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [scope, entry] = [fields[at]!, fields[at + 1]!]
    const end = entry.indexOf('\n')
    const key = end < 0 ? entry : entry.slice(0, end)
    const value = end < 0 ? 'true' : entry.slice(end + 1)
    if (
      (scope !== 'local' && scope !== 'worktree' && from[0] !== '--file') ||
      harmless.test(key) ||
      harmlessOfLfs(key, value)
    )
      continue
    const time = (times.get(key) ?? 0) + 1
    times.set(key, time)
    found.push([`config ${key}${time > 1 ? ` (${time})` : ''}`, value])
  }
  return found
}

/** The settings of one worktree; git copies those of the main checkout into a new one. */
const ofWorktree = async (
  root: string,
  common: string,
  name: string,
  own: readonly (readonly [string, string])[],
): Promise<readonly (readonly [string, string])[]> => {
  const path = join(common, 'worktrees', name, 'config.worktree')
  if (!existsSync(path)) return []
  const found = await configured(root, ['--file', path, '--includes'])
  return found
    .filter(([key, value]) => !own.some(([other, same]) => other === key && same === value))
    .map(([key, value]) => [`${key} (worktree ${name})`, value] as const)
}

/** The longest file whose text is kept to be shown; of a longer one, the beginning (bytes). */
const SHOWN = 4000

const filesOf = (common: string): readonly (readonly [string, string])[] => [
  ...listed(join(common, 'hooks')).flatMap((name) =>
    name.endsWith('.sample') ? [] : content(common, `hooks/${name}`),
  ),
  ...['info/attributes', 'info/grafts', 'objects/info/alternates'].flatMap((name) => content(common, name)),
]

const listed = (folder: string): readonly string[] =>
  statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(folder).sort() : []

const content = (common: string, name: string): readonly (readonly [string, string])[] => {
  const stat = lstatSync(join(common, name), { throwIfNoEntry: false })
  if (stat === undefined) return []
  if (!stat.isFile())
    return [[name, stat.isSymbolicLink() ? `a link, followed: ${hashOf(join(common, name))}` : 'no file']]
  const bytes = readFileSync(join(common, name))
  const mode = (stat.mode & 0o111) === 0 ? '' : ', executable'
  const rest =
    bytes.length > SHOWN || bytes.includes(0)
      ? `\n… ${bytes.length} bytes, sha256 ${createHash('sha256').update(bytes).digest('hex')}`
      : ''
  // The rows have no NUL, and a text that differs from its row would count as changed.
  return [[`${name}${mode}`, bytes.subarray(0, SHOWN).toString('utf8').replaceAll('\0', '\ufffd') + rest]]
}

const hashOf = (path: string): string => {
  try {
    return statSync(path).isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : 'no file'
  } catch {
    return 'it leads nowhere'
  }
}
