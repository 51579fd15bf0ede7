import { isWithin } from '../worktree/worktree.ts'

// The policy of the sandbox as one table. From it follow the arguments of bubblewrap, the text of
// `aiswarm agent spawn --dry-run` and the table in docs/sandbox.md.

/**
 * A start: of an agent CLI, of a task's command, of code of a branch, or of aiswarm's own git in a worktree: `git` on the
 * worktree's git of its own, `look` on the repository's, where it writes nothing.
 */
export type Purpose = 'agent' | 'command' | 'verification' | 'setup' | 'teardown' | 'git' | 'look'

/** `private`: an empty folder of its own, gone with the last process. `hidden`: empty, and nothing can be written there. */
export type Access = 'writable' | 'read-only' | 'private' | 'hidden'

/** Absolute paths without links, as they are for one start. Paths that do not exist are left out of it. */
export interface Places {
  /** The working folder. */
  readonly folder: string
  /** The main checkout. */
  readonly root: string
  /** The repository's git folder. */
  readonly gitFolder: string
  /** The worktree's own folder in it; null in the main checkout. */
  readonly administration: string | null
  /** Folders of the other worktrees. */
  readonly worktrees: readonly string[]
  readonly othersHidden: boolean
  /** The person's home; null if there is none. */
  readonly home: string | null
  /** Folders for temporary files, and those of sockets of the system and the session. */
  readonly temporary: readonly string[]
  readonly sockets: readonly string[]
  /** Folders of programs that lie in hidden folders, and their libraries. */
  readonly programs: readonly string[]
  /** Files and folders in which a CLI keeps its login and its sessions. */
  readonly state: readonly string[]
  /** Settings in `state` that a later start of the CLI obeys. */
  readonly stateSettings: readonly string[]
  /** Folders of sockets through which the program reaches processes outside, which serve them there. */
  readonly doors: readonly string[]
  /** The run's own files below `.aiswarm`. */
  readonly run: readonly string[]
  /** The worktree's git of its own; null where the program works in the repository's. */
  readonly git: OwnGit | null
  /** From the configuration. */
  readonly write: readonly string[]
  readonly read: readonly string[]
  readonly hide: readonly string[]
}

/** The git folder that stands for the repository's inside. */
export interface OwnGit {
  readonly folder: string
  /** The folders of objects that it reads, each at the path at which it is seen inside. */
  readonly objects: readonly Lent[]
  /** The repository's hooks, which run inside; null if it has none. */
  readonly hooks: string | null
}

export interface PolicyRow {
  /** The subject, for a person. */
  readonly what: string
  readonly access: Access | ((places: Places) => Access)
  /** The purposes for which it holds; absent for all. */
  readonly for?: readonly Purpose[]
  /** True if a missing file becomes an empty one, so that no program inside writes it. */
  readonly made?: true
  readonly paths: (places: Places) => readonly (string | Lent)[]
}

/** A path at which another folder is seen. */
export interface Lent {
  readonly path: string
  readonly from: string
}

/** Tools that a person installs in the home, by their folders. */
const toolFolders = [
  ...['.nvm', '.fnm', '.volta', '.pyenv', '.rbenv', '.asdf', '.sdkman', '.bun', '.deno', '.dotnet', '.ghcup'],
  ...['.cargo', '.rustup', 'go', '.npm-global', '.local/bin', '.local/lib', '.local/pipx'],
  ...['.local/share/fnm', '.local/share/mise', '.local/share/pnpm', '.local/share/claude', '.local/share/pipx'],
]

/** Tokens that lie in the folders of tools. */
const toolSecrets = ['.cargo/credentials', '.cargo/credentials.toml']

/** Settings of the person's git, with its name and mail address. */
const gitSettings = ['.gitconfig', '.config/git']

const inHome =
  (names: readonly string[]) =>
  ({ home }: Places): readonly string[] =>
    home === null ? [] : names.map((name) => `${home}/${name}`)

const agents: readonly Purpose[] = ['agent', 'command']

const ofOurs: readonly Purpose[] = ['git', 'look']

/** All but aiswarm's own git. */
const programs: readonly Purpose[] = [...agents, 'verification', 'setup', 'teardown']

/** Where a system keeps programs, their libraries and what these read. */
const systemFolders = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/opt', '/nix/store', '/snap'],
  ...['/etc/alternatives', '/etc/ld.so.cache', '/etc/ld.so.conf', '/etc/ld.so.conf.d', '/etc/localtime'],
  ...['/etc/passwd', '/etc/group', '/etc/nsswitch.conf', '/etc/gitconfig'],
]

