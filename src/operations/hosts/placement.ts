import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { countRunning, selectFleet, selectHosts } from '../../db/hosts.ts'
import { selectSleeps } from '../../db/quotas.ts'
import type { HostRow } from '../../db/schema/hosts.ts'
import { type Sleep, sleepWords } from '../../domain/budget/budget.ts'
import { LOCAL, silentSince, unpushedSince } from '../../domain/host/host.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { wishWords } from '../../domain/task/metadata.ts'
import { clockTime, type Instant } from '../../domain/words/time.ts'
import { isWithin } from '../../domain/worktree/worktree.ts'
import type { Context } from '../perform/core.ts'
import { findHost } from './hosts.ts'
import { sleepsOn } from './quotas.ts'

/** A host as a place for worktrees and agents. */
export interface Place {
  readonly id: string
  readonly name: string
  /** The main checkout there; null if it is not known. */
  readonly root: string | null
  readonly labels: readonly string[]
  /** The agent kinds that are installed there; null if that is not known. */
  readonly kinds: readonly string[] | null
  readonly running: number
  readonly most: number
  /** The reason why nothing new starts there; undefined if it may. */
  readonly closed: string | undefined
  /** True if it was declared lost. */
  readonly isLost: boolean
  /** True if its commits do not reach the git remote, so that it gets no new worktrees by itself. */
  readonly cannotPush: boolean
  /** The wait of a kind for the quota of the account there; undefined if it may start. */
  readonly asleep: (kind: string | null) => Sleep | undefined
}

type Needed = Pick<Context, 'db' | 'now' | 'settings'>

/** The hosts of the board as places; undefined where there is only one, which takes everything. */
export const placesOf = async (context: Needed): Promise<readonly Place[] | undefined> => {
  const hosts = await selectHosts(context.db)
  return hosts.length === 1 && takesAll(hosts[0]!) ? undefined : asPlaces(context, hosts)
}

/** The same also where there is one host that takes everything. */
export const allPlaces = async (context: Needed): Promise<readonly Place[]> =>
  asPlaces(context, await selectHosts(context.db))

const asPlaces = async ({ db, now, settings }: Needed, hosts: readonly HostRow[]): Promise<readonly Place[]> => {
  const running = await countRunning(db)
  const { generation } = await selectFleet(db)
  const sleeps = sleepsOn(hosts, await selectSleeps(db, now))
  return hosts.map((row) => ({
    id: row.id,
    name: row.name,
    root: row.root,
    labels: labelsOf(row),
    kinds: row.kinds === null ? null : (JSON.parse(row.kinds) as string[]),
    running: running.get(row.id) ?? 0,
    most: mostOn(row, hosts.length === 1) ?? settings.session.maxParallel,
    isLost: row.state === 'lost',
    cannotPush: unpushedSince(row.unpushed_at, now) !== null,
    asleep: (kind) => sleeps.of(kind, row.id),
    closed: whyClosed(row, { now, generation, silentAfter: settings.fleet.silentAfter, alone: hosts.length === 1 }),
  }))
}

/** How many processes a host runs at a time; null: only the limit of the session, as where it is the only one. */
export const mostOn = ({ max_parallel: most, room }: HostRow, alone: boolean): number | null =>
  most ?? (alone ? null : room)

/** Why a host starts nothing new; being busy counts only while there are others. */
export const whyHeldBack = ({ hold, brake }: Pick<HostRow, 'hold' | 'brake'>, alone: boolean): string | null =>
  hold ?? (alone ? null : brake)

const takesAll = ({ id, state, max_parallel: most, hold }: HostRow): boolean =>
  id === LOCAL && state === 'up' && most === null && hold === null

export const labelsOf = ({ labels }: Pick<HostRow, 'labels'>): readonly string[] => JSON.parse(labels) as string[]

interface Moment {
  readonly now: string
  readonly silentAfter: number
  /** The generation of the board. */
  readonly generation: number
  /** True if the board has no other host. */
  readonly alone: boolean
}

const whyClosed = (
  { state, beat_at: beatAt, name, ...host }: HostRow,
  { now, silentAfter, generation, alone }: Moment,
): string | undefined => {
  if (state === 'draining') return `host ${name} takes no new work ('aiswarm host resume ${name}')`
  if (state === 'lost') return `host ${name} was declared lost`
  if (host.generation < generation) return `host ${name} has not come back since the board was restored`
  if (beatAt === null && !alone) return `no worker runs on host ${name} ('aiswarm worker')`
  const since = silentSince({ state, beatAt }, now, silentAfter)
  if (since !== undefined) return `host ${name} has been silent since ${clockTime(since)}`
  const why = whyHeldBack(host, alone)
  return why === null ? undefined : `host ${name} starts nothing new: ${why}`
}

