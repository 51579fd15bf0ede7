import { InvalidArgumentError } from 'commander'
import type { Connection } from '../../../operations/door/connection.ts'
import { act, perform } from '../../../operations/door/perform.ts'
import { requestIntegration } from '../../../operations/integration/request-integration.ts'
import { pickRacer } from '../../../operations/races/pick-racer.ts'
import { readRaceFacts, unverifiedRacers } from '../../../operations/races/race-facts.ts'
import type { RaceView } from '../../../operations/races/race-view.ts'
import { readRace } from '../../../operations/races/read-race.ts'
import { startRace } from '../../../operations/races/start-race.ts'
import { stopRace } from '../../../operations/races/stop-race.ts'
import { type Answer, type Call, given, open } from '../../call/command.ts'
import { raceText } from '../../print/race-text.ts'
import { refuseToLose } from '../worktrees/discard.ts'

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
