import { bytes } from '../../domain/bytes.ts'
import { ours } from '../../domain/safe-text.ts'
import { isSecretName } from '../../domain/secrets.ts'
import { clockTime, duration } from '../../domain/time.ts'
import type { AgentRunView } from '../../operations/get-agent-runs.ts'
import type { AgentView } from '../../operations/kernel/views.ts'
import type { Line } from '../../../components/Lines.tsx'
import { fact, paragraph, usageWords, widthIn } from '../detail-lines.ts'
import type { ConsoleState } from '../state.ts'
import { loaded, text } from './section.ts'
import type { DetailSection } from './state.ts'

// What is known about an agent besides the facts at the top.

export const agentSections = (state: ConsoleState, agent: AgentView): readonly DetailSection[] => {
  const width = widthIn(state)
  const runs = state.runs.filter((run) => run.agentId === agent.id)
  return [
    ...text('failure', 'It could not be started', agent.launchError, width, 'red'),
    { id: 'command', title: 'Command line', note: 'secrets masked', part: 'inspection', lines: () => commandLines(state, width) },
    { id: 'environment', title: 'Environment', note: 'names only', part: 'inspection', lines: () => environmentLines(state, width) },
    { id: 'processes', title: 'Processes', ...processNote(state, agent), part: 'inspection', lines: () => processLines(state, width) },
    ...(runs.length === 0 ? [] : [{ id: 'runs', title: 'Runs', note: `${runs.length}${usageWords(sumOf(runs))}`, lines: () => runs.flatMap((run) => runLines(run, width)) }]),
  ]
}

const gone: readonly Line[] = [{ text: ours('It does not run here now; nothing of this is kept.'), dim: true }]

const commandLines = (state: ConsoleState, width: number): readonly Line[] =>
  loaded(state, 'inspection', ({ command, folder }) => (command === null ? gone : [...fact('in', folder), ...paragraph(command.map(quoted).join(' '), width)]))

const environmentLines = (state: ConsoleState, width: number): readonly Line[] =>
  loaded(state, 'inspection', ({ environment }) =>
    environment === null ? gone : [...paragraph(environment.map((name) => (isSecretName(name) ? `${name} (secret)` : name)).join('  '), width)],
  )

const processLines = (state: ConsoleState, width: number): readonly Line[] =>
  loaded(state, 'inspection', ({ processes }) =>
    processes === null
      ? gone
      : [
          { text: ours(`${'PID'.padStart(8)} ${'CPU'.padStart(7)} ${'MEM'.padStart(6)}  COMMAND`), dim: true },
          ...processes.flatMap(({ pid, level, command, seconds, memory }) => {
            const head = `${String(pid).padStart(8)} ${duration(seconds * 1000).padStart(7)} ${bytes(memory).padStart(6)}  `
            // A command line may be as long as a prompt: what tells processes apart is its beginning.
            const [line] = paragraph(`${'  '.repeat(Math.min(8, level))}${(command ?? '?').replace(/\s+/g, ' ')}`, Math.max(10, width - head.length))
            return [{ text: ours(`${head}${line?.text ?? ''}`) }]
          }),
        ],
  )

const processNote = ({ processes }: ConsoleState, agent: AgentView): { note?: string } => {
  const seen = processes[agent.id]
  return seen ? { note: `${seen.processes}, ${Math.round(seen.cpu)}% of a core, ${bytes(seen.memory)}` } : {}
}

/** How a run went: what it was for, what it used, how it ended. */
const runLines = (run: AgentRunView, width: number): readonly Line[] => {
  const words = [
    `${run.run}. ${clockTime(run.startedAt)}${run.endedAt === null ? '' : `–${clockTime(run.endedAt)}`}`,
    ...(run.taskId === null ? [] : [` task ${run.taskId}`]),
    ...(run.model === null ? [] : [` ${run.model}`]),
    ...(run.resumed ? [', session resumed'] : []),
    run.endedAt === null ? ', runs' : run.exitCode === null ? ', ended by a signal' : `, exit ${run.exitCode}`,
    usageWords(run),
  ].join('')
  return [
    ...paragraph(words, width).map((line): Line => ({ ...line, colour: run.exitCode !== null && run.exitCode !== 0 ? 'red' : undefined })),
    ...(run.problem === null ? [] : paragraph(`   could not work: ${run.problem}`, width)),
    ...(run.said === null ? [] : paragraph(`   said: ${run.said}`, width)),
  ]
}

const sumOf = (runs: readonly AgentRunView[]) => {
  const costs = runs.flatMap(({ costUsd }) => costUsd ?? [])
  return {
    tokensIn: runs.reduce((sum, run) => sum + run.tokensIn, 0),
    tokensOut: runs.reduce((sum, run) => sum + run.tokensOut, 0),
    costUsd: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
  }
}

/** A word as a shell would need it, so that one sees where it ends. */
const quoted = (word: string): string => (/^[\w@%+=:,./•-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)