/** A later row takes precedence over an earlier one. */
export const policy: readonly PolicyRow[] = [
  { what: 'The whole system', access: 'read-only', for: programs, paths: () => ['/'] },
  { what: 'Programs and libraries of the system', access: 'read-only', for: ofOurs, paths: () => systemFolders },
  { what: 'Temporary folders (`/tmp`, `/var/tmp`)', access: 'private', paths: ({ temporary }) => temporary },
  {
    what: 'Sockets of the system and the session (`/run`): docker, D-Bus, ssh-agent, display',
    access: 'private',
    paths: ({ sockets }) => sockets,
  },
  { what: 'The home folder', access: 'private', paths: ({ home }) => (home === null ? [] : [home]) },
  { what: "Settings of the person's git", access: 'read-only', paths: inHome(gitSettings) },
  { what: 'Folders of tools in the home, such as `~/.nvm`', access: 'read-only', paths: inHome(toolFolders) },
  { what: 'Tokens in the folders of tools', access: 'hidden', paths: inHome(toolSecrets) },
  { what: 'Folders of programs on `PATH`', access: 'read-only', paths: ({ programs }) => programs },
  { what: 'Login and sessions of the CLI', access: 'writable', for: ['agent'], paths: ({ state }) => state },
  {
    what: 'Settings of the CLI that its next start obeys',
    access: 'read-only',
    for: ['agent'],
    paths: ({ stateSettings }) => stateSettings,
  },
  { what: '`sandbox.read`', access: 'read-only', paths: ({ read }) => read },
  { what: '`sandbox.write`', access: 'writable', for: programs, paths: ({ write }) => write },
  {
    what: 'The main checkout, unless the home folder is in it',
    access: othersAccess,
    for: programs,
    paths: checkoutPaths,
  },
  { what: 'Other worktrees', access: othersAccess, for: programs, paths: ({ worktrees }) => worktrees },
  { what: 'The working folder', access: 'writable', for: programs, paths: ({ folder }) => [folder] },
  { what: 'The working folder', access: 'read-only', for: ofOurs, paths: ({ folder }) => [folder] },
  {
    what: 'Other worktrees in the working folder',
    access: othersAccess,
    for: programs,
    paths: ({ folder, worktrees }) => worktrees.filter((one) => one !== folder && isWithin(one, folder)),
  },
  { what: "The worktree's `.git` file", access: 'read-only', paths: ({ folder }) => [`${folder}/.git`] },
  {
    what: "A git folder of the worktree's own, in the place of the repository's",
    access: 'writable',
    paths: ({ gitFolder, git }) => (git === null ? [] : [{ path: gitFolder, from: git.folder }]),
  },
  {
    what: "The repository's objects, and those that it borrows",
    access: 'read-only',
    paths: ({ git }) => git?.objects ?? [],
  },
  {
    what: "The repository's hooks",
    access: 'read-only',
    paths: ({ gitFolder, git }) =>
      git === null || git.hooks === null ? [] : [{ path: `${gitFolder}/hooks`, from: git.hooks }],
  },
  {
    what: "The repository's git folder, where the worktree has none of its own",
    access: 'read-only',
    paths: ({ gitFolder, git }) => (git === null ? [gitFolder] : []),
  },
  {
    what: "The worktree's part of the git folder, where no folder can be put over another",
    access: 'writable',
    for: programs,
    paths: ({ administration, git }) => (administration === null || git !== null ? [] : [administration]),
  },
  {
    what: 'Files in it that name the repository',
    access: 'read-only',
    paths: ({ administration, git }) =>
      administration === null || git !== null
        ? []
        : ['commondir', 'gitdir', 'locked'].map((name) => `${administration}/${name}`),
  },
  {
    what: 'Settings of git for this worktree, which the git of a person obeys',
    access: 'read-only',
    for: programs,
    made: true,
    paths: ({ administration, git }) =>
      administration === null || git !== null ? [] : [`${administration}/config.worktree`],
  },
  {
    what: 'Objects of commits, there',
    access: 'writable',
    for: agents,
    paths: ({ gitFolder, administration, git }) =>
      administration === null || git !== null ? [] : [`${gitFolder}/objects`],
  },
  {
    what: 'Packed objects, and the list of other object folders, there',
    access: 'read-only',
    for: agents,
    paths: ({ gitFolder, git }) => (git === null ? [`${gitFolder}/objects/pack`, `${gitFolder}/objects/info`] : []),
  },
  { what: '`.aiswarm`', access: 'hidden', paths: ({ root }) => [`${root}/.aiswarm`] },
  {
    what: 'The command `aiswarm` for agents',
    access: 'read-only',
    for: agents,
    paths: ({ root }) => [`${root}/.aiswarm/bin`],
  },
  { what: "The run's own files", access: 'writable', paths: ({ run }) => run },
  { what: 'Its sockets to aiswarm and to the network', access: 'read-only', paths: ({ doors }) => doors },
  { what: '`sandbox.hide`', access: 'hidden', paths: ({ hide }) => hide },
]

/** A checkout that contains the home folder stays hidden with it. */
function checkoutPaths({ root, home }: Places): readonly string[] {
  return home !== null && isWithin(home, root) ? [] : [root]
}

function othersAccess({ othersHidden }: Places): Access {
  return othersHidden ? 'hidden' : 'read-only'
}

export interface Mount {
  readonly path: string
  readonly access: Access
  /** The folder that is seen there, if it is another one; the path need not exist outside. */
  readonly from?: string
  readonly made?: true
}

/** The mounts of one start, in the order in which they are made. */
export const mountsFor = (purpose: Purpose, places: Places): readonly Mount[] =>
  policy
    .filter((row) => row.for?.includes(purpose) ?? true)
    .flatMap((row) =>
      row.paths(places).map((one) => ({
        ...(typeof one === 'string' ? { path: one } : one),
        access: typeof row.access === 'function' ? row.access(places) : row.access,
        ...(row.made ? { made: row.made } : {}),
      })),
    )

/** The mounts without those that change nothing, since a mount above has the same access. Each costs a start time. */
export const withoutRepeats = (mounts: readonly Mount[]): readonly Mount[] =>
  mounts.filter(({ path, access, from }, at) => {
    if (from !== undefined || (access !== 'read-only' && access !== 'writable') || isOwn(path)) return true
    const above = mounts.findLastIndex((other, index) => index < at && isWithin(path, other.path))
    if (above === -1 || mounts[above]!.access !== access || mounts[above]!.from !== undefined) return true
    return mounts
      .slice(above + 1, at)
      .some((other) => isWithin(other.path, path) && (other.access !== access || other.from !== undefined))
  })

/** A program inside has its own devices and processes below the read-only system. */
const isOwn = (path: string): boolean => isWithin(path, '/dev') || isWithin(path, '/proc')
