import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { askGit } from './git.ts'
import { commonFolder, placeOf } from './git-place.ts'

// A clean filter runs with every `git status` that has to look into a file, a merge driver with every merge of two contents.
// One that an agent has put into the repository's configuration, where its sandbox may let it write, would run as the
// person outside of that sandbox.

/** The programs of a repository's own configuration that a person trusts, by its common git folder: key and value each. */
const trusted = new Map<string, ReadonlyMap<string, string>>()

const isProgram = (key: string): boolean => /^(?:filter\.|merge\..*\.driver$)/s.test(key)

/** Settings as the guard names them (`config filter.lfs.clean`); those that are neither filter nor driver do not matter. */
export const trustPrograms = (root: string, entries: Readonly<Record<string, string>>): void => {
  const common = commonFolder(root)
  if (common === undefined) return
  trusted.set(
    common,
    new Map(Object.entries(entries).flatMap(([name, value]) => (name.startsWith('config ') && isProgram(name.slice(7)) ? [[name.slice(7), value] as const] : []))),
  )
}

/**
 * An environment in which git runs none of the filters that nobody has trusted, and takes what a driver that nobody has
 * trusted would merge for a conflict. Not by `-c`: that reads a name with `=` in it as another one.
 */
export const withoutPrograms = async (folder: string): Promise<Readonly<Record<string, string>>> => {
  const common = commonFolder(folder)
  if (common === undefined) return {}
  const known = trusted.get(common)
  const untrusted = [...(await programsOf(folder, common))].filter(([key, value]) => known?.get(key) !== value).map(([key]) => key.slice(0, key.lastIndexOf('.')))
  const off = [...new Set(untrusted)].flatMap((name): (readonly [string, string])[] =>
    name.startsWith('merge.')
      ? [[`${name}.driver`, 'false']]
      : [
          [`${name}.clean`, ''],
          [`${name}.smudge`, ''],
          [`${name}.process`, ''],
          [`${name}.required`, 'false'],
        ],
  )
  if (off.length === 0) return {}
  return Object.fromEntries([
    ['GIT_CONFIG_COUNT', String(off.length)],
    ...off.flatMap(([key, value], n) => [[`GIT_CONFIG_KEY_${n}`, key] as const, [`GIT_CONFIG_VALUE_${n}`, value] as const]),
  ])
}

interface Seen {
  /** What the files that were read looked like. */
  readonly print: string
  readonly files: readonly string[]
  readonly programs: ReadonlyMap<string, string>
}

const seen = new Map<string, Seen>()

/** Read again only when one of the files that they stand in has changed. */
const programsOf = async (folder: string, common: string): Promise<ReadonlyMap<string, string>> => {
  const own = [join(common, 'config'), join(common, 'config.worktree'), join(placeOf(folder)?.gitDir ?? common, 'config.worktree')]
  const before = seen.get(folder)
  if (before && before.print === printOf([...own, ...before.files])) return before.programs
  const { stdout } = await askGit(folder, ['config', '--list', '--includes', '--show-scope', '--show-origin', '-z'])
  const fields = stdout.split('\0')
  const [files, programs] = [new Set<string>(), new Map<string, string>()]
  let including = false
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [scope, origin, entry] = [fields[at]!, fields[at + 1]!, fields[at + 2]!]
    if (scope !== 'local' && scope !== 'worktree') continue
    if (origin.startsWith('file:')) files.add(resolve(folder, origin.slice(5)))
    const end = entry.indexOf('\n')
    const key = end < 0 ? entry : entry.slice(0, end)
    including ||= /^include(?:if\..*)?\.path$/s.test(key)
    if (isProgram(key)) programs.set(key, end < 0 ? 'true' : entry.slice(end + 1))
  }
  // What is included may appear later, or with another branch, and no file that is known now tells.
  if (including) seen.delete(folder)
  else seen.set(folder, { print: printOf([...own, ...files]), files: [...files], programs })
  return programs
}

const printOf = (files: readonly string[]): string =>
  files.map((path) => (existsSync(path) ? ((stat) => `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`)(statSync(path, { bigint: true })) : '-')).join('\n')
