import { networkInterfaces, userInfo } from 'node:os'
import type { AskPassword } from '../../contracts/board-store.ts'
import { isRefusal, Refusal } from '../../domain/rules/refusal.ts'
import { countOf, someOf } from '../../domain/words/counts.ts'
import { duration } from '../../domain/words/time.ts'
import { forgetHost } from '../../operations/failover/forget-host.ts'
import { loseHost } from '../../operations/failover/lost-hosts.ts'
import { type HostView, listHosts, readUnpushed } from '../../operations/hosts/list.ts'
import { changeHost } from '../../operations/hosts/membership.ts'
import type { Connection } from '../../operations/perform/core.ts'
import { perform } from '../../operations/perform/perform.ts'
import { type Answer, type Call, exitCodes, open } from '../call/command.ts'
import { askOrNothing, refuseAgent, refuseUnlessMeant } from '../call/confirmation.ts'
import { GLANCE, patiently } from '../call/follow.ts'

// Hosts of a fleet: how they join, drain and leave, and the lines that prepare a server for them.

/** Lets a host finish; with `wait` ms returns when it has, or after that time. */
export const drain = async (
  call: Call,
  named: string,
  { wait, untilStart }: { readonly wait: number | undefined; readonly untilStart: boolean },
): Promise<Answer> => {
  const connection = await open(call)
  const { core, actor } = connection
  const known = (await perform(core, listHosts, {}, actor)).find(({ id, name }) => id === named || name === named)
  // A second request waits too, and a person's drain stays one.
  const isDraining = known?.state === 'draining' && (untilStart || (wait !== undefined && !known.resumesOnStart))
  const host = isDraining ? known : await perform(core, changeHost, { host: named, to: 'drain', untilStart }, actor)
  if (wait === undefined)
    return {
      json: host,
      text: `Host ${host.name} starts nothing new; ${host.running === 0 ? 'no agent runs there' : `${countOf(host.running, 'agent')} ${host.running === 1 ? 'finishes its' : 'finish their'} work`}.`,
    }
  const until = performance.now() + wait
  const asked = patiently(call)
  for (;;) {
    const left = await asked(() => leftOn(connection, host.id))
    if (left?.running === 0 && left.unpushed.length === 0)
      return {
        json: { ...left.host, finished: true, unpushed: [] },
        text: `Host ${host.name} starts nothing new, and has finished.`,
      }
    const rest = until - performance.now()
    if (rest <= 0 || call.streams.signal?.aborted)
      return {
        json: { ...(left?.host ?? host), finished: false, unpushed: left?.unpushed ?? null },
        text: left
          ? `Host ${host.name} has not finished within ${duration(wait)}: ${leftText(left)}. It starts nothing new.`
          : `Host ${host.name} starts nothing new; whether it has finished is not known, because the board does not answer.`,
        code: exitCodes.unsettled,
      }
    await call.services.nextChange(connection, Math.min(GLANCE, rest))
  }
}

interface Left {
  readonly host: HostView
  readonly running: number
  /** Worktrees whose last commits are not on the git remote yet. */
  readonly unpushed: readonly string[]
}

const leftOn = async ({ core, actor }: Connection, id: string): Promise<Left> => {
  const host = (await perform(core, listHosts, {}, actor)).find((one) => one.id === id)
  if (host === undefined || host.state !== 'draining')
    throw new Refusal(
      'invalid_state',
      `Host ${host?.name ?? id} is ${host?.state ?? 'gone'} now, so it is not waited for.`,
    )
  return { host, running: host.running, unpushed: await perform(core, readUnpushed, { hostId: id }, actor) }
}

const leftText = ({ running, unpushed }: Left): string =>
  [
    ...(running > 0 ? [`${countOf(running, 'agent')} still ${running === 1 ? 'works' : 'work'}`] : []),
    ...(unpushed.length > 0 ? [`commits in ${unpushed.join(', ')} are not pushed`] : []),
  ].join(', and ')

export const declareLost = async (call: Call, named: string, yes: boolean): Promise<Answer> => {
  const connection = await open(call)
  refuseAgent(call, connection, 'declare a host lost')
  const above = `Agents on host ${named} do not count any more, and what it has not pushed is out of reach until it comes back.`
  await refuseUnlessMeant(call, { word: 'lost', what: 'Declaring a host lost', above, yes })
  const lost = await perform(connection.core, loseHost, { host: named }, connection.actor)
  return {
    json: lost,
    text: `Host ${lost.name} is lost. ${lost.ended.length === 0 ? 'No agent ran there.' : `Ended: ${lost.ended.join(', ')}; ${lost.ended.length === 1 ? 'its task is' : 'their tasks are'} pending again.`}`,
  }
}

