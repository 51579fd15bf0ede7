import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AgentKind } from '../../agents/kind/kind.ts'
import { agentKinds } from '../../agents/kinds.ts'
import type { RefPlace } from '../../domain/host/remote.ts'
import { checkoutSaid, movedSaid } from '../../domain/request/inbox-items.ts'
import { isRefusal, type Refusal, StoreRefusal } from '../../domain/rules/refusal.ts'
import { agentsThere } from '../../domain/sandbox/unconfined.ts'
import { defaultSettings, type Settings } from '../../domain/settings/settings.ts'
import { clockTime } from '../../domain/words/time.ts'
import { checkDatabase, type DatabaseCheck } from '../../operations/database/maintenance.ts'
import { type HostView, listHosts } from '../../operations/hosts/list.ts'
import { readRemote } from '../../operations/hosts/remote.ts'
import { readWatched } from '../../operations/integration/drift.ts'
import { perform } from '../../operations/perform/perform.ts'
import { enrolRepository } from '../files/git-dir.ts'
import { configPath, databasePath, storePath } from '../files/paths.ts'
import { git, gitBinary } from '../git/git.ts'
import { findCheckout, findRepository } from '../git/repository.ts'
import { probeRemote } from '../remote/probe.ts'
import { gitOfRemote } from '../remote/remote.ts'
import type { World } from '../world.ts'
import { diagnoseHidden, diagnoseKind, diagnoseNetwork, diagnoseSandbox, type Diagnosis } from './diagnosis.ts'

/** How long a CLI may take to print its version (ms). */
const PATIENCE = 15_000

/**
 * Diagnoses the repository of a folder, whether or not its database can be opened; creates nothing there, and nothing on
 * the server: `emptyPlace` says where opening would make a board.
 */
export const diagnoseFolder = async (
  folder: string,
  open: () => Promise<World>,
  emptyPlace: (root: string) => Promise<string | undefined>,
): Promise<readonly Diagnosis[]> => {
  const { root } = await findRepository(folder)
  if (!isUsed(root)) return diagnoseUnused(root)
  try {
    const place = await emptyPlace(root)
    return place === undefined
      ? await diagnose(await open())
      : await diagnoseUnused(root, {
          ok: false,
          detail: `${place} has no board yet; 'aiswarm init' creates it. If the server is being restored, wait until that is done`,
        })
  } catch (error) {
    return diagnoseUnopened(root, error)
  }
}

/** The requirements of aiswarm and their state, one line each. */
const diagnose = async ({ core, actor, kinds }: World, patience = PATIENCE): Promise<readonly Diagnosis[]> => {
  const damage = await checkDatabase(core)
  const database = {
    name: 'database',
    ok: damage.ok,
    detail: damage.ok ? await placeOf(core.store) : damageDetail(damage),
  }
  const lines = await found(core.root, core.settings, kinds, database, patience)
  return damage.ok
    ? [
        ...lines,
        ...(await diagnoseServer(core.store)),
        ...(await diagnoseHosts({ core, actor })),
        ...(await diagnoseWatched(core, actor)),
      ]
    : lines
}

/** How long it may take until it is known whether notifications arrive (ms). */
const HEARING = 3000

/** Where the board is, and for a server whether its notifications arrive. */
const placeOf = async (store: World['core']['store']): Promise<string> => {
  const { path, hears } = store
  const asked = performance.now()
  while (hears?.() === undefined && hears && performance.now() - asked < HEARING) await sleep(50)
  const deaf =
    hears?.() === false
      ? '; its notifications do not arrive (a pooler drops them), so changes are looked for once a second'
      : ''
  return `${path}${deaf}${await changedScripts(store)}`
}

/** Scripts that opening does not run again, since other programs use the board. */
const changedScripts = async ({ engine, maintenance }: World['core']['store']): Promise<string> => {
  if (engine === 'SQLite') return ''
  const changed = (await maintenance.status()).migrations.filter(({ state }) => state === 'changed')
  return changed
    .map(
      ({ name }) => `; ${name} has changed since it was applied ('aiswarm db migrate --rerun ${name}' runs it again)`,
    )
    .join('')
}

