import type { StoreApi } from 'zustand/vanilla'
import { repeat } from '../pace.ts'
import type { ConsoleState } from '../state.ts'
import type { Meter } from './meter.ts'

/** Milliseconds between two readings: in step with the clock, so that they cost no frame of their own. */
const OFTEN = 1000

/** Reads the meter while its readings are shown. Gives what ends it. */
export const startGauge = (meter: Meter, store: StoreApi<ConsoleState>): (() => void) => {
  const show = (): void => {
    if (store.getState().gauge) store.setState({ gauge: meter.read() })
  }
  const stops = [
    repeat(OFTEN, show),
    store.subscribe(({ gauge }, { gauge: before }) => {
      if (gauge && !before) show()
      if (!gauge && before) meter.rest()
    }),
    meter.stop,
  ]
  return () => stops.forEach((stop) => stop())
}
