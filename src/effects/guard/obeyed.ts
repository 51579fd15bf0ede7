import { createHash } from 'node:crypto'
import { existsSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { git } from '../git/git.ts'
import { commonFolder } from '../files/git-dir.ts'

/** The configuration of this repository for git (without the person's own) and for aiswarm, as name and content. */
export type Obeyed = Readonly<Record<string, string>>

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

export const readObeyed = async (root: string): Promise<Obeyed> => {
  const common = commonFolder(root)!
  const own = await configured(root, ['--includes'])
  const linked = await Promise.all(listed(join(common, 'worktrees')).map((name) => ofWorktree(root, common, name, own)))
  return Object.fromEntries([...own, ...linked.flat(), ...filesOf(common)])
}

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
