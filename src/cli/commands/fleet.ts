import { isRefusal, Refusal } from '../../domain/rules/refusal.ts'
import { makeJoinCode, revokeCodes } from '../../operations/hosts/membership.ts'
import { listHosts } from '../../operations/hosts/list.ts'
import { folderOn, protocolOf } from '../../domain/host/remote.ts'
import { readRemote, setRemote, setSnapshots } from '../../operations/hosts/remote.ts'
import { someOf } from '../../domain/words/counts.ts'
import { perform } from '../../operations/perform/perform.ts'
import { askOrNothing, refuseAgent, refuseUnlessMeant } from '../call/confirmation.ts'
import { type Answer, type Call, type Command, does, given, open } from '../call/command.ts'
import { labels, onOff, text } from '../call/values.ts'
import { flag, option, optionalArgument } from '../call/words.ts'
import { exchangeText, hostList, joinedText, remoteText, snapshotText } from '../print/hosts.ts'
import { askPasswordOf, postgresLines, refuseOutsideOfClone, roleOf } from '../verbs/fleet.ts'

export const fleetCommands: readonly Command[] = [
  does({
    path: 'fleet init',
    summary: 'Move the board to PostgreSQL, so that other machines can join it; this checkout is its first host',
    words: {
      database: option('--database', 'URL', 'The server, as postgresql://user@host/database, without a password', text),
      passwordCommand: option('--password-command', 'CMD', 'A shell command that prints the password', text),
      remote: option('--remote', 'URL', 'The git remote through which the hosts exchange code', text),
      snapshots: flag('--snapshots', 'Also push uncommitted work there, once a minute'),
      printPostgres: flag('--print-postgres', 'Only print the lines that prepare a PostgreSQL server on this machine'),
    },
    grave: true,
    run: async ({ database, passwordCommand, remote, snapshots, printPostgres }, call) => {
      if (printPostgres) return printed(postgresLines(roleOf(database)))
      if (database !== undefined)
        await call.services.copyBoard(call.root, {
          url: database,
          direction: 'to',
          passwordCommand,
          askPassword: askPasswordOf(call),
        })
      const { core, actor } = await open(call)
      if (core.store.engine === 'SQLite')
        throw new Refusal('invalid_input', 'The board is in a database file. Name a server with --database URL.')
      if (remote !== undefined) await useRemote(call, remote)
      if (snapshots) await allowSnapshots(call, true)
      const hosts = await perform(core, listHosts, {}, actor)
      const exchange = await perform(core, readRemote, {}, actor)
      return {
        json: {
          store: core.store.path,
          hosts,
          remote: exchange.remote,
          refs: folderOn(exchange.refs),
          snapshots: exchange.snapshots,
        },
        text: `The board is at ${core.store.path}; ${hosts[0]!.name} is its first host. Agents run as the user that starts aiswarm. Let other machines join with 'aiswarm fleet join-code'.`,
      }
    },
    example: 'fleet init --database postgresql://anna@db.example.net/aiswarm --remote git@git.example.net:shop',
  }),
  does({
    path: 'fleet remote',
    summary: 'Show the git remote through which the hosts exchange code, or set it; it must accept refs of aiswarm',
    words: { url: optionalArgument('URL', 'Address of the remote, without a password', text) },
    grave: true,
    run: async ({ url }, call) => {
      if (url !== undefined) await useRemote(call, url)
      const { core, actor } = await open(call)
      const exchange = await perform(core, readRemote, {}, actor)
      const { remote, refs, used } = exchange
      return { json: { remote, refs: folderOn(refs), used: used !== null }, text: remoteText(exchange) }
    },
    example: 'fleet remote git@git.example.net:shop',
  }),
  does({
    path: 'fleet status',
    summary: 'Show where the board is, the git remote of its hosts, and the hosts',
    words: {},
    run: async (_, call) => {
      const { core, actor } = await open(call)
      const hosts = await perform(core, listHosts, {}, actor)
      const exchange = await perform(core, readRemote, {}, actor)
      const { remote, refs, snapshots } = exchange
      return {
        json: { store: core.store.path, remote, refs: folderOn(refs), snapshots, hosts },
        text: `The board is at ${core.store.path}.\n${core.store.engine === 'SQLite' ? ALONE : exchangeText(exchange)}\n\n${hostList(hosts, core.clock())}`,
      }
    },
    example: 'fleet status',
  }),
  does({
    path: 'fleet join-code',
    summary: 'Print a line with which one host can join the board, within 15 minutes',
    words: { labels: option('--labels', 'L,L', 'Labels of the host, separated by commas', labels) },
    run: async ({ labels }, call) => {
      const connection = await open(call)
      refuseAgent(call, connection, 'make a code for a host')
      const { core, actor } = connection
      const { secret, expiresAt } = await perform(core, makeJoinCode, given('labels', labels), actor)
      const code = await call.services.joinLine(call.root, secret)
      return { json: { code, expiresAt }, text: code }
    },
    example: 'fleet join-code --labels linux,big',
  }),
  does({
    path: 'fleet join',
    summary: 'Make this clone a host of a board; asks for the line of fleet join-code, or reads it from standard input',
    words: {
      passwordCommand: option('--password-command', 'CMD', 'A shell command that prints the password', text),
      service: flag('--service', 'Do not ask: also install a systemd unit that runs the worker with this machine'),
    },
    run: async ({ passwordCommand, service }, call) => {
      const { streams } = call
      await refuseOutsideOfClone(call)
      const line = streams.stdinIsTerminal
        ? await askOrNothing(call, 'Code: ', "Paste the line of 'aiswarm fleet join-code'.")
        : await streams.readInput()
      const joined = await call.services.joinFleet(call.root, {
        line,
        passwordCommand,
        askPassword: askPasswordOf(call),
      })
      const trouble = await remoteTrouble(call)
      const unit = await serviceOf(call, service)
      return {
        json: { ...joined, remoteProblem: trouble ?? null, service: unit.path, serviceProblem: unit.problem },
        text: [
          `This clone is host ${joined.name} (${joined.id}) now.`,
          ...joinedText(joined),
          ...(trouble === undefined ? [] : [trouble]),
          unit.problem ??
            (unit.path === null
              ? "Start 'aiswarm worker' here to run agents on it."
              : `Its worker runs, and starts with this machine: ${unit.path}.`),
        ].join('\n'),
      }
    },
    example: 'fleet join --service',
  }),
  does({
    path: 'fleet snapshots',
    summary: 'Show or set whether the hosts push uncommitted work to the git remote: never ignored files or secrets',
    words: { state: optionalArgument('on|off', 'on or off', onOff) },
    grave: true,
    run: async ({ state }, call) => {
      if (state !== undefined) await allowSnapshots(call, state)
      const { core, actor } = await open(call)
      const { snapshots } = await perform(core, readRemote, {}, actor)
      return { json: { snapshots }, text: snapshotText(snapshots) }
    },
    example: 'fleet snapshots on',
  }),
  does({
    path: 'fleet rotate',
    summary: 'Revoke unused codes to join, and make a new secret for the tokens of agents that start on this host',
    words: {},
    run: async (_, call) => {
      const connection = await open(call)
      refuseAgent(call, connection, 'rotate what lets hosts and agents in')
      const { revoked } = await perform(connection.core, revokeCodes, {}, connection.actor)
      await call.services.renewSecret(call.root)
      return {
        json: { revokedCodes: revoked, secret: 'renewed' },
        text: `Codes revoked: ${revoked}. Agents that start on this host from now on get tokens of a new secret; those that run keep theirs until they end. The password of the server is not aiswarm's: change it there, then in ~/.pgpass of each host.`,
      }
    },
    example: 'fleet rotate',
  }),
  does({
    path: 'fleet restored',
    summary:
      'Say that the server was restored to an earlier time, where it looks so: agents end, and each host comes back',
    words: {
      yes: flag('--yes', 'Do not ask'),
      anyway: flag('--anyway', 'Although nothing looks restored, for instance after every host was cloned again'),
    },
    grave: true,
    run: async ({ yes, anyway }, call) => {
      const above =
        'All agents of the board end, their tasks are pending again, and each host keeps its worktrees as they are.'
      const { generation, hosts, ended } = await call.services.restoreFleet(call.root, {
        anyway,
        confirm: () =>
          refuseUnlessMeant(call, { word: 'restored', what: 'Saying that the board was restored', above, yes }),
      })
      return {
        json: { generation, hosts, ended },
        text: `Agents that ended: ${ended.length === 0 ? 'none' : someOf(ended, 5)}. These hosts come back as their workers run: ${hosts.join(', ')}. 'aiswarm host list' shows what each had.`,
      }
    },
    example: 'fleet restored --yes',
  }),
]