/** Changes by other programs that wait for a person's decision. */
const diagnoseWatched = async (core: World['core'], actor: World['actor']): Promise<readonly Diagnosis[]> => {
  const { moves, checkout } = await perform(core, readWatched, {}, actor)
  return [
    ...moves.map((move) => ({
      name: `target ${move.target}`,
      ok: false,
      detail: `${movedSaid(move).text}; see 'aiswarm target show'`,
    })),
    ...(checkout === null
      ? []
      : [{ name: 'main checkout', ok: null, detail: `${checkoutSaid(checkout).text}; see 'aiswarm checkout show'` }]),
  ]
}

/** True if aiswarm was ever used or configured in the repository. */
const isUsed = (root: string): boolean => [databasePath, storePath, configPath].some((place) => existsSync(place(root)))

const unused: Pick<Diagnosis, 'ok' | 'detail'> = { ok: null, detail: "none yet; 'aiswarm init' creates it" }

/** As `diagnose`, for a repository without a database; creates nothing there. */
export const diagnoseUnused = async (
  root: string,
  database = unused,
  patience = PATIENCE,
): Promise<readonly Diagnosis[]> => {
  enrolRepository(root)
  return found(root, defaultSettings, agentKinds(defaultSettings), { name: 'database', ...database }, patience)
}

/**
 * As `diagnose`, if the database cannot be opened: the checks that need none, and the error. A bug is thrown unchanged.
 */
export const diagnoseUnopened = async (folder: string, error: unknown): Promise<readonly Diagnosis[]> => {
  if (!isRefusal(error) || !isAboutDatabase(error)) throw error
  return [...(await surroundings(await findCheckout(folder))), { name: 'database', ok: false, detail: error.message }]
}

/** A server refuses a login, a right or a database with a code that others use too. */
const isAboutDatabase = (error: Refusal): boolean =>
  error instanceof StoreRefusal || /^(?:database_|store_|disk_failed$|migration_failed$)/.test(error.code)

const found = async (
  root: string,
  settings: Settings,
  kinds: ReadonlyMap<string, AgentKind>,
  database: Diagnosis,
  patience: number,
): Promise<readonly Diagnosis[]> => [
  ...(await surroundings(root)),
  database,
  await diagnoseSandbox(settings.sandbox),
  ...[diagnoseNetwork(root, settings) ?? []].flat(),
  ...(await diagnoseHidden(root, settings, kinds.values())),
  ...(await Promise.all([...kinds.values()].map((kind) => diagnoseKind(root, settings, kind, patience)))),
]

const surroundings = async (root: string): Promise<readonly Diagnosis[]> => [
  { name: 'node', ok: true, detail: `${process.versions.node} at ${process.execPath}` },
  {
    name: 'git',
    ok: true,
    detail: `${(await git(root, ['version'])).trim().replace('git version ', '')} at ${gitBinary()}`,
  },
  { name: 'repository', ok: true, detail: root },
  {
    name: 'configuration',
    ok: true,
    detail: existsSync(configPath(root)) ? configPath(root) : 'none; the defaults apply',
  },
]

/** SQLite lists every damaged page; a few suffice to decide what to do. */
const damageDetail = ({ damaged, findings }: DatabaseCheck): string =>
  `${findings.slice(0, 3).join('; ').replace(/\.$/, '')}. ${damaged ? "Restore a backup: 'aiswarm db restore FILE'" : 'Review what was approved lately'}`

