import { fit } from '../../../components/base/fit.ts'
import { bytes as amount } from '../../domain/words/bytes.ts'
import { ours, type SafeText } from '../../domain/words/safe-text.ts'
import { kindOf } from '../core/layout.ts'
import { linesSpoken } from '../panes/spoken-lines.ts'
import type { ConsoleState, Transition } from '../core/state.ts'
import { unmeasured } from './reading.ts'
import { gaugeText } from '../../text/logs.ts'

export const toggleGauge: Transition = (state) => ({ ...state, gauge: state.gauge ? null : unmeasured })

/** Columns of one measurement; all have the same width, so that nothing moves while they change. */
const CELL = 30
const CELLS = 6

/**
 * Lines of the gauge on the screen; most screens have room for two measurements per line. Without room it takes none.
 */
export const gaugeHeight = ({ gauge }: Pick<ConsoleState, 'gauge'>, columns: number, rows: number): number => {
  const lines = gauge ? linesFor(columns) : 0
  return kindOf(columns, rows - lines) === 'none' ? 0 : lines
}

/**
 * The reason why its key does not show it. If no other part has room either, the reason would be invisible: then it
 * waits until there is room.
 */
export const whyNotGauge = ({ gauge, preferences, view: { size } }: ConsoleState): string | undefined => {
  const { columns, rows } = size
  if (gauge || kindOf(columns, rows) === 'none') return undefined
  // The lines for a screen reader are released by the other parts.
  const taken = preferences.spoken && kindOf(columns, rows - 1) !== 'none' ? linesSpoken(columns, Infinity) : 0
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
