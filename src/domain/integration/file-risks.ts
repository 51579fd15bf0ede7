import { someOf } from '../words/counts.ts'
import { hiddenPlaces } from '../words/safe-text.ts'
import { folded, obeyedBy } from './obeyed-files.ts'
import { rank, type Risk, type RiskKind } from './risk.ts'

/**
 * The known facts about a changed file. Modes are git's: 100644, 100755, 120000 (symbolic link), 160000 (submodule),
 * 000000 (none).
 */
export interface FileFacts {
  readonly path: string
  /** Its earlier path, if it was renamed or copied. */
  readonly from: string | null
  readonly oldMode: string
  readonly newMode: string
  /** `binary` or `unread` if git shows no lines of it, or none were read. */
  readonly content: 'text' | 'binary' | 'unread'
  /** True if git would hide its lines because of its attributes or a NUL in it. */
  readonly forced: boolean
  /** The numbers of added lines that look like a key or a password. */
  readonly secrets: readonly number[]
  /** Characters in added lines that a terminal or an editor would hide or reorder. */
  readonly hidden: number
  /** True for a pointer to a file that is stored elsewhere (Git LFS). */
  readonly pointer: boolean
  /** The changed scripts of a package.json; undefined if it cannot be parsed. */
  readonly scripts: readonly ScriptChange[] | undefined
  /** Names in added lines, and of the file, with letters of several scripts. */
  readonly mixed: readonly MixedName[]
  /** Where a symbolic link points; undefined if it is none, or its content was not read. */
  readonly link: string | undefined
  /** True for the HEAD of a bare repository. */
  readonly isBare: boolean
  /** Other live worktrees that change it too. */
  readonly elsewhere: readonly string[]
}

/** A name in a line of a file, or in its path (line null). */
export interface MixedName {
  readonly line: number | null
  readonly name: string
  readonly scripts: readonly string[]
}

/** The reasons to review a file separately, the gravest first; empty if there is none. */
export const risksOf = (file: FileFacts): readonly Risk[] => {
  const risks: Risk[] = [...ofContent(file), ...ofPath(file), ...ofScripts(file), ...ofModes(file)]
  if (file.elsewhere.length > 0)
    risks.push({
      kind: 'elsewhere',
      reason: `${list(file.elsewhere)} ${file.elsewhere.length === 1 ? 'changes' : 'change'} it too`,
    })
  return risks.sort((a, b) => rank(a) - rank(b))
}

const NONE = '000000'
const LINK = '120000'
const MODULE = '160000'
const EXECUTABLE = '100755'

const ofPath = ({ path, from, isBare }: FileFacts): readonly Risk[] => {
  const risks = [path, ...(from === null ? [] : [from])].flatMap((one): Risk[] => {
    const reason = (words: string): string => (one === path ? words : `under its old name: ${words}`)
    const row = obeyedBy(one)
    return [
      ...(isInRepository(one)
        ? [
            {
              kind: 'repository',
              reason: reason('git would take its folder for a repository, and obey what is in it'),
            } as const,
          ]
        : []),
      ...(row ? [{ kind: row.kind, reason: reason(`${row.program} ${row.does}`) }] : []),
    ]
  })
  const hidden = hiddenPlaces(path, 1).length > 0
  if (isBare)
    risks.push({ kind: 'repository', reason: 'its folder is a bare repository, whose configuration git obeys inside' })
  if (hidden) risks.push({ kind: 'hidden', reason: 'its name contains characters that most programs hide or reorder' })
  return risks.filter((risk, n) => risks.findIndex(({ kind }) => kind === risk.kind) === n)
}

/** True for a file below a `.git`, in any form that a file system takes for it. */
const isInRepository = (path: string): boolean => path.split('/').some(isGitFolder)

const isGitFolder = (name: string): boolean => /^(\.git|git~\d+)[ .]*(:.*)?$/.test(folded(name))

/**
 * The folders among these paths that git would take for a bare repository: a person who runs git inside obeys its
 * configuration.
 */
export const bareRepositories = (paths: readonly string[]): readonly string[] => {
  const all = new Set<string>()
  for (const path of paths.map(folded)) {
    const [, above, part] = /^(.*?)(objects|refs)\//.exec(path) ?? []
    if (part !== undefined) all.add(`${above}${part}/`)
    if (/(^|\/)head$/.test(path)) all.add(path)
  }
  return paths.filter((path) => {
    const name = folded(path)
    if (!/(^|\/)head$/.test(name)) return false
    const folder = name.slice(0, -'head'.length)
    return all.has(`${folder}objects/`) || all.has(`${folder}refs/`)
  })
}

