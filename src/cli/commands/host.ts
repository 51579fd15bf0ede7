import { Refusal } from '../../domain/rules/refusal.ts'
import { countOf } from '../../domain/words/counts.ts'
import { safeText } from '../../domain/words/safe-text.ts'
import { hostOf } from '../../operations/perform/core.ts'
import { changeHost } from '../../operations/hosts/membership.ts'
import { type HostView, listHosts } from '../../operations/hosts/list.ts'
import { settleReturn } from '../../operations/failover/lost-hosts.ts'
import { perform } from '../../operations/perform/perform.ts'
import { type Call, type Command, does, given, open, performs } from '../call/command.ts'
import { count, labels, orEmpty, text, time } from '../call/values.ts'
import { argument, flag, option, optionalArgument } from '../call/words.ts'
import { hostFacts, hostList, hostTable } from '../print/hosts.ts'
import { declareLost, drain, forget } from '../verbs/fleet.ts'

const host = argument('HOST', 'Name or id of the host', text)
const hostOrOwn = optionalArgument('HOST', 'Name or id of the host (default: that of this clone)', text)

/** The id of the host that this clone is. */
const ownHost = async (call: Call): Promise<string> => {
  const { core } = await open(call)
  const id = hostOf(core)
  if (id === null) throw new Refusal('invalid_input', 'This clone is no host of the board. Name one.')
  return id
}

const labelled = ({ name, labels, maxParallel, ssh, account }: HostView): string => {
  const facts = [
    labels.length === 0 ? 'has no labels' : `has the labels ${labels.join(', ')}`,
    ...(maxParallel === null ? [] : [`runs at most ${countOf(maxParallel, 'agent')} at a time`]),
    ...(ssh === null ? [] : [`is reached by SSH as ${safeText(ssh)}`]),
    ...(account === null ? [] : [`works as account ${safeText(account)}`]),
  ]
  const last = facts.pop()!
  return `Host ${name} ${[...(facts.length === 0 ? [] : [facts.join(', ')]), last].join(' and ')}.`
}

export const hostCommands: readonly Command[] = [
  performs({
    path: 'host list',
    words: {},
    operation: listHosts,
    input: () => ({}),
    text: hostList,
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
  does({
    path: 'host drain',
    summary:
      'Let a host finish its work and start nothing new; exit code 3 if it has not finished in the time of --wait',
    words: {
      host: hostOrOwn,
      wait: option('--wait', 'TIME', 'Wait until it has finished, such as 10m', time),
      untilStart: flag('--until-start', 'Only until its next worker starts, for the end of a service'),
    },
    run: async ({ host, wait, untilStart }, call) => drain(call, host ?? (await ownHost(call)), { wait, untilStart }),
    example: 'host drain build-2 --wait 10m',
  }),
  does({
    path: 'host resume',
    summary: 'Let a drained host start work again',
    words: { host: hostOrOwn },
    run: async ({ host }, call) => {
      const { core, actor } = await open(call)
      const resumed = await perform(core, changeHost, { host: host ?? (await ownHost(call)), to: 'resume' }, actor)
      return { json: resumed, text: `Host ${resumed.name} starts work again.` }
    },
    example: 'host resume build-2',
  }),
  performs({
    path: 'host label',
    summary:
      'Set the labels of a host, how many agents it runs at a time, its SSH address, and its account; an empty text removes one',
    words: {
      host,
      labels: option('--labels', 'L,L', 'Labels of the host, separated by commas', labels),
      maxParallel: option('--max-parallel', 'N', 'The most agents at a time there', orEmpty(count)),
      ssh: option('--ssh', 'ADDRESS', 'How you reach it by SSH, so that the console opens shells there', orEmpty(text)),
      account: option(
        '--account',
        'NAME',
        'The account of its agents: hosts with the same one share its quotas',
        orEmpty(text),
      ),
    },
    operation: changeHost,
    input: ({ host, labels, maxParallel, ssh, account }) => ({
      host,
      ...given('account', account),
      ...given('ssh', ssh),
      ...given('labels', labels),
      ...given('maxParallel', maxParallel),
    }),
    text: labelled,
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
    run: ({ host, yes }, call) => declareLost(call, host, yes),
    example: 'host lost build-2 --yes',
  }),
  does({
    path: 'host forget',
    summary: 'Remove a host from the board: its clone writes nothing any more, and comes back only with a new code',
    words: { host, yes: flag('--yes', 'Do not ask') },
    grave: true,
    run: ({ host, yes }, call) => forget(call, host, yes),
    example: 'host forget build-2 --yes',
  }),
]