/** The hosts of the board, and the remote through which they exchange code; nothing where there is one host. */
export const diagnoseHosts = async ({ core, actor }: Pick<World, 'core' | 'actor'>): Promise<readonly Diagnosis[]> => {
  if (core.host === undefined) return []
  const hosts = await perform(core, listHosts, {}, actor)
  if (hosts.length < 2) return []
  const { remote, refs } = await perform(core, readRemote, {}, actor)
  return [
    ...(core.host === null
      ? [{ name: 'this clone', ok: null, detail: 'no host of the board: it shows and decides, and runs no agents' }]
      : []),
    ...hosts.map((host) => ({ name: `host ${host.name}`, ...standingOf(host) })),
    ...hosts.flatMap(({ name, agents }) =>
      agents === null
        ? []
        : [{ name: `agents of ${name}`, ok: agents.unconfined === null || null, detail: agentsThere(agents) }],
    ),
    { name: 'git remote', ...(await remoteStanding(core, remote, refs)) },
  ]
}

type Standing = Pick<Diagnosis, 'ok' | 'detail'>

const standingOf = ({ name, state, silentSince, beatAt, running, hold, unpushedSince }: HostView): Standing => {
  if (state === 'lost') return { ok: null, detail: 'was declared lost; it works again when its worker is back' }
  if (beatAt === null && state === 'draining')
    return { ok: null, detail: `gone: it was drained and its worker has ended ('aiswarm host resume ${name}')` }
  if (beatAt === null) return { ok: null, detail: "no worker has run there yet ('aiswarm worker')" }
  if (silentSince !== null)
    return { ok: null, detail: `silent since ${clockTime(silentSince)}; its agents keep their tasks` }
  if (state === 'draining') return { ok: null, detail: `starts nothing new ('aiswarm host resume ${name}')` }
  if (hold !== null) return { ok: false, detail: `starts nothing new: ${hold}` }
  if (unpushedSince !== null)
    return { ok: false, detail: `cannot push since ${clockTime(unpushedSince)}, so it gets no new worktrees` }
  return { ok: true, detail: `up, agents: ${running}` }
}

/** A host pushes a ref there and deletes it again; other clones only read. */
const remoteStanding = async (
  { root, host }: Pick<World['core'], 'root' | 'host'>,
  remote: string | null,
  refs: RefPlace,
): Promise<Standing> => {
  if (remote === null)
    return { ok: null, detail: "none, so the work of other hosts cannot be merged ('aiswarm fleet remote URL')" }
  try {
    const standing = standingOfGit(remote, await gitOfRemote({ root, url: remote }))
    if (host !== null) await probeRemote({ root, url: remote, refs })
    return refs === 'own' ? standing : { ...standing, detail: `${standing.detail}, as branches below aiswarm/` }
  } catch (error) {
    if (!isRefusal(error)) throw error
    return { ok: false, detail: error.message }
  }
}

/** The oldest git on a remote with which the exchange of code was thought out. */
const OLDEST = [2, 11] as const

/** A remote that says another program than git, or none, is taken at its word. */
export const standingOfGit = (remote: string, version: string | undefined): Standing => {
  const [major = OLDEST[0], minor = OLDEST[1]] = (version ?? '').split('.').filter(Boolean).map(Number)
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])
    ? { ok: true, detail: `${remote}${version === undefined ? '' : `, git ${version}`}` }
    : { ok: false, detail: `${remote} has git ${version}; update it there to ${OLDEST.join('.')} or newer` }
}

/** Above this every claim and every screen waits noticeably for the server (ms); it works to 100 ms. */
const FAR = 20

/** How far away the server of the board is; nothing for a board in a database file. */
export const diagnoseServer = async ({
  roundTrip,
}: Pick<World['core']['store'], 'roundTrip'>): Promise<readonly Diagnosis[]> => {
  if (roundTrip === undefined) return []
  const ms = await roundTrip()
  const answers = `answers in ${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`
  return [
    ms <= FAR
      ? { name: 'server', ok: true, detail: answers }
      : {
          name: 'server',
          ok: null,
          detail: `${answers}; above ${FAR} ms claims and screens are slow, so let this host work nearer to it`,
        },
  ]
}
