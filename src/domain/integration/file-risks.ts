import { someOf } from '../words/counts.ts'
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

/**
 * Paths by the program that reads them. The first matching row names the kind; case is ignored, as on some file
 * systems.
 */
const places: readonly (readonly [RiskKind, RegExp, string])[] = [
  ['hook', /(^|\/)(\.husky|\.githooks|\.lefthook|git-?hooks)\//i, 'git runs it as a hook'],
  [
    'hook',
    /(^|\/)(lefthook(-local)?|\.lefthook|\.pre-commit-config|\.pre-commit-hooks|\.overcommit)\.(ya?ml|toml|json)$/i,
    'it configures the hooks that git runs',
  ],
  [
    'hook',
    /(^|\/)(\.lintstagedrc[^/]*|lint-staged\.config\.[^/]+|\.huskyrc[^/]*|simple-git-hooks[^/]*)$/i,
    'it configures what runs on a commit',
  ],
  ['hook', /(^|\/)\.gitattributes$/i, 'it changes how git reads, merges and shows files'],
  ['hook', /(^|\/)\.gitmodules$/i, 'it sets where submodules are fetched from'],
  ['hook', /(^|\/)\.git(config|ignore)?$|(^|\/)\.git\//i, 'git itself reads it'],
  [
    'ci',
    /(^|\/)\.(github|gitlab|circleci|buildkite|woodpecker|drone|forgejo|gitea|ci)\//i,
    'it runs on the CI servers',
  ],
  [
    'ci',
    /(^|\/)(\.gitlab-ci|\.travis|\.drone|\.woodpecker|\.cirrus|\.appveyor|appveyor|azure-pipelines|bitbucket-pipelines|cloudbuild)[^/]*\.ya?ml$/i,
    'it runs on the CI servers',
  ],
  [
    'ci',
    /(^|\/)(jenkinsfile[^/]*|\.ci[^/]*|codecov\.ya?ml|renovate\.json5?|dependabot\.ya?ml)$/i,
    'it runs on the CI servers',
  ],
  [
    'instructions',
    /(^|\/)(claude|agents|gemini|qwen|copilot-instructions|codex|opencode|crush|warp|goose)(\.local|\.override)?\.md$/i,
    'agents read it as instructions',
  ],
  [
    'instructions',
    /(^|\/)(\.claude|\.codex|\.gemini|\.qwen|\.cursor|\.aiswarm|\.opencode|\.continue|\.windsurf|\.roo|\.kiro|\.goose)(\/|$)/i,
    'it sets the instructions or permissions of agents',
  ],
  [
    'instructions',
    /(^|\/)(\.mcp\.json|\.cursorrules|\.cursorignore|\.windsurfrules|\.clinerules[^/]*|\.aider[^/]*|\.goosehints|opencode\.jsonc?|\.worktreeinclude)$/i,
    'it sets the instructions or permissions of agents',
  ],
  ['lockfile', /(^|\/)(package-lock|npm-shrinkwrap|composer)\.(json|lock)$/i, 'it pins what is installed'],
  [
    'lockfile',
    /(^|\/)(yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|cargo\.lock|go\.sum|poetry\.lock|pdm\.lock|uv\.lock|pipfile\.lock|gemfile\.lock|flake\.lock|deno\.lock|gradle\.lockfile|mix\.lock|pubspec\.lock|podfile\.lock|package\.resolved|packages\.lock\.json|conan\.lock)$/i,
    'it pins what is installed',
  ],
  ['configuration', /(^|\/)\.env[^/]*$/i, 'it sets environment variables, often secrets'],
  [
    'configuration',
    /(^|\/)(\.npmrc|\.yarnrc[^/]*|\.pypirc|\.netrc|pip\.conf|\.cargo\/config[^/]*)$/i,
    'it sets where packages come from',
  ],
  [
    'configuration',
    /(^|\/)(dockerfile[^/]*|containerfile[^/]*|(docker-)?compose[^/]*\.ya?ml|makefile|justfile|taskfile\.ya?ml|procfile|vagrantfile|rakefile|cmakelists\.txt|build\.rs|setup\.py)$/i,
    'it defines what is run or built',
  ],
  [
    'configuration',
    /(^|\/)(package\.json|pyproject\.toml|cargo\.toml|go\.(mod|work)|pom\.xml|build\.gradle[^/]*|settings\.gradle[^/]*|gemfile|composer\.json|requirements[^/]*\.txt|pipfile|setup\.cfg|deno\.jsonc?|mix\.exs|pubspec\.yaml)$/i,
    'it defines the dependencies and the build',
  ],
  [
    'configuration',
    /(^|\/)([^/]+\.config\.[cm]?[jt]sx?|[tj]sconfig[^/]*\.json|\.[^/]+rc(\.[^/]+)?|\.editorconfig|\.tool-versions|\.nvmrc|\.node-version|\.python-version)$/i,
    'it is a configuration file',
  ],
  [
    'configuration',
    /\.(toml|ini|cfg|conf|properties|tf|tfvars|ya?ml)$|(^|\/)(config|conf|settings)\//i,
    'it is a configuration file',
  ],
]
