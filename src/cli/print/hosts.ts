import { agentsThere } from '../../domain/sandbox/unconfined.ts'
import { countOf, someOf } from '../../domain/words/counts.ts'
import { safeText } from '../../domain/words/safe-text.ts'
import { clockTime, duration, elapsed, type Instant, zonedTime } from '../../domain/words/time.ts'
import type { HostView } from '../../operations/hosts/list.ts'
import type { RemoteRead } from '../../operations/hosts/remote.ts'
import { columns } from './columns.ts'

export const hostTable = (hosts: readonly HostView[], now: Instant): string =>
  columns(
    ['HOST', 'ID', 'STATE', 'AGENTS', 'WORKTREES', 'LABELS', 'VERSION', 'LAST SEEN'],
    hosts.map((one) => [
      one.here ? `${one.name} (here)` : one.name,
      one.id,
      stateOf(one),
      one.maxParallel === null ? one.running : `${one.running} of ${one.maxParallel}`,
      one.worktrees,
      one.labels.join(', '),
      one.program,
      one.beatAt === null ? null : `${duration(elapsed(one.beatAt, now))} ago`,
    ]),
    ['AGENTS', 'WORKTREES'],
  )

/** The hosts, and below them with what some of them came back. */
export const hostList = (hosts: readonly HostView[], now: Instant): string =>
  [
    hostTable(hosts, now),
    ...hosts.flatMap(({ name, returned }) =>
      returned.length === 0
        ? []
        : [
            `Host ${safeText(name)} came back with ${someOf(
              returned.map(({ worktree }) => safeText(worktree)),
              3,
            )}. 'aiswarm host show ${safeText(name)}' says where their files are kept, 'aiswarm host settle ${safeText(name)}' that you have seen them.`,
          ],
    ),
  ].join('\n')

/** A host that has joined is up on the board, but runs nothing before its first worker. */
const stateOf = ({ state, silentSince, beatAt, hold, unpushedSince }: HostView): string => {
  if (silentSince !== null) return `silent since ${clockTime(silentSince)}`
  if (state === 'up' && hold !== null) return 'on hold'
  if (state === 'up' && unpushedSince !== null) return `unpushed since ${clockTime(unpushedSince)}`
  if (state === 'draining' && beatAt === null) return 'gone'
  return state === 'up' && beatAt === null ? 'not started' : state
}

export const hostFacts = ({
  root,
  ssh,
  account,
  kinds,
  agents,
  hold,
  load,
  memoryFree,
  epoch,
  joinedAt,
  returned,
}: HostView): string =>
  [
    `clone   ${safeText(root ?? 'not known')}`,
    ...(ssh === null ? [] : [`ssh     ${safeText(ssh)}`]),
    ...(account === null ? [] : [`account ${safeText(account)}`]),
    `kinds   ${kinds === null ? 'not known' : safeText(kinds.join(', '))}`,
    `agents  ${agents === null ? 'not known: no worker has said it yet' : safeText(agentsThere(agents).replace(/^agents /, ''))}`,
    ...(load === null
      ? []
      : [
          `load    ${load} for each processor${memoryFree === null ? '' : `, ${Math.round(memoryFree * 100)}% of the memory available`}`,
        ]),
    ...(hold === null ? [] : [`on hold ${safeText(hold)}`]),
    `joined  ${joinedAt === null ? 'as the first host' : zonedTime(joinedAt)}`,
    ...(epoch > 1
      ? [`epoch   ${epoch}: it was lost, or the board was restored, ${countOf(epoch - 1, 'time')} so far`]
      : []),
    ...returned.map(
      ({ worktree, ref, problem, successor }) =>
        `back with ${safeText(worktree)}${successor === null ? '' : `, which ${safeText(successor)} continues`}: ${safeText(ref ?? problem ?? 'its folder was gone')}`,
    ),
  ].join('\n')

export const remoteText = ({ remote, refs, used, hosts }: RemoteRead): string => {
  if (remote === null)
    return "The hosts exchange no code: no git remote is set. Set one with 'aiswarm fleet remote URL', to merge the work of all hosts."
  const place = refs === 'own' ? '' : ' It accepts branches only, so their refs are branches below aiswarm/ there.'
  return used === null && hosts < 2
    ? `The git remote is ${remote}. It is used when a second host has joined.${place}`
    : `The hosts exchange code through ${remote}.${place}`
}

export const snapshotText = (on: boolean): string =>
  on
    ? "Uncommitted work is pushed to the git remote once a minute, without ignored files and secrets. 'aiswarm fleet snapshots off' ends that and deletes it there."
    : "Only commits are pushed. 'aiswarm fleet snapshots on' lets uncommitted work survive the loss of a host, too."

/** Where the code of the hosts goes; nothing is pushed without a remote. */
export const exchangeText = (exchange: RemoteRead): string =>
  exchange.remote === null ? remoteText(exchange) : `${remoteText(exchange)}\n${snapshotText(exchange.snapshots)}`

/** A host that has just joined, as it found its machine. */
export interface JoinFacts {
  /** The agent kinds that are installed. */
  readonly kinds: readonly string[]
  /** How far its clock is ahead of the server's (ms). */
  readonly clockAhead: number
  /** Why its agents could not reach a worker; null if they can. */
  readonly socketProblem: string | null
  /** The user as which its agents run. */
  readonly agentsAs: string
  /** Why its agents are not confined; null if they are. */
  readonly unconfined: string | null
}

/** The facts that a person should know of it. */
export const joinedText = ({
  kinds,
  clockAhead,
  socketProblem,
  agentsAs,
  unconfined,
}: JoinFacts): readonly string[] => [
  kindsText(kinds),
  clockText(clockAhead),
  `A${agentsThere({ as: agentsAs, unconfined }).slice(1)}.`,
  ...(socketProblem === null
    ? []
    : [
        `Agents here could not reach a worker: ${socketProblem}. Put the clone on a disk of this machine, which has sockets.`,
      ]),
]

const kindsText = (kinds: readonly string[]): string =>
  kinds.some((kind) => kind !== 'command')
    ? `Agent kinds found here: ${kinds.join(', ')}.`
    : 'No agent CLI was found here, so only tasks with a command run on this host. Install one where the worker finds it (PATH).'

/** Nothing depends on the clock of a host; a person who compares its files and logs with the board should know. */
const clockText = (ahead: number): string =>
  Math.abs(ahead) < 1000
    ? "Its clock agrees with the server's."
    : `Its clock is ${duration(Math.abs(ahead))} ${ahead > 0 ? 'ahead of' : 'behind'} the server's; aiswarm counts by the server's.`
