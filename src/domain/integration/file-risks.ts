import { someOf } from '../words/count.ts'
import { type ScriptChange, runsUnasked } from './package-scripts.ts'
import { places } from './risk-places.ts'
import { type RiskKind, type Risk, rank } from './risk.ts'

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
  /** Other live worktrees that change it too. */
  readonly elsewhere: readonly string[]
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

const ofPath = ({ path, from }: FileFacts): readonly Risk[] => {
  const risks = [path, ...(from === null ? [] : [from])].flatMap((one): Risk[] => {
    const row = places.find(([, pattern]) => pattern.test(one))
    return row ? [{ kind: row[0], reason: one === path ? row[2] : `under its old name: ${row[2]}` }] : []
  })
  return risks.filter((risk, n) => risks.findIndex(({ kind }) => kind === risk.kind) === n)
}

const ofContent = ({ content, forced, secrets, hidden, pointer, newMode }: FileFacts): readonly Risk[] => [
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
  ...(forced ? one('hidden', 'git would show it as binary; its lines are shown here') : []),
  ...(content === 'binary' && newMode !== NONE ? one('binary', 'it is binary; its content cannot be shown') : []),
  ...(content === 'unread' ? one('large-file', 'it is large and not loaded yet; its lines are not checked') : []),
  ...(pointer ? one('binary', 'it points to a file that is stored elsewhere (Git LFS)') : []),
]

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

const ofModes = ({ oldMode, newMode }: FileFacts): readonly Risk[] => [
  ...(newMode === MODULE || oldMode === MODULE
    ? one(
        'submodule',
        newMode === NONE ? 'a submodule is removed' : 'it is a submodule: another repository at another commit',
      )
    : []),
  ...(newMode === LINK
    ? one('symlink', oldMode === LINK ? 'a symbolic link points elsewhere' : 'it is now a symbolic link')
    : []),
  ...(newMode === EXECUTABLE && oldMode !== EXECUTABLE ? one('executable', 'it is executable now') : []),
  ...(newMode === NONE && oldMode !== MODULE ? one('deletion', 'it is deleted') : []),
]

const one = (kind: RiskKind, reason: string): readonly Risk[] => [{ kind, reason }]

const list = (names: readonly string[]): string => someOf(names, 5)
