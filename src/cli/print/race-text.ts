import { budgetWords, limitWords, usedWords } from '../../domain/budget/budget.ts'
import { safeText } from '../../domain/words/safe-text.ts'
import { clockTime } from '../../domain/words/time.ts'
import { factRows, racerName } from '../../operations/races/race-table.ts'
import type { RaceFacts } from '../../operations/races/race-facts.ts'
import { blocks, columns } from './columns.ts'

/** The racers as columns, a fact per row. */
export const raceText = (race: RaceFacts): string =>
  blocks([
    `${headOf(race)}: ${safeText(race.title)}`,
    columns(
      ['RACER', ...race.racers.map((racer) => racerName(racer))],
      factRows.map(({ label, cell }) => [label, ...race.racers.map(cell)]),
    ),
    [moneyOf(race), nextOf(race)].filter((line) => line !== '').join('\n'),
  ])

const headOf = ({ taskId, status, startedAt, endedAt, racers }: RaceFacts): string => {
  if (status === 'running') return `Race of task ${taskId}, since ${clockTime(startedAt)}`
  const winner = racers.find(({ picked }) => picked)
  return `Race of task ${taskId}, ${winner ? `decided for ${winner.worktree.name}` : 'stopped'} at ${clockTime(endedAt!)}`
}

const moneyOf = ({ budget, usage, taskId }: RaceFacts): string => {
  const used = usedWords(usage)
  if (limitWords(budget) === 'no limit') return used === '' ? '' : `All racers: ${used}; no budget.`
  const passed = budget.askedAt === null ? '' : ` All racers are paused: answer with 'aiswarm task budget ${taskId}'.`
  return `All racers: ${budgetWords(budget, usage)}.${passed}`
}

const nextOf = ({ taskId, status, racers }: RaceFacts): string => {
  const winner = racers.find(({ picked }) => picked)
  if (winner)
    return `'aiswarm worktree approve ${winner.worktree.name}' approves and merges the picked one. 'aiswarm worktree restore NAME' restores an archived one.`
  if (status !== 'running') return "'aiswarm worktree restore NAME' restores an archived worktree."
  if (racers.some(({ status }) => ['pending', 'claimed', 'in_progress'].includes(status)))
    return "The racers start and work while the console or 'aiswarm run' runs."
  const ready = racers.filter(({ status, commits }) => status === 'completed' && commits > 0)
  if (ready.length === 0)
    return `No racer has completed the task with commits. Retry one ('aiswarm task retry ID'), or end the race with --stop.`
  return ready.some(({ worktree: { integration } }) => integration === null || integration.endedAt !== null)
    ? `'aiswarm task race ${taskId} --verify' merges and verifies them, without approving anything.`
    : `'aiswarm task race ${taskId} --pick WORKTREE' picks one; the others are archived.`
}
