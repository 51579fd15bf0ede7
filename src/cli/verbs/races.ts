import { InvalidArgumentError } from 'commander'
import { budgetWords, limitWords, usedWords } from '../../domain/budget/budget.ts'
import { safeText } from '../../domain/words/safe-text.ts'
import { clockTime } from '../../domain/words/time.ts'
import { requestIntegration } from '../../operations/integration/request.ts'
import type { Connection } from '../../operations/perform/core.ts'
import { act, perform } from '../../operations/perform/perform.ts'
import { pickRacer, stopRace } from '../../operations/races/end.ts'
import { factRows, type RaceFacts, racerName, readRaceFacts, unverifiedRacers } from '../../operations/races/facts.ts'
import { type RaceView, readRace } from '../../operations/races/race.ts'
import { startRace } from '../../operations/races/start.ts'
import { type Answer, type Call, given, open } from '../call/command.ts'
import { blocks, columns } from '../print/columns.ts'
import { refuseToLose } from './worktrees.ts'

interface Wanted {
  readonly id: number
  readonly kinds: readonly string[] | undefined
  readonly models: readonly string[] | undefined
  readonly costUsd: number | undefined
  readonly tokens: number | undefined
  readonly verify: boolean
  readonly pick: string | undefined
  readonly stop: boolean
}

/** Starts a race, shows it, verifies its racers, picks one of them, or stops it. */
export const race = async (call: Call, wanted: Wanted): Promise<Answer> => {
  const { id, kinds, verify, pick, stop } = wanted
  refuseMixed(wanted)
  const racers = kinds === undefined ? undefined : racersOf(kinds, wanted.models)
  const connection = await open(call)
  if (racers) return shown(connection, await start(connection, wanted, racers))
  if (pick !== undefined) return shown(connection, await pickOne(connection, id, pick))
  if (stop) {
    await refuseLosses(connection, await read(connection, id), undefined)
    return shown(connection, await act(connection, stopRace, { taskId: id }))
  }
  if (verify)
    // The person who picks approves the merge afterwards, whatever the target allows.
    for (const worktreeName of unverifiedRacers(await read(connection, id)))
      await act(connection, requestIntegration, { worktreeName, requireHumanApproval: true })
  return shown(connection, await read(connection, id))
}

const refuseMixed = ({ kinds, models, costUsd, tokens, verify, pick, stop }: Wanted): void => {
  const deeds = [kinds !== undefined, verify, pick !== undefined, stop].filter(Boolean).length
  if (deeds > 1) throw new InvalidArgumentError('Pass only one of --kinds, --verify, --pick and --stop.')
  if (kinds === undefined && (models ?? costUsd ?? tokens) !== undefined)
    throw new InvalidArgumentError('--models and the budgets belong to a new race. Pass --kinds as well.')
}

/** One kind with several models, or kinds with a model each. */
const racersOf = (
  kinds: readonly string[],
  models: readonly string[] | undefined,
): readonly { kind: string; model?: string }[] => {
  const racers =
    models === undefined
      ? kinds.map((kind) => ({ kind }))
      : kinds.length === 1
        ? models.map((model) => ({ kind: kinds[0]!, model }))
        : kinds.map((kind, at) => ({ kind, ...given('model', models[at]) }))
  if (models !== undefined && racers.length !== models.length)
    throw new InvalidArgumentError(`--models must name one model for each of the ${kinds.length} kinds.`)
  if (racers.length < 2)
    throw new InvalidArgumentError('A race needs at least two racers: several kinds, or one kind with several models.')
  return racers
}

const start = (
  connection: Connection,
  { id, costUsd, tokens }: Wanted,
  racers: readonly { kind: string; model?: string }[],
): Promise<RaceView> =>
  act(connection, startRace, {
    taskId: id,
    racers: [...racers],
    ...(costUsd === undefined && tokens === undefined
      ? {}
      : { budget: { ...given('costUsd', costUsd), ...given('tokens', tokens) } }),
  })

const read = ({ core, actor }: Connection, taskId: number): Promise<RaceView> =>
  perform(core, readRace, { taskId }, actor)

const pickOne = async (connection: Connection, id: number, racer: string): Promise<RaceView> => {
  await refuseLosses(connection, await read(connection, id), racer)
  return act(connection, pickRacer, { taskId: id, racer })
}

/** Refuses before anything is stopped if a worktree that ends has what its archive would not keep. */
const refuseLosses = async (connection: Connection, { racers, status }: RaceView, winner: string | undefined) => {
  if (status !== 'running') return
  for (const { worktree, agentId } of racers)
    if (worktree.status === 'active' && worktree.folder === 'ready' && worktree.name !== winner && agentId !== winner)
      await refuseToLose(connection, worktree.name)
}

const shown = async (connection: Connection, view: RaceView): Promise<Answer> => {
  const facts = await readRaceFacts(connection, view)
  return { json: facts, text: raceText(facts) }
}

/** The racers as columns, a fact per row. */
const raceText = (race: RaceFacts): string =>
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
