import { fit } from '../../../components/fit.ts'
import { bytes as amount } from '../../domain/bytes.ts'
import { ours, type SafeText } from '../../domain/safe-text.ts'
import type { Core } from '../../operations/kernel/core.ts'
import { kindOf } from '../layout.ts'
import { linesSpoken } from '../spoken/lines.ts'
import type { ConsoleState, Transition } from '../state.ts'
import { gaugeText } from '../../text/logs.ts'

export type LockWaits = ReturnType<Core['store']['waits']>

/** How long something took (ms), of so many times in all. */
export interface Spread {
  readonly count: number
  readonly p50: number
  readonly p99: number
}

export interface GaugeReading {
  /** From a key to the frame that answers it. */
  readonly keys: Spread
  /** A look at the database, with what comes of it in the store. */
  readonly refreshes: Spread
  /** Written to the terminal. */
  readonly bytes: { readonly all: number; readonly perSecond: number }
  readonly waits: LockWaits
  /** Processes that this one has started: git, editors, measuring programs. */
  readonly own: { readonly running: number; readonly started: number }
  /** How late this process comes to what is due (ms). */
  readonly heldUp: { readonly p99: number; readonly longest: number }
}

const none: Spread = { count: 0, p50: 0, p99: 0 }

export const unmeasured: GaugeReading = {
  keys: none,
  refreshes: none,
  bytes: { all: 0, perSecond: 0 },
  waits: { times: 0, ms: 0, longest: 0 },
  own: { running: 0, started: 0 },
  heldUp: { p99: 0, longest: 0 },
}

export const toggleGauge: Transition = (state) => ({ ...state, gauge: state.gauge ? null : unmeasured })

/** Columns of one measurement; all take the same, so that nothing jumps while they change. */
const CELL = 30
const CELLS = 6

/** Lines that the gauge takes from the screen; few screens are too narrow for two in a line. One that has no room beside the rest takes none. */
export const gaugeHeight = ({ gauge }: Pick<ConsoleState, 'gauge'>, columns: number, rows: number): number => {
  const lines = gauge ? linesFor(columns) : 0
  return kindOf(columns, rows - lines) === 'none' ? 0 : lines
}

/** Why its key does not show it. Where nothing else has room either, no reason could be read: there it waits until there is. */
export const whyNotGauge = ({ gauge, comfort, view: { size } }: ConsoleState): string | undefined => {
  const { columns, rows } = size
  if (gauge || kindOf(columns, rows) === 'none') return undefined
  // What is read aloud gives the rows back that it has taken from the others.
  const taken = comfort.spoken && kindOf(columns, rows - 1) !== 'none' ? linesSpoken(columns, Infinity) : 0
  return gaugeHeight({ gauge: unmeasured }, columns, rows + taken) === 0 ? gaugeText.noRoom : undefined
}

const linesFor = (columns: number): number => Math.ceil(CELLS / perLine(columns))

const perLine = (columns: number): number => Math.min(CELLS, Math.max(2, Math.floor(columns / CELL)))

/** The measurements in lines of `columns`. */
export const gaugeLines = ({ gauge, processes }: Pick<ConsoleState, 'gauge' | 'processes'>, columns: number): readonly SafeText[] => {
  if (!gauge) return []
  const { keys, refreshes, bytes, waits, own, heldUp } = gauge
  const ofAgents = Object.values(processes).reduce((sum, one) => sum + one.processes, 0)
  const cells = [
    keys.count === 0 ? gaugeText.noKey : gaugeText.keys(ms(keys.p50), ms(keys.p99)),
    gaugeText.refresh(ms(refreshes.p50), ms(refreshes.p99)),
    gaugeText.wrote((bytes.perSecond / 1024).toFixed(1), amount(bytes.all)),
    gaugeText.waits(ms(waits.ms), ms(waits.longest)),
    gaugeText.processes(ofAgents, own.running, own.started),
    gaugeText.heldUp(ms(heldUp.p99), ms(heldUp.longest)),
  ]
  const width = Math.floor(columns / perLine(columns))
  const lines = Array.from({ length: linesFor(columns) }, (_, line) => cells.slice(line * perLine(columns), (line + 1) * perLine(columns)))
  return lines.map((line) => ours(line.map((cell) => `${fit(cell, width - 1)} `).join('')))
}

/** `0.4`, `8.1`, `39`. */
const ms = (value: number): string => (value < 10 ? value.toFixed(1) : String(Math.round(value)))
