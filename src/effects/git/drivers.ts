import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { commonFolder, placeOf } from '../files/git-dir.ts'
import { askGit } from './git.ts'

// Git runs a clean filter with every `git status` that reads a file's content, and a merge driver with every merge of
// two contents. A program that an agent has added to the repository's configuration, where its sandbox may let it
// write, would run as the person, outside of that sandbox.

/** Programs in a repository's configuration that a person trusts, as key and value, by common git folder. */
const trusted = new Map<string, ReadonlyMap<string, string>>()

const isProgram = (key: string): boolean => /^(?:filter\.|merge\..*\.driver$)/s.test(key)

/**
 * Takes settings under the guard's names (`config filter.lfs.clean`) and ignores those that are neither filter nor
 * driver.
 */
export const trustPrograms = (root: string, entries: Readonly<Record<string, string>>): void => {
  const common = commonFolder(root)
  if (common === undefined) return
  trusted.set(
    common,
    new Map(
      Object.entries(entries).flatMap(([name, value]) =>
        name.startsWith('config ') && isProgram(name.slice(7)) ? [[name.slice(7), value] as const] : [],
      ),
    ),
  )
}

/**
 * An environment in which git runs no untrusted filter, and reports a conflict where an untrusted driver would merge.
 * It does not use `-c`, which cannot express names that contain `=`.
 */
export const withoutPrograms = async (folder: string): Promise<Readonly<Record<string, string>>> => {
  const common = commonFolder(folder)
  if (common === undefined) return {}
  const known = trusted.get(common)
  const untrusted = [...(await programsOf(folder, common))]
    .filter(([key, value]) => known?.get(key) !== value)
    .map(([key]) => key.slice(0, key.lastIndexOf('.')))
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
    ...off.flatMap(([key, value], n) => [
      [`GIT_CONFIG_KEY_${n}`, key] as const,
      [`GIT_CONFIG_VALUE_${n}`, value] as const,
    ]),
  ])
}

interface Seen {
  /** Sizes and times of the files that were read. */
  readonly print: string
  readonly files: readonly string[]
  readonly programs: ReadonlyMap<string, string>
}

const seen = new Map<string, Seen>()

/** Reads the programs again only if one of the files that define them has changed. */
const programsOf = async (folder: string, common: string): Promise<ReadonlyMap<string, string>> => {
  const own = [
    join(common, 'config'),
    join(common, 'config.worktree'),
    join(placeOf(folder)?.gitDir ?? common, 'config.worktree'),
  ]
  const before = seen.get(folder)
  if (before && before.print === stampsOf([...own, ...before.files])) return before.programs
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
  // An included file may appear later or depend on the branch, so that no stamp of known files is sufficient.
  if (including) seen.delete(folder)
  else seen.set(folder, { print: stampsOf([...own, ...files]), files: [...files], programs })
  return programs
}

const stampsOf = (files: readonly string[]): string =>
  files
    .map((path) =>
      existsSync(path)
        ? ((stat) => `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`)(statSync(path, { bigint: true }))
        : '-',
    )
    .join('\n')