/** The unit that runs the worker: asked for at a terminal, never without a person's word. */
const serviceOf = async (
  call: Call,
  wanted: boolean,
): Promise<{ readonly path: string | null; readonly problem: string | null }> => {
  const { streams, json, services } = call
  const asks = !wanted && !json && streams.stdinIsTerminal
  const isWanted =
    wanted ||
    (asks &&
      /^y/i.test(await askOrNothing(call, 'Run the worker with this machine? [y/N] ', 'systemd can start it at once.')))
  if (!isWanted) return { path: null, problem: null }
  try {
    return { path: (await services.installWorker(call.root)).path, problem: null }
  } catch (error) {
    if (!isRefusal(error)) throw error
    return { path: null, problem: error.message }
  }
}

const ALONE = "It is a database file, which has one host. 'aiswarm fleet init --database URL' moves it to a server."

const printed = (lines: readonly string[]): Answer => ({ json: { lines }, text: lines.join('\n') })

const allowSnapshots = async (call: Call, on: boolean): Promise<void> => {
  const connection = await open(call)
  refuseAgent(call, connection, 'decide whether uncommitted work is pushed')
  await perform(connection.core, setSnapshots, { on }, connection.actor)
}

/** Stores the remote after it was tried from this host. */
const useRemote = async (call: Call, url: string): Promise<void> => {
  const connection = await open(call)
  refuseAgent(call, connection, 'set the git remote of the hosts')
  protocolOf(url)
  const refs = await call.services.tryRemote(call.root, { url })
  await perform(connection.core, setRemote, { url, refs }, connection.actor)
}

/** The reason why this host cannot exchange code through the remote of the board; undefined if it can, or need not. */
const remoteTrouble = async (call: Call): Promise<string | undefined> => {
  const { core, actor } = await open(call)
  const { used } = await perform(core, readRemote, {}, actor)
  try {
    if (used !== null) await call.services.tryRemote(call.root, used)
    return undefined
  } catch (error) {
    if (!isRefusal(error)) throw error
    return error.message
  }
}