export const forget = async (call: Call, named: string, yes: boolean): Promise<Answer> => {
  const connection = await open(call)
  refuseAgent(call, connection, 'remove a host from the board')
  const above = `The clone of host ${named} writes nothing on the board any more. It comes back only with a new code.`
  await refuseUnlessMeant(call, { word: 'forget', what: 'Removing a host', above, yes })
  const { core, actor } = connection
  const { id, name, worktrees } = await perform(core, forgetHost, { host: named }, actor)
  const ended = (await core.store.maintenance.endSessions?.(id)) ?? 0
  const kept = worktrees.flatMap(({ ref }) => (ref === null ? [] : [ref]))
  const work =
    worktrees.length === 0
      ? ''
      : ` Ended with it: ${someOf(
          worktrees.map((one) => one.name),
          5,
        )}; ${kept.length === 0 ? 'nothing of them was pushed.' : `the git remote has ${kept.join(', ')}.`}`
  return {
    json: { id, name, worktrees, endedConnections: ended },
    text: `Host ${name} is forgotten. Connections of it that were ended: ${ended}.${work}`,
  }
}

/** Refuses outside of a clone, before a person is asked for a code and a password. */
export const refuseOutsideOfClone = async ({ services, root }: Call): Promise<void> => {
  try {
    await services.repositoryRoot(root)
  } catch (error) {
    if (!isRefusal(error) || error.code !== 'not_a_repository') throw error
    throw new Refusal(
      error.code,
      `A host is a clone of the board's repository, and ${root} is in none. Run 'git clone URL', and join in the folder that it makes.`,
      { cause: error },
    )
  }
}

/** Asks for the password of the server at a terminal; undefined for a script. */
export const askPasswordOf = (call: Call): AskPassword | undefined =>
  call.json || !call.streams.stdinIsTerminal
    ? undefined
    : (login) =>
        askOrNothing(
          call,
          `Password of ${login}: `,
          'The password is kept in ~/.pgpass once the server has accepted it.',
          true,
        )

/** Networks inside this machine, of containers and virtual machines, from which no other host comes. */
const INSIDE = /^(?:docker|br-|veth|virbr|vmnet|vboxnet|lxc|lxd|podman|cni|flannel|cali|incus)/

/** The addresses of this machine's networks, as PostgreSQL's rules write them: `10.0.0.0/24`. */
export const networksOf = (interfaces: ReturnType<typeof networkInterfaces>): readonly string[] => [
  ...new Set(
    Object.entries(interfaces)
      .flatMap(([name, addresses]) => (INSIDE.test(name) ? [] : (addresses ?? [])))
      .filter(({ internal, family, cidr }) => !internal && family === 'IPv4' && cidr !== null)
      .map(({ address, netmask, cidr }) => {
        const bits = netmask.split('.').map(Number)
        const base = address.split('.').map((part, n) => Number(part) & bits[n]!)
        return `${base.join('.')}/${cidr!.split('/')[1]}`
      }),
  ),
]

/** The five lines that prepare a server of this machine for the hosts of its networks. */
export const postgresLines = (
  role: string,
  known: readonly string[] = networksOf(networkInterfaces()),
): readonly string[] => {
  const rules = (known.length === 0 ? ['YOUR.NETWORK/24'] : known).map(
    (network) => `'hostssl aiswarm ${role} ${network} scram-sha-256'`,
  )
  return [
    `sudo -u postgres createuser --pwprompt ${role}`,
    `sudo -u postgres createdb --owner ${role} aiswarm`,
    `sudo -u postgres psql -c "ALTER SYSTEM SET listen_addresses = '*'"`,
    `printf '%s\\n' ${rules.join(' ')} | sudo -u postgres sh -c 'cat >> "$(psql -Atc "SHOW hba_file")"'`,
    'sudo systemctl restart postgresql',
  ]
}

/** The role of the server for which lines are printed: that of the address, or a person's; root is a user of the machine only. */
export const roleOf = (database: string | undefined): string => {
  const named = database !== undefined && URL.canParse(database) ? decodeURIComponent(new URL(database).username) : ''
  if (named !== '') return named
  const { uid, username } = userInfo()
  return uid === 0 ? 'anna' : username
}
