import { createHash } from 'node:crypto'
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gitBytes } from './git.ts'

/** Everything of a checkout that belongs to the person, one entry each: `file a.txt`, `index a.txt`, `ref refs/heads/main`, … */
export type Fingerprint = ReadonlyMap<string, string>

/**
 * The files with modes and bytes, the index, HEAD, stash, configuration, hooks and locks of a checkout, and the refs
 * of its repository without those of aiswarm and of the branches in `except`. A missing folder has none.
 */
export const fingerprint = (folder: string, except: readonly string[] = []): Fingerprint => {
  const found = new Map<string, string>()
  if (!existsSync(folder)) return found
  for (const [path, what] of filesBelow(Buffer.from(folder), Buffer.alloc(0))) found.set(`file ${shown(path)}`, what)
  const gitDir = gitFolderOf(folder)
  if (gitDir === undefined) return found
  const common = existsSync(join(gitDir, 'commondir'))
    ? resolve(gitDir, readFileSync(join(gitDir, 'commondir'), 'utf8').trim())
    : gitDir
  for (const [path, what] of indexOf(folder)) found.set(`index ${path}`, what)
  for (const [ref, oid] of refsOf(common))
    if (!ref.startsWith('refs/aiswarm/') && !except.some((branch) => ref === `refs/heads/${branch}`))
      found.set(`ref ${ref}`, oid)
  found.set('HEAD', headOf(gitDir))
  for (const name of [
    'MERGE_HEAD',
    'CHERRY_PICK_HEAD',
    'REVERT_HEAD',
    'ORIG_HEAD',
    'index.lock',
    'HEAD.lock',
    'rebase-merge/head-name',
    'config.worktree',
    'info/sparse-checkout',
  ])
    found.set(`git ${name}`, bytesOf(join(gitDir, name)))
  const config = join(common, 'config')
  found.set('git config', existsSync(config) ? hash(Buffer.from(withoutLfs(readFileSync(config, 'utf8')))) : 'none')
  for (const name of [
    'config.lock',
    'packed-refs.lock',
    'shallow',
    'info/exclude',
    'info/attributes',
    'logs/refs/stash',
  ])
    found.set(`git ${name}`, bytesOf(join(common, name)))
  for (const name of existsSync(join(common, 'hooks')) ? readdirSync(join(common, 'hooks')) : [])
    found.set(
      `git hooks/${name}`,
      `${lstatSync(join(common, 'hooks', name)).mode} ${bytesOf(join(common, 'hooks', name))}`,
    )
  return found
}

/** git-lfs, if it is installed, writes its version there whenever it runs as a filter. */
const withoutLfs = (config: string): string => config.replace(/\[lfs\]\n\trepositoryformatversion = 0\n/, '')

/** The entries that differ, in order. */
export const changesBetween = (before: Fingerprint, after: Fingerprint): readonly string[] =>
  [...new Set([...before.keys(), ...after.keys()])].filter((key) => before.get(key) !== after.get(key)).sort()

/** The place where git keeps the checkout's own files, found without git, which may be misled. */
const gitFolderOf = (folder: string): string | undefined => {
  const dotGit = join(folder, '.git')
  if (!existsSync(dotGit)) return undefined
  if (statSync(dotGit).isDirectory()) return dotGit
  const named = resolve(folder, readFileSync(dotGit, 'utf8').replace('gitdir: ', '').trim())
  return existsSync(named) ? named : undefined
}

const filesBelow = (folder: Buffer, path: Buffer): readonly (readonly [Buffer, string])[] =>
  readdirSync(folder, { encoding: 'buffer' }).flatMap((name): readonly (readonly [Buffer, string])[] => {
    if (path.length === 0 && ['.git', '.aiswarm'].includes(name.toString())) return []
    const at = Buffer.concat([folder, Buffer.from('/'), name])
    const below = path.length === 0 ? name : Buffer.concat([path, Buffer.from('/'), name])
    const stat = lstatSync(at)
    // The files that git keeps for a submodule in its own folder are not the person's work.
    if (stat.isDirectory()) return [[below, 'folder'], ...(name.toString() === '.git' ? [] : filesBelow(at, below))]
    if (stat.isSymbolicLink()) return [[below, `link ${readlinkSync(at)}`]]
    return [
      [below, stat.isFile() ? `${(stat.mode & 0o777).toString(8)} ${hash(readFileSync(at))}` : `special ${stat.mode}`],
    ]
  })

/** The entries with their stages and flags (skip-worktree, assume-unchanged, intent to add). */
const indexOf = (folder: string): readonly (readonly [string, string])[] => {
  const flags = gitBytes(folder, 'ls-files', '-v', '-z', '--sparse')
  const stages = gitBytes(folder, 'ls-files', '--stage', '-z', '--sparse')
  return [
    ...entriesOf(stages).map((entry): [string, string] => [
      shown(entry.subarray(entry.indexOf(9) + 1)) + ` ${entry.subarray(0, entry.indexOf(9)).toString().split(' ')[2]}`,
      entry.subarray(0, entry.indexOf(9)).toString(),
    ]),
    ...entriesOf(flags).map((entry): [string, string] => [
      `${shown(entry.subarray(2))} flag`,
      entry.subarray(0, 1).toString(),
    ]),
  ]
}

const refsOf = (common: string): readonly (readonly [string, string])[] => {
  const packed = existsSync(join(common, 'packed-refs'))
    ? readFileSync(join(common, 'packed-refs'), 'utf8').split('\n')
    : []
  const found = new Map<string, string>()
  for (const line of packed) {
    const [, oid, name] = /^([0-9a-f]{40,64}) (.+)$/.exec(line) ?? []
    if (oid !== undefined) found.set(name!, oid)
  }
  const walk = (name: string): void => {
    for (const entry of readdirSync(join(common, name), { withFileTypes: true })) {
      if (entry.isDirectory()) walk(`${name}/${entry.name}`)
      else found.set(`${name}/${entry.name}`, readFileSync(join(common, name, entry.name), 'utf8').trim())
    }
  }
  walk('refs')
  return [...found]
}

const entriesOf = (bytes: Buffer): readonly Buffer[] => {
  const entries: Buffer[] = []
  for (let from = 0, end = bytes.indexOf(0); end !== -1; from = end + 1, end = bytes.indexOf(0, from))
    entries.push(bytes.subarray(from, end))
  return entries
}

const headOf = (gitDir: string): string =>
  readFileSync(join(gitDir, 'HEAD'), 'utf8')
    .trim()
    .replace(/^ref: /, '')

const bytesOf = (path: string): string =>
  existsSync(path) && statSync(path).isFile() ? hash(readFileSync(path)) : 'none'

export const hash = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex').slice(0, 20)

/** A path as text that distinguishes any two paths, whatever their bytes. */
export const shown = (path: Buffer): string => path.toString('latin1')
