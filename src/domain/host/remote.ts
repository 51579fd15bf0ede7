import { Refusal } from '../rules/refusal.ts'

/** How git reaches a remote, and so the only protocol that it may use there. */
export type Protocol = 'ssh' | 'https' | 'http' | 'file'

/**
 * The protocol of the address of a remote. Refuses one that would run a program, send code unencrypted to another machine,
 * or contain a password, which every process could read.
 */
export const protocolOf = (url: string): Protocol => {
  if (/^\//.test(url)) return 'file'
  if (/^(?!-)[\w.-]+(?:@[\w.-]+)?:(?!\/\/|:)[^\s]+$/.test(url)) return 'ssh'
  const parsed = /^[a-z]+:\/\//.test(url) && !/\s/.test(url) ? URL.parse(url) : null
  if (parsed === null) throw unusable(url)
  if (parsed.password !== '')
    throw new Refusal(
      'invalid_input',
      'The address of the remote contains a password, which other programs could read. Leave it out, and use a credential helper or an SSH key on each host.',
    )
  const protocol = parsed.protocol.slice(0, -1)
  if (protocol === 'http' && ['localhost', '127.0.0.1', '[::1]'].includes(parsed.hostname)) return 'http'
  if (protocol === 'ssh' || protocol === 'https' || protocol === 'file') return protocol
  throw unusable(url)
}

const unusable = (url: string): Refusal =>
  new Refusal(
    'invalid_input',
    `'${url}' is no address of a git remote that aiswarm uses. Give one as git@host:path, ssh://host/path, https://host/path or /path.`,
  )

/** Where a remote takes the refs of aiswarm: below `refs/aiswarm`, or, where it accepts branches only, below `refs/heads/aiswarm`. */
export const refPlaces = ['own', 'branches'] as const
export type RefPlace = (typeof refPlaces)[number]

/** The git remote of a board. */
export interface NamedRemote {
  readonly url: string
  readonly refs: RefPlace
}

const [OWN, BRANCHES] = ['refs/aiswarm/', 'refs/heads/aiswarm/']

/** The folder of the refs of aiswarm on such a remote. */
export const folderOn = (place: RefPlace): string => (place === 'own' ? OWN : BRANCHES)

/** The name of a ref on the remote. The clones call it the same wherever it is there. */
export const nameOn = (place: RefPlace, ref: string): string =>
  ref.startsWith(OWN) ? `${folderOn(place)}${ref.slice(OWN.length)}` : ref

/** The ref that has this name on the remote. */
export const refNamed = (place: RefPlace, name: string): string =>
  place === 'branches' && name.startsWith(BRANCHES) ? `${OWN}${name.slice(BRANCHES.length)}` : name

// Refs of aiswarm on the remote, and of what a host knows of it.

/** The branch of a worktree, pushed by its host. */
export const workRef = (worktree: string): string => `refs/aiswarm/work/${worktree}`
/** The worktree whose branch or uncommitted work a ref has; undefined for others. */
export const worktreeOfRef = (ref: string): string | undefined =>
  /^refs\/aiswarm\/(?:work|wip\/[^/]+)\/(.+)$/.exec(ref)?.[1]

/** The snapshots of uncommitted work. */
export const wipFolder = 'refs/aiswarm/wip'
/** The last snapshot of the uncommitted work of a worktree, pushed by its host if a person allows it. */
export const wipRef = (host: string, worktree: string): string => `${wipFolder}/${host}/${worktree}`
/** All files of a worktree as a host had them when it came back after it was declared lost. */
export const returnedRef = (host: string, worktree: string, stamp: string): string =>
  `refs/aiswarm/returned/${host}/${worktree}/${stamp}`
/** The merges of integrations. */
export const candidateFolder = 'refs/aiswarm/candidate'
/** The merge of an integration, pushed before a person sees it. */
export const candidateRef = (id: number): string => `${candidateFolder}/${id}`
/** Where a branch of the remote was when this clone last fetched it. */
export const trackedRef = (branch: string): string => `refs/aiswarm/remote/${branch}`
