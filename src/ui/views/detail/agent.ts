import type { Line } from '../../../../components/Lines.tsx'
import { cut } from '../../../../components/base/fit.ts'
import { agentLooks } from '../../../../components/base/look.ts'
import { contextWords } from '../../../domain/agent/context-health.ts'
import { usedWords } from '../../../domain/budget/budget.ts'
import { bytes } from '../../../domain/words/counts.ts'
import { ours, safeText } from '../../../domain/words/safe-text.ts'
import { isSecretName } from '../../../domain/words/secrets.ts'
import { duration } from '../../../domain/words/time.ts'
import type { AgentRunView } from '../../../operations/agents/runs.ts'
import type { MessageView } from '../../../operations/messages/messages.ts'
import type { AgentView } from '../../../operations/views/agents.ts'
import { agentText, messageText, runText } from '../../../text/agents.ts'
import type { ConsoleState } from '../../core/state.ts'
import { keyed } from '../../keys/bindings.ts'
import { agentLook, reasonOfAgent } from '../../rows/agents.ts'
import { hostFact, silentAfterIn } from '../../rows/hosts.ts'
import { fact, longFact, moment, paragraph, usageWords, widthIn, written } from '../../rows/lines.ts'
import { type DetailSection, loaded, standing, text, type Titled, upTo } from './sections.ts'

// The facts at the top of an agent's detail; its sections follow them.

export const agentLines = (state: ConsoleState, agent: AgentView): Titled => {
  const seen = state.processes[agent.id]
  const width = widthIn(state)
  return [
    safeText(agentText.title(agent.id)),
    [
      standing(agentLooks[agentLook(agent)]),
      ...paragraph(reasonOfAgent(state, agent), width),
      ...fact(agentText.facts.persona, agent.personaId),
      ...fact(agentText.facts.kind, agent.kind),
      ...longFact(
        agentText.facts.process,
        agent.processId === null
          ? agent.process
          : `${agentText.process(agent.processId, agent.run)}${seen ? `, ${agentText.uses(seen.processes, seen.cpu, bytes(seen.memory))}` : ''}`,
        width,
      ),
      ...fact(agentText.facts.host, hostFact(agent.host, { now: state.now, silentAfter: silentAfterIn(state) })),
      ...fact(agentText.facts.task, agent.taskId),
      ...longFact(agentText.facts.worktree, agent.assignedWorktree, width),
      ...longFact(agentText.facts.permissions, unaskedOf(state, agent), width),
      ...longFact(agentText.facts.context, agent.context === null ? null : contextWords(agent.context), width),
      ...longFact(agentText.facts.used, usedWords(agent.usage), width),
      ...longFact(
        agentText.facts.paused,
        agent.pausedAt === null ? null : agentText.paused(moment(state, agent.pausedAt), agent.taskId),
        width,
      ),
      ...fact(agentText.facts.spawnedBy, agent.parentAgentId),
      ...fact(agentText.facts.registered, moment(state, agent.registeredAt)),
      ...fact(agentText.facts.heartbeat, moment(state, agent.lastHeartbeat)),
      ...longFact(
        agentText.facts.stopAsked,
        agent.stopRequestedAt === null ? null : `${moment(state, agent.stopRequestedAt)} ${agent.stopReason ?? ''}`,
        width,
      ),
      ...fact(
        agentText.facts.ended,
        agent.endedAt === null
          ? null
          : `${moment(state, agent.endedAt)}${agent.exitCode === null ? '' : agentText.exitCode(agent.exitCode)}`,
      ),
    ],
  ]
}

/** The actions that it takes without asking, once they were read for this agent. */
const unaskedOf = ({ opened }: ConsoleState, { id }: AgentView): string | null =>
  opened.of === `agents ${id}` ? (opened.parts.unasked ?? null) : null

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

/** A word quoted as for a shell, so that its end is visible. */
const quoted = (word: string): string => (/^[\w@%+=:,./•-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)

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