/** The reason why no agent of this kind starts there now; undefined if one may. */
export const whyNotThere = (place: Place, kind: string | null): string | undefined => {
  if (place.closed !== undefined) return place.closed
  if (kind !== null && place.kinds?.includes(kind) === false)
    return `agent kind '${kind}' is not installed on host ${place.name}`
  return place.running >= place.most
    ? `${place.running} of at most ${place.most} agents are running on host ${place.name}`
    : undefined
}

/** The wishes of a person or a task for the host of a worktree. */
export interface Wanted {
  readonly worktree: string
  readonly kind?: string | null | undefined
  /** The kinds of several tasks, each of which must be installed there. */
  readonly kinds?: readonly (string | null)[]
  /** The id or name of a host. */
  readonly host?: string | undefined
  /** All of them must be labels of the host. */
  readonly labels?: readonly string[] | undefined
}

/**
 * The host for a new worktree: of those that are wished and have the kind, the one with the most free places. Among equals
 * the names of both decide, so that the choice is stable.
 */
export const choosePlace = (places: readonly Place[], wanted: Wanted): Place | undefined => {
  const { worktree, kind = null, kinds = [kind] } = wanted
  return wishedOf(places, wanted)
    .filter((place) => kinds.every((one) => whyNotThere(place, one) === undefined && !place.asleep(one)))
    .filter(({ cannotPush }) => !cannotPush)
    .map((place) => ({ place, free: place.most - place.running, tie: tieOf(worktree, place.id) }))
    .sort((a, b) => b.free - a.free || (a.tie < b.tie ? -1 : 1))[0]?.place
}

const wishedOf = (places: readonly Place[], { host, labels = [] }: Wanted): readonly Place[] =>
  places.filter(
    (place) =>
      (host === undefined || place.id === host || place.name === host) &&
      labels.every((label) => place.labels.includes(label)),
  )

/** The reason why no host gets the worktree now; undefined if one does. */
export const whyNoPlace = (places: readonly Place[], wanted: Wanted, now: Instant): string | undefined => {
  if (choosePlace(places, wanted)) return undefined
  const { kind = null, host, labels = [] } = wanted
  const wished = wishedOf(places, wanted)
  const [only, ...others] = wished
  if (only === undefined) return `it is to run ${wishWords({ host, labels })}, and no such host takes work`
  const awake = choosePlace(
    wished.map((place) => ({ ...place, asleep: () => undefined })),
    wanted,
  )
  const sleep = wished.find(({ id }) => id === awake?.id)?.asleep(kind)
  if (sleep !== undefined) return `it is ${sleepWords(sleep, now)}`
  if (others.length > 0)
    return `no host that could run it has room${labels.length === 0 ? '' : ` (it is to run ${wishWords({ labels })})`}`
  return whyNotThere(only, kind) ?? `host ${only.name} cannot push its commits to the git remote`
}

const tieOf = (worktree: string, host: string): string =>
  createHash('sha256').update(`${worktree} ${host}`).digest('hex')

/** The host where a new worktree is built, and the main checkout there. Refuses if there is none. */
export const placeWorktree = async (
  context: Context,
  wanted: Wanted,
): Promise<{ readonly hostId: string; readonly root: string }> => {
  const places = await placesOf(context)
  if (wanted.host !== undefined) return namedPlace(context, wanted.host)
  const { labels = [] } = wanted
  if (places === undefined && labels.length === 0) return { hostId: LOCAL, root: context.root }
  const chosen = choosePlace(places ?? (await allPlaces(context)), wanted)
  if (chosen) return { hostId: chosen.id, root: chosen.root ?? context.root }
  throw new Refusal(
    'invalid_state',
    labels.length === 0
      ? "No host takes a new worktree now. 'aiswarm host list' says why; name one with --host."
      : `No host with ${labels.length === 1 ? 'the label' : 'all labels'} '${labels.join("', '")}' takes a new worktree now; 'aiswarm host list' shows the hosts.`,
  )
}

const namedPlace = async (context: Context, named: string): Promise<{ hostId: string; root: string }> => {
  const host = await findHost(context.db, named)
  if (host.state === 'up' || host.state === 'draining') return { hostId: host.id, root: host.root ?? context.root }
  throw new Refusal(
    'invalid_state',
    `Host ${host.name} is ${host.state}, so no worktree is built there. Name another host.`,
  )
}

/** Seed 004 puts worktrees beside the repository, because one inside would be part of it. */
export const worktreePath = ({ root, settings }: Pick<Context, 'root' | 'settings'>, name: string): string => {
  const path = resolve(root, settings.worktrees.path.replaceAll('{name}', name))
  if (isWithin(path, root))
    throw new Refusal(
      'config_invalid',
      `worktrees.path puts ${name} inside the repository. Choose a folder outside of ${root}.`,
    )
  return path
}
