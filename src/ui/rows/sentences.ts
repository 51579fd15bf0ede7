import { ours, type SafeText } from '../../domain/words/safe-text.ts'
import type { AgentRow } from '../../../components/AgentTable.tsx'
import type { BoardRow } from '../../../components/Board.tsx'
import { agentLooks } from '../../../components/base/look.ts'
import type { LogLine } from '../../../components/Log.tsx'
import { logLooks } from '../../../components/base/look.ts'
import type { WorktreeRow } from '../../../components/Worktrees.tsx'
import { spokenText } from '../../text/screen-reader.ts'

// The rows of the panes for a screen reader, created from the same rows that are drawn, so that both agree.

/** `Task 3, JWT auth API, working for 4 minutes, agent backend-1.` */
export const taskSentence = ({
  id,
  title,
  says,
  time,
  state,
  agent,
  reason = ours(''),
  asks,
  selected,
}: BoardRow): SafeText =>
  sentence([
    spokenText.task(id, selected),
    title,
    time === ''
      ? says
      : `${says} ${state === 'completed' || state === 'cancelled' ? spokenText.after : state === 'waiting' ? '' : spokenText.for} ${spokenTime(time)}`,
    agent === '–' ? '' : spokenText.byAgent(agent),
    spokenReason(time === '' ? reason : reason.replace(since, '')),
    asks ? spokenText.waitsForYou : '',
  ])

/**
 * Facts that change all the time, such as the load of its process, are omitted, because they would be read again and
 * again.
 */
export const agentSentence = ({
  id,
  state,
  kind,
  host = ours(''),
  context,
  task,
  selected,
  marked,
}: AgentRow): SafeText =>
  sentence([
    spokenText.agent(id, selected),
    marked === true ? spokenText.marked : '',
    agentLooks[state].word,
    spokenText.kind(kind),
    host === '' ? '' : spokenText.host(host),
    /^\d+$/.test(task) ? spokenText.atTask(task) : task === '–' ? '' : task,
    context.includes('⚠') ? spokenText.nearlyFull : '',
  ])

export const worktreeSentence = ({
  name,
  ahead,
  behind,
  added,
  removed,
  dirty,
  verified,
  says,
  warns,
  selected,
}: WorktreeRow): SafeText =>
  sentence([
    spokenText.worktree(name, selected),
    ahead === null ? '' : spokenText.distance(ahead, behind),
    added === null ? '' : spokenText.lines(added, removed),
    dirty === null || dirty === 0 ? '' : spokenText.uncommitted(dirty),
    verified.replace(' ✓', ''),
    says.replace('?', spokenText.isAsked),
    warns,
  ])

/** An inbox item: `Selected: stalled for 7 minutes, task 3 shows no progress.` */
export const itemSentence = (item: {
  readonly kind: string
  readonly time: string
  readonly words: string
  readonly evidence: string
  readonly selected: boolean
  readonly marked: boolean
}): SafeText =>
  sentence([
    `${spokenText.item(item.kind.replace('?', ''), item.selected, item.marked)} ${spokenText.for} ${spokenTime(item.time)}`,
    item.words,
    item.evidence,
  ])

export const logSentence = ({ time, look, text }: LogLine): SafeText => {
  const words = text.replace(colours, '').trim()
  return words === ''
    ? ours('')
    : sentence([
        look === 'output' || time === '' ? '' : spokenText.noteAt(logLooks[look].word, time.slice(0, 5)),
        words,
      ])
}

/**
 * `4m10` as `4 minutes`. Seconds are omitted, because a sentence that changes every second is never read to its end.
 */
export const spokenTime = (time: string): string => {
  const [, days, hours, minutes] = /^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m?)?/.exec(/^\d+s$|^</.test(time) ? '' : time)!
  if (days !== undefined) return spokenText.days(Number(days))
  if (hours !== undefined) return spokenText.hours(Number(hours))
  return minutes === undefined ? spokenText.underAMinute : spokenText.minutes(Number(minutes))
}

/** The duration, which already follows the state. */
const since = /(?:^|; )for (?:<1m|\d+[dhms]\w*)$/

/** Observations of a process are omitted, because they change all the time. */
const spokenReason = (reason: string): string =>
  reason
    .split(/, (?:process alive|no process)/)[0]!
    .replace(/\bfor ((?:\d+[dhm]\d{0,2}h?)|\d+s)(?!\w)/g, (_, time: string) => spokenText.forTime(spokenTime(time)))
    .replace(/<1m/g, spokenText.underAMinute)

/** The parts are safe already, because they are texts of rows. */
const sentence = (parts: readonly string[]): SafeText =>
  ours(
    `${parts
      .map((part) => part.replace(/ {2,}/g, ' ').trim())
      .filter((part) => part !== '')
      .join(', ')
      .replace(/[.]+$/, '')}.`,
  )

// oxlint-disable-next-line no-control-regex -- colour sequences are what is taken out
const colours = /\u001b\[[0-9;:]*m/g
