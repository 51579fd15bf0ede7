import type { StoreApi } from 'zustand/vanilla'
import { repeat } from '../core/timers.ts'
import type { ConsoleState } from '../core/state.ts'
import type { Meter } from './meter.ts'

/** Milliseconds between two reads: in step with the clock, so that they cause no additional frame. */
const OFTEN = 1000

/** Reads the meter while its values are shown. Returns a function that ends it. */
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
