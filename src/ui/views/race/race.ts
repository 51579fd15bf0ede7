import type { Census } from '../../../contracts/observations.ts'
import { requestIntegration } from '../../../operations/integration/request.ts'
import { perform } from '../../../operations/perform/perform.ts'
import { pickRacer, stopRace } from '../../../operations/races/end.ts'
import { type RaceFacts, type RacerFacts, readRaceFacts, unverifiedRacers } from '../../../operations/races/facts.ts'
import { readRace } from '../../../operations/races/race.ts'
import { beyondWords, blockedWords } from '../../../operations/worktrees/census.ts'
import { raceText as words } from '../../../text/tasks.ts'
import { ask } from '../../actions/answers.ts'
import { openApproval, preparedReceipt } from '../../actions/integration.ts'
import type { Controller } from '../../core/controller.ts'
import { open } from '../../core/overlays.ts'
import type { Feed } from '../../core/registry.ts'
import { taskAtHand } from '../../core/selection.ts'
import { changingView, type ConsoleState, type Overlay, type Transition } from '../../core/state.ts'
import { keep } from '../../core/structural-sharing.ts'
import { repeat, throttled } from '../../core/timers.ts'

/** The racers of a task side by side, with a cursor on one of them. */
export interface RaceOverlay {
  readonly kind: 'race'
  /** The task that is raced. */
  readonly taskId: number
  /** The selected racer, from 0. */
  readonly at: number
  readonly top: number
}

export interface RaceContents {
  /** The race that was read last. */
  readonly race: RaceFacts | null
}

/** The view of the race, also below a question about it. */
const raceIn = (overlay: Overlay | null | undefined): RaceOverlay | undefined =>
  !overlay ? undefined : overlay.kind === 'race' ? overlay : raceIn(overlay.behind)

/** The race that the view shows, once it was read. */
export const shownRace = ({ race, view }: ConsoleState): RaceFacts | undefined => {
  const overlay = raceIn(view.overlay)
  return overlay && race?.taskId === overlay.taskId ? race : undefined
}

const selectedRacer = (state: ConsoleState): RacerFacts | undefined =>
  shownRace(state)?.racers[raceIn(state.view.overlay)!.at]

// Key handlers of the view of a race.

export const whyNotRace = (state: ConsoleState): string | undefined =>
  taskAtHand(state) === undefined ? words.noTask : undefined

/** Opens the race of the selected task, or of that in which it is a racer, which is then selected. */
export const openRace = (controller: Controller): void => {
  const { id } = taskAtHand(controller.state())!
  controller.read(readRace, { taskId: id }, ({ taskId, racers }) => {
    const at = Math.max(
      0,
      racers.findIndex((racer) => racer.taskId === id || racer.picked),
    )
    controller.change(open({ kind: 'race', taskId, at, top: 0 }))
  })
}

export const moveRacer =
  (by: number): Transition =>
  (state) => {
    const { overlay } = state.view
    if (overlay?.kind !== 'race') return state
    const last = (shownRace(state)?.racers.length ?? 1) - 1
    return changingView(() => ({ overlay: { ...overlay, at: Math.min(last, Math.max(0, overlay.at + by)) } }))(state)
  }

export const whyNotDecide = (state: ConsoleState): string | undefined => {
  const race = shownRace(state)
  if (!race) return words.reading
  return race.status === 'running' ? undefined : words.ended
}

export const whyNotRead = (state: ConsoleState): string | undefined => {
  const racer = selectedRacer(state)
  if (!racer) return words.reading
  return racer.worktree.status === 'active' ? undefined : words.isArchived(racer.worktree.name)
}

/** Opens the diff of the selected racer, without a request to merge it. */
export const readRacer = (controller: Controller): void => {
  const racer = selectedRacer(controller.state())
  if (racer) controller.change(openApproval(racer.worktree.name, true))
}

/** Merges and verifies every racer that has finished, without approving anything. */
export const verify = (controller: Controller): void => {
  const unverified = unverifiedRacers(shownRace(controller.state())!)
  controller.tell(unverified.length === 0 ? words.nothingToVerify : words.verifying)
  for (const worktreeName of unverified)
    controller.perform(requestIntegration, { worktreeName, requireHumanApproval: true }, preparedReceipt)
}

export const pick = (controller: Controller): void => {
  const { taskId, racers } = shownRace(controller.state())!
  const { worktree } = selectedRacer(controller.state())!
  const others = racers.filter((racer) => racer.worktree.name !== worktree.name)
  withCensus(controller, others, (losses) =>
    ask(controller, () => ({
      lines: [words.picks(worktree.name, taskId), words.approval, ...losses],
      carryOut: (own) => own.perform(pickRacer, { taskId, racer: worktree.name }, () => words.picked(worktree.name)),
    })),
  )
}

export const stop = (controller: Controller): void => {
  const { taskId, racers } = shownRace(controller.state())!
  withCensus(controller, racers, (losses) =>
    ask(controller, () => ({
      lines: [words.stops(taskId), ...losses],
      carryOut: (own) => own.perform(stopRace, { taskId }, () => words.stopped(taskId)),
    })),
  )
}

interface Counted {
  readonly racer: RacerFacts
  readonly census: Census
}

/** The effects on the worktrees that end, one line each. */
const withCensus = (
  controller: Controller,
  racers: RaceFacts['racers'],
  next: (lines: readonly string[]) => void,
  counted: readonly Counted[] = [],
): void => {
  const [racer, ...others] = racers.filter(
    ({ worktree }) => worktree.status === 'active' && worktree.folder === 'ready',
  )
  if (!racer) return next(lossesOf(counted))
  controller.askOutside(
    (outside) => outside.census(racer.worktree.name),
    (census) => withCensus(controller, others, next, [...counted, { racer, census }]),
  )
}

const lossesOf = (counted: readonly Counted[]): readonly string[] => [
  ...(counted.length === 0 ? [] : [words.archives(counted.map(({ racer }) => racer.worktree.name))]),
  ...counted.flatMap(({ racer: { worktree }, census }) => {
    const blocked = blockedWords(census)
    const beyond = beyondWords(census)
    return [
      ...(blocked === undefined ? [] : [words.blocked(worktree.name, blocked)]),
      ...(beyond.length === 0 ? [] : [words.inTrash(worktree.name), ...beyond.map((line) => `· ${line}`)]),
    ]
  }),
]

/** Milliseconds between two reads of the race that is shown: each reads the diff of every racer. */
const OFTEN = 3000

/** Reads the race while its view is open, also below a question. */
export const startRaceFeed: Feed = ({ connection: { core, actor, outside } }, store, careful) => {
  const wanted = (): number | undefined => raceIn(store.getState().view.overlay)?.taskId
  const feed = throttled(
    300,
    careful(async () => {
      const taskId = wanted()
      if (taskId === undefined) return
      const race = await readRaceFacts({ outside }, await perform(core, readRace, { taskId }, actor))
      if (wanted() === taskId)
        store.setState((state): ConsoleState => ({ ...state, race: keep(state.race, race) }), true)
    }),
  )
  const stops = [
    feed.stop,
    repeat(OFTEN, feed.ask),
    store.subscribe(({ view, board }, before) => {
      if (raceIn(view.overlay) && (view.overlay !== before.view.overlay || board !== before.board)) feed.ask()
    }),
  ]
  return () => stops.forEach((stop) => stop())
}
