import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Opened } from '../worktree-git/folder.ts'

// The process outside of a sandbox that is the parent of the program inside, and the sockets between both. Both ends share
// these names, and import nothing but Node's own modules.

/** The name of the hidden command that starts a program inside and serves its doorway. */
export const HOST = '__sandbox'

/** The variable that leads the command `aiswarm` inside to the folder of its doorway. */
export const DOORWAY = 'AISWARM_DOORWAY'

/** The name of the hidden command that serves the doorway: `host` starts it, and hands it each connection. */
export const SERVE = '__doorway'

/** The name of the hidden command that is the first program of a sandbox with an allowlist. */
export const FORWARD = '__forward'

/** The name of the proxy's socket in the folder of the doorway. */
export const PROXY = 'proxy'

/** The name of the socket in that folder: short, and relative, because a socket's path has at most 107 bytes. */
export const SOCKET = 'door'

/** The description of one start, in a file that the program inside cannot see. */
export interface Start {
  /** The words that start the program inside. */
  readonly words: readonly string[]
  /** The folder of the sockets, which the program inside cannot write. */
  readonly door: string
  readonly root: string
  /** The command line of aiswarm. */
  readonly self: readonly string[]
  /** The working folder. */
  readonly folder: string
  /** The worktree's git from which commits are imported; null in the main checkout. */
  readonly git: ImportedGit | null
  /** The limits that its parent watches; absent if there are none, or if the kernel does so. */
  readonly watched?: Watched
  /** The hosts that its parent connects it to; absent without an allowlist. */
  readonly hosts?: readonly string[]
  /** Sentences for the output of the run, before its own. */
  readonly notes?: readonly string[]
}

export interface Watched {
  readonly limits: { readonly memory: number | null; readonly processes: number | null }
  /** The file that says which limit was reached. */
  readonly record: string
  /** The cgroup in which the kernel counts its processes and threads, if there is one. */
  readonly cgroup?: string
}

/** The branch whose commits are imported. */
export interface ImportedGit extends Opened {
  /** `refs/heads/feature/auth`; null with a detached HEAD. */
  readonly ref: string | null
  /** Names the run in the log of the ref. */
  readonly note: string
}

/**
 * The words before a program that start it at once, with the process that serves its doorway beside it: Node starts while
 * the sandbox is made. The server's input are the numbers of the shell and of the program, and then its exit code. All ignore the
 * signals of the session, so that the program decides how it ends. `host` are the words of the server.
 */
export const withHost = (host: readonly string[], { door }: Pick<Start, 'door'>): readonly string[] => [
  '/bin/sh',
  '-c',
  `trap '' TERM INT HUP
export ${DOORWAY}="$0" ${EXPECTED}=${Date.now() + PATIENCE}
exec 3<&0 4>&1
{ echo $$; /bin/sh -c 'echo $$; exec "$@" <&3 >&4 3<&- 4>&-' sh "$@"; echo "$?"; } | ${host.map(quoted).join(' ')} 3<&- 4>&-`,
  door,
]

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

/** How long after the start a program inside waits for a socket of the server (ms). */
const PATIENCE = 10_000

/** Names the variable with the time until which it waits (ms since 1970): later, a socket that is missing was removed. */
export const EXPECTED = 'AISWARM_DOORWAY_EXPECTED'

/** Resolves when a socket of the server exists; it may start a moment after the program. */
export const socketIn = async (folder: string, name: string): Promise<void> => {
  const until = Number(process.env[EXPECTED] ?? Date.now() + PATIENCE)
  while (existsSync(folder) && !existsSync(join(folder, name)) && Date.now() < until) await sleep(10)
}
