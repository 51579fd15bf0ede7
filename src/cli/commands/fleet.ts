import { isRefusal, Refusal } from '../../domain/rules/refusal.ts'
import { changeHost } from '../../operations/hosts/change-host.ts'
import { makeJoinCode } from '../../operations/hosts/join-host.ts'
import { listHosts } from '../../operations/hosts/list-hosts.ts'
import { loseHost } from '../../operations/hosts/lose-host.ts'
import { protocolOf } from '../../domain/host/remote.ts'
import { readRemote } from '../../operations/hosts/read-remote.ts'
import { settleReturn } from '../../operations/hosts/settle-return.ts'
import { setRemote } from '../../operations/hosts/set-remote.ts'
import { perform } from '../../operations/door/perform.ts'
import { type Call, type Command, does, given, open, performs } from '../call/command.ts'
import { refuseAgent } from '../call/refuse-agent.ts'
import { count, text } from '../call/values.ts'
import { argument, flag, option, optionalArgument } from '../call/words.ts'
import { hostFacts, hostTable } from '../print/hosts.ts'

const host = argument('HOST', 'Name or id of the host', text)
const labels = option('--labels', 'L,L', 'Labels of the host, separated by commas', text)
const listed = (given: string | undefined): string[] | undefined =>
  given?.split(',').flatMap((one) => (one.trim() === '' ? [] : [one.trim()]))

