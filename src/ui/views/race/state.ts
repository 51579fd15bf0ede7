import type { RaceFacts, RacerFacts } from '../../../operations/races/facts.ts'
import type { ConsoleState, Overlay } from '../../core/state.ts'

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
export const raceIn = (overlay: Overlay | null | undefined): RaceOverlay | undefined =>
  !overlay ? undefined : overlay.kind === 'race' ? overlay : raceIn(overlay.behind)

/** The race that the view shows, once it was read. */
export const shownRace = ({ race, view }: ConsoleState): RaceFacts | undefined => {
  const overlay = raceIn(view.overlay)
  return overlay && race?.taskId === overlay.taskId ? race : undefined
}

export const selectedRacer = (state: ConsoleState): RacerFacts | undefined =>
  shownRace(state)?.racers[raceIn(state.view.overlay)!.at]
