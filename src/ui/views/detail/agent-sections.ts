import { usedWords } from '../../../domain/budget/budget.ts'
import { bytes } from '../../../domain/words/counts.ts'
import { ours, safeText } from '../../../domain/words/safe-text.ts'
import { isSecretName } from '../../../domain/words/secrets.ts'
import { duration } from '../../../domain/words/time.ts'
import type { AgentRunView } from '../../../operations/agents/runs.ts'
import type { MessageView } from '../../../operations/messages/messages.ts'
import type { AgentView } from '../../../operations/views/agents.ts'
import { cut } from '../../../../components/base/fit.ts'
import type { Line } from '../../../../components/Lines.tsx'
import { fact, moment, paragraph, usageWords, widthIn, written } from '../../rows/lines.ts'
import { keyed } from '../../keys/bindings.ts'
import type { ConsoleState } from '../../core/state.ts'
import { loaded, text, upTo } from './section.ts'
import type { DetailSection } from './state.ts'
import { agentText, messageText, runText } from '../../../text/agents.ts'

// The facts about an agent in addition to those at the top.

export const agentSections = (state: ConsoleState, agent: AgentView): readonly DetailSection[] => {
  const width = widthIn(state)
  const runs = state.runs.filter((run) => run.agentId === agent.id)
  return [
    ...text('failure', agentText.failure, agent.launchError, width, 'red'),
    ...refusedSection(state),
    ...messageSection(state, agent, width),
    {
      id: 'command',
      title: agentText.command,
      note: agentText.masked,
      part: 'inspection',
      lines: () => commandLines(state, width),
    },
    {
      id: 'environment',
      title: agentText.environment,
      note: agentText.namesOnly,
      part: 'inspection',
      lines: () => environmentLines(state, width),
    },
    {
      id: 'processes',
      title: agentText.processes,
      ...processNote(state, agent),
      part: 'inspection',
      lines: () => processLines(state, width),
    },
    ...(runs.length === 0
      ? []
      : [
          {
            id: 'runs',
            title: agentText.runs,
            note: [runs.length, usedWords(agent.usage)].filter((word) => word !== '').join(', '),
            lines: () => upTo(runs, (run) => runLines(state, run, width)),
          },
        ]),
  ]
}

/** The hosts that the sandbox has refused to the agent, and the key that allows them. */
const refusedSection = (state: ConsoleState): readonly DetailSection[] => {
  const refused = state.opened.parts.refused ?? []
  return refused.length === 0
    ? []
    : [
        {
          id: 'refused',
          title: agentText.refused,
          note: String(refused.length),
          colour: 'yellow',
          lines: () => [
            ...upTo(refused, (entry) => [{ text: safeText(entry) }]),
            { text: ours(keyed(state, agentText.allowsHosts)), dim: true },
          ],
        },
      ]
}

/** The messages to the agent, and its own to others, with their receipts, the newest first. */
const messageSection = (state: ConsoleState, agent: AgentView, width: number): readonly DetailSection[] => {
  const messages = (state.opened.parts.messages ?? []).filter(({ agentId, author }) =>
    [agentId, author].includes(agent.id),
  )
  return messages.length === 0
    ? []
    : [
        {
          id: 'messages',
          title: agentText.messages,
          note: String(messages.length),
          lines: () => upTo(messages.toReversed(), (message) => messageLines(state, message, width)),
        },
      ]
}

const messageLines = (state: ConsoleState, message: MessageView, width: number): readonly Line[] => [
  ...paragraph(
    `${message.id}. ${moment(state, message.saidAt)} ${message.author}${message.sentTo === null ? `, ${messageText.whens[message.when]}` : messageText.to(message.sentTo)}: ${messageText.states[message.status]}${message.reason === null ? '' : ` (${message.reason})`}`,
    width,
  ).map((line): Line => ({ ...line, colour: message.status === 'refused' ? 'red' : undefined })),
  ...written(`   ${message.kind === 'stop' ? messageText.stop : message.text}`, width),
]

const gone: readonly Line[] = [{ text: ours(agentText.notHere), dim: true }]

const commandLines = (state: ConsoleState, width: number): readonly Line[] =>
  loaded(state, 'inspection', ({ command, folder }) =>
    command === null
      ? gone
      : [...fact(agentText.facts.folder, folder), ...paragraph(command.map(quoted).join(' '), width)],
  )

const environmentLines = (state: ConsoleState, width: number): readonly Line[] =>
  loaded(state, 'inspection', ({ environment }) =>
    environment === null
      ? gone
      : [
          ...paragraph(
            environment.map((name) => (isSecretName(name) ? agentText.secret(name) : name)).join('  '),
            width,
          ),
        ],
  )

const { columns } = agentText

/** Characters of a command line in one row. */
const LONGEST = 2000

const processLines = (state: ConsoleState, width: number): readonly Line[] =>
  loaded(state, 'inspection', ({ processes }) =>
    processes === null
      ? gone
      : [
          {
            text: ours(
              `${columns.pid.padStart(8)} ${columns.cpu.padStart(7)} ${columns.memory.padStart(6)}  ${columns.command}`,
            ),
            dim: true,
          },
          ...processes.flatMap(({ pid, level, command, seconds, memory }) => {
            const head = `${String(pid).padStart(8)} ${duration(seconds * 1000).padStart(7)} ${bytes(memory).padStart(6)}  `
            // A command line may be as long as a prompt: its beginning distinguishes processes.
            const words = safeText((command ?? '?').slice(0, LONGEST).replace(/\s+/g, ' '))
            return [
              {
                text: ours(
                  `${head}${cut(`${'  '.repeat(Math.min(8, level))}${words}`, Math.max(10, width - head.length))}`,
                ),
              },
            ]
          }),
        ],
  )

const processNote = ({ processes }: ConsoleState, agent: AgentView): { note?: string } => {
  const seen = processes[agent.id]
  return seen ? { note: agentText.usesShort(seen.processes, seen.cpu, bytes(seen.memory)) } : {}
}

/** A run: its purpose, its usage, its end. */
const runLines = (state: ConsoleState, run: AgentRunView, width: number): readonly Line[] => {
  const words = [
    `${run.run}. ${moment(state, run.startedAt)}${run.endedAt === null ? '' : `–${moment(state, run.endedAt)}`}`,
    ...(run.taskId === null ? [] : [runText.task(run.taskId)]),
    ...(run.model === null ? [] : [` ${run.model}`]),
    ...(run.resumed ? [runText.resumed] : []),
    run.endedAt === null ? runText.goesOn : run.exitCode === null ? runText.endedBySignal : runText.exit(run.exitCode),
    usageWords(run),
  ].join('')
  return [
    ...paragraph(words, width).map((line): Line => ({
      ...line,
      colour: run.exitCode !== null && run.exitCode !== 0 ? 'red' : undefined,
    })),
    ...(run.problem === null ? [] : written(`   ${runText.problem(run.problem)}`, width)),
    ...(run.said === null ? [] : written(`   ${runText.said(run.said)}`, width)),
  ]
}

/** A word quoted as for a shell, so that its end is visible. */
const quoted = (word: string): string => (/^[\w@%+=:,./•-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)