export const fleetCommands: readonly Command[] = [
  does({
    path: 'fleet init',
    summary: 'Move the board to PostgreSQL, so that other machines can join it; this checkout is its first host',
    words: {
      database: option('--database', 'URL', 'The server, as postgresql://user@host/database, without a password', text),
      passwordCommand: option('--password-command', 'CMD', 'A shell command that prints the password', text),
      remote: option('--remote', 'URL', 'The git remote through which the hosts exchange code', text),
    },
    grave: true,
    run: async ({ database, passwordCommand, remote }, call) => {
      if (database !== undefined)
        await call.services.copyBoard(call.root, { url: database, direction: 'to', passwordCommand })
      const { core, actor } = await open(call)
      if (core.store.engine === 'SQLite')
        throw new Refusal('invalid_input', 'The board is in a database file. Name a server with --database URL.')
      if (remote !== undefined) await useRemote(call, remote)
      const hosts = await perform(core, listHosts, {}, actor)
      return {
        json: { store: core.store.path, hosts, remote: (await perform(core, readRemote, {}, actor)).remote },
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
      const { remote, used, hosts } = await perform(core, readRemote, {}, actor)
      return { json: { remote, used: used !== null }, text: remoteText(remote, used, hosts) }
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
      const { remote, used } = await perform(core, readRemote, {}, actor)
      return {
        json: { store: core.store.path, remote, hosts },
        text: `The board is at ${core.store.path}.\n${remoteText(remote, used, hosts.length)}\n\n${hostTable(hosts, core.clock())}`,
      }
    },
    example: 'fleet status',
  }),
  does({
    path: 'fleet join-code',
    summary: 'Print a line with which one host can join the board, within 15 minutes',
    words: { labels },
    run: async ({ labels }, call) => {
      const connection = await open(call)
      refuseAgent(call, connection, 'make a code for a host')
      const { core, actor } = connection
      const { secret, expiresAt } = await perform(core, makeJoinCode, given('labels', listed(labels)), actor)
      const code = await call.services.joinLine(call.root, secret)
      return { json: { code, expiresAt }, text: code }
    },
    example: 'fleet join-code --labels linux,big',
  }),
  does({
    path: 'fleet join',
    summary: 'Make this clone a host of a board; asks for the line of fleet join-code, or reads it from standard input',
    words: { passwordCommand: option('--password-command', 'CMD', 'A shell command that prints the password', text) },
    run: async ({ passwordCommand }, call) => {
      const { streams } = call
      const line = streams.stdinIsTerminal
        ? await streams.ask('Code: ', "Paste the line of 'aiswarm fleet join-code'.")
        : await streams.readInput()
      const joined = await call.services.joinFleet(call.root, { line, passwordCommand })
      const trouble = await remoteTrouble(call)
      return {
        json: { ...joined, remoteProblem: trouble ?? null },
        text: `This clone is host ${joined.name} (${joined.id}) now. Start 'aiswarm worker' here to run agents on it.${trouble === undefined ? '' : `\n${trouble}`}`,
      }
    },
    example: 'fleet join',
  }),
]

/** Stores the remote after it was tried from this host. */
const useRemote = async (call: Call, url: string): Promise<void> => {
  const connection = await open(call)
  refuseAgent(call, connection, 'set the git remote of the hosts')
  protocolOf(url)
  await call.services.probeRemote(call.root, url)
  await perform(connection.core, setRemote, { url }, connection.actor)
}

/** The reason why this host cannot exchange code through the remote of the board; undefined if it can, or need not. */
const remoteTrouble = async (call: Call): Promise<string | undefined> => {
  const { core, actor } = await open(call)
  const { used } = await perform(core, readRemote, {}, actor)
  try {
    if (used !== null) await call.services.probeRemote(call.root, used)
    return undefined
  } catch (error) {
    if (!isRefusal(error)) throw error
    return error.message
  }
}

const remoteText = (remote: string | null, used: string | null, hosts: number): string => {
  if (remote === null)
    return "The hosts exchange no code: no git remote is set. Set one with 'aiswarm fleet remote URL', to merge the work of all hosts."
  return used === null && hosts < 2
    ? `The git remote is ${remote}. It is used when a second host has joined.`
    : `The hosts exchange code through ${remote}.`
}

export const hostCommands: readonly Command[] = [
  performs({
    path: 'host list',
    words: {},
    operation: listHosts,
    input: () => ({}),
    text: hostTable,
    example: 'host list',
  }),
  does({
    path: 'host show',
    summary: 'Show one host with its clone and the agent kinds that are installed there',
    words: { host },
    run: async ({ host: named }, call) => {
      const { core, actor } = await open(call)
      const hosts = await perform(core, listHosts, {}, actor)
      const found = hosts.find(({ id }) => id === named) ?? hosts.find(({ name }) => name === named)
      if (!found) throw new Refusal('not_found', `There is no host '${named}'. 'aiswarm host list' shows the hosts.`)
      return { json: found, text: `${hostTable([found], core.clock())}\n\n${hostFacts(found)}` }
    },
    example: 'host show build-2',
  }),
  performs({
    path: 'host drain',
    summary: 'Let a host finish its work and start nothing new',
    words: { host },
    operation: changeHost,
    input: ({ host }) => ({ host, to: 'drain' as const }),
    text: ({ name, running }) =>
      `Host ${name} starts nothing new; ${running === 0 ? 'no agent runs there' : `${running} agents finish their work`}.`,
    example: 'host drain build-2',
  }),
  performs({
    path: 'host resume',
    summary: 'Let a drained host start work again',
    words: { host },
    operation: changeHost,
    input: ({ host }) => ({ host, to: 'resume' as const }),
    text: ({ name }) => `Host ${name} starts work again.`,
    example: 'host resume build-2',
  }),
  performs({
    path: 'host label',
    summary: 'Set the labels of a host, how many agents it runs at a time, and its SSH address',
    words: {
      host,
      labels,
      maxParallel: option('--max-parallel', 'N', 'The most agents at a time there', count),
      ssh: option('--ssh', 'ADDRESS', 'How you reach it by SSH, so that the console opens shells there', text),
    },
    operation: changeHost,
    input: ({ host, labels, maxParallel, ssh }) => ({
      host,
      ...given('ssh', ssh),
      ...given('labels', listed(labels)),
      ...given('maxParallel', maxParallel),
    }),
    text: ({ name, labels, maxParallel }) =>
      `Host ${name} has ${labels.length === 0 ? 'no labels' : `the labels ${labels.join(', ')}`}${maxParallel === null ? '' : ` and runs at most ${maxParallel} agents at a time`}.`,
    example: 'host label build-2 --labels linux,gpu',
  }),
  performs({
    path: 'host settle',
    summary: 'Say that you have seen with which worktrees a lost host came back; they stay as they are',
    words: { host },
    operation: settleReturn,
    input: ({ host }) => ({ host }),
    text: ({ name }) => `The worktrees of host ${name} are marked as seen, and stay as they are.`,
    example: 'host settle build-2',
  }),
  does({
    path: 'host lost',
    summary: 'Declare a host lost: what its agents still report is refused, and their tasks are pending again',
    words: { host, yes: flag('--yes', 'Do not ask') },
    grave: true,
    run: ({ host, yes }, call) => declareLost(host, yes, call),
    example: 'host lost build-2 --yes',
  }),
]

const declareLost = async (named: string, yes: boolean | undefined, call: Call) => {
  const connection = await open(call)
  refuseAgent(call, connection, 'declare a host lost')
  if (yes !== true) {
    if (!call.streams.stdinIsTerminal)
      throw new Refusal('needs_terminal', 'Declaring a host lost needs an answer at a terminal, or --yes.')
    const answer = await call.streams.ask(
      'Type lost to go on: ',
      `Agents on host ${named} do not count any more, and what it has not committed is out of reach until it comes back.`,
    )
    if (answer.trim() !== 'lost') return { json: null, text: 'Nothing was changed.' }
  }
  const lost = await perform(connection.core, loseHost, { host: named }, connection.actor)
  return {
    json: lost,
    text: `Host ${lost.name} is lost. ${lost.ended.length === 0 ? 'No agent ran there.' : `Ended: ${lost.ended.join(', ')}; their tasks are pending again.`}`,
  }
}
