import { ours, type SafeText } from '../../domain/safe-text.ts'
import type { AgentRow } from '../../../components/AgentTable.tsx'
import type { BoardRow } from '../../../components/Board.tsx'
import { agentLooks } from '../../../components/look.ts'
import type { LogLine } from '../../../components/Log.tsx'
import { logLooks } from '../../../components/look.ts'
import type { WorktreeRow } from '../../../components/Worktrees.tsx'

// The rows of the panes as a screen reader reads them. Made from the same rows that are drawn, so that both say the same.

/** `Task 3, JWT auth API, working for 4 minutes, agent backend-1.` */
export const taskSentence = ({ id, title, says, time, state, agent, asks, selected }: BoardRow): SafeText =>
  sentence([
    `${selected ? 'Selected: task' : 'Task'} ${id}`,
    title,
    time === '' ? says : `${says} ${state === 'completed' || state === 'cancelled' ? 'after' : state === 'waiting' ? '' : 'for'} ${spokenTime(time)}`,
    agent === '–' ? '' : `agent ${agent}`,
    asks ? 'waits for you' : '',
  ])

/** What changes all the time, such as the load of its process, is left out: it would be read over and over. */
export const agentSentence = ({ id, state, kind, context, task, selected }: AgentRow): SafeText =>
  sentence([
    `${selected ? 'Selected: agent' : 'Agent'} ${id}`,
    agentLooks[state].word,
    `kind ${kind}`,
    /^\d+$/.test(task) ? `task ${task}` : task === '–' ? '' : task,
    context.includes('⚠') ? 'its context is nearly full' : '',
  ])

export const worktreeSentence = ({ name, ahead, behind, added, removed, dirty, verified, says, warns, selected }: WorktreeRow): SafeText =>
  sentence([
    `${selected ? 'Selected: worktree' : 'Worktree'} ${name}`,
    ahead === null ? '' : `${ahead} ahead and ${behind} behind`,
    added === null ? '' : `${added} lines added, ${removed} removed`,
    dirty === null || dirty === 0 ? '' : `${dirty} ${dirty === 1 ? 'file' : 'files'} not committed`,
    verified.replace(' ✓', ''),
    says.replace('?', ' is asked of you'),
    warns,
  ])

export const logSentence = ({ time, look, text }: LogLine): SafeText => {
  const words = text.replace(colours, '').trim()
  return words === '' ? ours('') : sentence([look === 'output' || time === '' ? '' : `${logLooks[look].word} at ${time.slice(0, 5)}`, words])
}

/** `4m10` as `4 minutes`. Seconds are not told: a sentence that changes every second is never read to its end. */
export const spokenTime = (time: string): string => {
  const [, days, hours, minutes] = /^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m?)?/.exec(/^\d+s$|^</.test(time) ? '' : time)!
  if (days !== undefined) return many(days, 'day')
  if (hours !== undefined) return many(hours, 'hour')
  return minutes === undefined ? 'less than a minute' : many(minutes, 'minute')
}

const many = (count: string, unit: string): string => `${Number(count)} ${unit}${Number(count) === 1 ? '' : 's'}`

/** The parts are safe already: they are texts of rows. */
const sentence = (parts: readonly string[]): SafeText =>
  ours(
    `${parts
      .map((part) => part.replace(/ {2,}/g, ' ').trim())
      .filter((part) => part !== '')
      .join(', ')
      .replace(/[.]+$/, '')}.`,
  )

// eslint-disable-next-line no-control-regex -- colour sequences are what is taken out
const colours = /\u001b\[[0-9;:]*m/g
