import { perform } from '../../../operations/perform/perform.ts'
import { readRaceFacts } from '../../../operations/races/facts.ts'
import { readRace } from '../../../operations/races/race.ts'
import { throttled, repeat } from '../../core/timers.ts'
import { keep } from '../../core/structural-sharing.ts'
import type { ConsoleState } from '../../core/state.ts'
import type { Feed } from '../../core/registry.ts'
import { raceIn } from './state.ts'

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
