import { isRefusal } from '../../domain/rules/refusal.ts'
import { clockTime } from '../../domain/words/time.ts'
import { agentsThere } from '../../domain/sandbox/unconfined.ts'
import type { RefPlace } from '../../domain/host/remote.ts'
import { type HostView, listHosts } from '../../operations/hosts/list.ts'
import { readRemote } from '../../operations/hosts/remote.ts'
import { perform } from '../../operations/perform/perform.ts'
import { gitOfRemote } from '../remote/remote.ts'
import { probeRemote } from '../remote/probe.ts'
import type { World } from '../world.ts'
import type { Diagnosis } from '../opening/diagnosis.ts'

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