const ofContent = ({ content, forced, secrets, hidden, pointer, newMode, mixed }: FileFacts): readonly Risk[] => [
  ...(secrets.length === 0
    ? []
    : one(
        'secret',
        `${secrets.length === 1 ? 'line' : 'lines'} ${list(secrets.map(String))} ${secrets.length === 1 ? 'looks' : 'look'} like a key or a password`,
      )),
  ...(hidden === 0
    ? []
    : one(
        'hidden',
        `it contains ${hidden} ${hidden === 1 ? 'character' : 'characters'} that most programs hide or reorder, spelled out below`,
      )),
  ...(mixed.length === 0 ? [] : one('mixed', mixedWords(mixed))),
  ...(forced ? one('hidden', 'git would show it as binary; its lines are shown here') : []),
  ...(content === 'binary' && newMode !== NONE ? one('binary', 'it is binary; its content cannot be shown') : []),
  ...(content === 'unread' ? one('large-file', 'it is large and not loaded yet; its lines are not checked') : []),
  ...(pointer ? one('binary', 'it points to a file that is stored elsewhere (Git LFS)') : []),
]

const mixedWords = (mixed: readonly MixedName[]): string => {
  const words = mixed.map(
    ({ line, name, scripts }) =>
      `"${name}" ${line === null ? 'in its name' : `in line ${line}`} mixes ${scripts.join(' and ')} letters`,
  )
  return someOf(words, 3)
}

const ofScripts = ({ scripts }: FileFacts): readonly Risk[] => {
  if (scripts === undefined) return one('scripts', 'it cannot be parsed as a package.json, so its scripts are unknown')
  if (scripts.length === 0) return []
  const named = scripts.map(
    (script) =>
      `${script.name} ${script.before === null ? '(new)' : script.after === null ? '(removed)' : '(changed)'}`,
  )
  return one(
    'scripts',
    `scripts: ${list(named)}${scripts.some((script) => runsUnasked(script) && script.after !== null) ? '; some run automatically on installation' : ''}`,
  )
}

const ofModes = ({ path, oldMode, newMode, link }: FileFacts): readonly Risk[] => [
  ...(newMode === MODULE || oldMode === MODULE ? one('submodule', moduleWords(oldMode, newMode)) : []),
  ...(newMode === LINK ? one('symlink', `${linkWords(oldMode)}${targetWords(path, link)}`) : []),
  ...(newMode === EXECUTABLE && oldMode !== EXECUTABLE ? one('executable', 'it is executable now') : []),
  ...(newMode === NONE && oldMode !== MODULE ? one('deletion', 'it is deleted') : []),
]

const moduleWords = (oldMode: string, newMode: string): string => {
  if (newMode === NONE) return 'a submodule is removed'
  if (newMode !== MODULE) return 'a submodule has become a file'
  if (oldMode === MODULE) return 'it is a submodule: another repository at another commit'
  return `${oldMode === NONE ? 'a new submodule' : 'it has become a submodule'}: another repository, whose content is not here`
}

const linkWords = (oldMode: string): string => {
  if (oldMode === LINK) return 'a symbolic link points elsewhere'
  return oldMode === NONE ? 'a new symbolic link' : 'it is now a symbolic link'
}

const targetWords = (path: string, link: string | undefined): string => {
  if (link === undefined) return ''
  if (link.startsWith('/') || link.startsWith('~') || /^[a-z]:|^\\/i.test(link))
    return `, to ${link}, outside of the repository`
  const parts = path.split('/').slice(0, -1)
  for (const part of link.split('/')) {
    if (part === '..' && parts.length === 0) return `, to ${link}, outside of the repository`
    if (part === '..') parts.pop()
    else if (part !== '.' && part !== '') parts.push(part)
  }
  return `, to ${link}${parts.some(isGitFolder) ? ', in the folder of git' : ''}`
}

const one = (kind: RiskKind, reason: string): readonly Risk[] => [{ kind, reason }]

const list = (names: readonly string[]): string => someOf(names, 5)

/** A changed script of a package.json. */
export interface ScriptChange {
  readonly name: string
  /** Null if there is none. */
  readonly before: string | null
  readonly after: string | null
}

/** The scripts that npm runs by itself when a package is installed or packed. */
const unasked = new Set([
  'preinstall',
  'install',
  'postinstall',
  'prepare',
  'preprepare',
  'postprepare',
  'prepublish',
  'prepublishOnly',
  'prepack',
  'postpack',
  'dependencies',
])

const runsUnasked = ({ name }: ScriptChange): boolean => unasked.has(name)

/** The scripts that differ; undefined if one of the two cannot be parsed as a package.json. */
export const changedScripts = (before: string | null, after: string | null): readonly ScriptChange[] | undefined => {
  const [old, next] = [scriptsIn(before), scriptsIn(after)]
  if (!old || !next) return undefined
  return [...new Set([...old.keys(), ...next.keys()])].flatMap((name) => {
    const change = { name, before: old.get(name) ?? null, after: next.get(name) ?? null }
    return change.before === change.after ? [] : [change]
  })
}

const scriptsIn = (text: string | null): ReadonlyMap<string, string> | undefined => {
  if (text === null) return new Map()
  try {
    const { scripts } = JSON.parse(text) as { scripts?: unknown }
    if (scripts === undefined) return new Map()
    if (typeof scripts !== 'object' || scripts === null) return undefined
    return new Map(
      Object.entries(scripts).map(([name, script]) => [
        name,
        typeof script === 'string' ? script : JSON.stringify(script),
      ]),
    )
  } catch {
    return undefined
  }
}
