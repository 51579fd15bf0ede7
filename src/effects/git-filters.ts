import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { askGit } from './git.ts'
import { commonFolder, placeOf } from './git-place.ts'

// A clean filter runs with every `git status` that has to look into a file. One that an agent has put into the
// repository's configuration, where its sandbox may let it write, would run as the person outside of that sandbox.

/** The filters of a repository's own configuration that a person trusts, by its common git folder: key and value each. */
const trusted = new Map<string, ReadonlyMap<string, string>>()

/** Settings as the guard names them (`config filter.lfs.clean`); those that are no filter do not matter. */
export const trustFilters = (root: string, entries: Readonly<Record<string, string>>): void => {
  const common = commonFolder(root)
  if (common === undefined) return
  trusted.set(common, new Map(Object.entries(entries).flatMap(([name, value]) => (name.startsWith('config filter.') ? [[name.slice(7), value] as const] : []))))
}

/** Configuration with which git runs none of the filters that nobody has trusted. */
export const withoutFilters = async (folder: string): Promise<readonly string[]> => {
  const common = commonFolder(folder)
  if (common === undefined) return []
  const known = trusted.get(common)
  const untrusted = [...(await filtersOf(folder, common))].filter(([key, value]) => known?.get(key) !== value).map(([key]) => key.slice(0, key.lastIndexOf('.')))
  return [...new Set(untrusted)].flatMap((name) => [`${name}.clean=`, `${name}.smudge=`, `${name}.process=`, `${name}.required=false`])
}

interface Seen {
  /** What the files that were read looked like. */
  readonly print: string
  readonly files: readonly string[]
  readonly filters: ReadonlyMap<string, string>
}

const seen = new Map<string, Seen>()

/** Read again only when one of the files that they stand in has changed. */
const filtersOf = async (folder: string, common: string): Promise<ReadonlyMap<string, string>> => {
  const own = [join(common, 'config'), join(common, 'config.worktree'), join(placeOf(folder)?.gitDir ?? common, 'config.worktree')]
  const before = seen.get(folder)
  if (before && before.print === printOf([...own, ...before.files])) return before.filters
  const { stdout } = await askGit(folder, ['config', '--list', '--includes', '--show-scope', '--show-origin', '-z'])
  const fields = stdout.split('\0')
  const [files, filters] = [new Set<string>(), new Map<string, string>()]
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [scope, origin, entry] = [fields[at]!, fields[at + 1]!, fields[at + 2]!]
    if (scope !== 'local' && scope !== 'worktree') continue
    if (origin.startsWith('file:')) files.add(resolve(folder, origin.slice(5)))
    const end = entry.indexOf('\n')
    const key = end < 0 ? entry : entry.slice(0, end)
    if (key.startsWith('filter.')) filters.set(key, end < 0 ? 'true' : entry.slice(end + 1))
  }
  seen.set(folder, { print: printOf([...own, ...files]), files: [...files], filters })
  return filters
}

const printOf = (files: readonly string[]): string =>
  files.map((path) => (existsSync(path) ? ((stat) => `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`)(statSync(path, { bigint: true })) : '-')).join('\n')
