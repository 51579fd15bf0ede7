import { describe, expect, it } from 'vitest'
import { ours } from '../../../src/domain/words/safe-text.ts'
import { instant } from '../../../src/domain/words/time.ts'
import { frontBox } from '../../../src/ui/core/layout/box.ts'
import { bodyShown } from '../../../src/ui/core/lines.ts'
import { open } from '../../../src/ui/core/overlays.ts'
import type { ConsoleState, Overlay } from '../../../src/ui/core/state.ts'
import { resized } from '../../../src/ui/panes/movement.ts'
import { initialState } from '../../../src/ui/store.ts'

const at = (columns: number, rows: number, ...overlays: readonly Overlay[]): ConsoleState =>
  overlays.reduce((state, overlay) => open(overlay)(state), resized(columns, rows)(initialState(instant(0))))
const boxIn = (state: ConsoleState) => frontBox(state, bodyShown(state))

const question: Overlay = {
  kind: 'confirm',
  lines: [ours('Cancel task 1?'), ours('Its agent ends.')],
  carryOut: () => {},
}
const text = (lines: number): Overlay => ({
  kind: 'answer',
  title: ours('doctor'),
  lines: Array.from({ length: lines }, (_, line) => ours(String(line))),
  top: 0,
})
const log: Overlay = { kind: 'logs', place: null, level: 'debug', wrap: false, sought: '', found: null }

describe('a view over the panes', () => {
  it.each([
    [200, 50, { top: 20, left: 50, columns: 100, lines: 5, over: 'panes' }],
    [120, 36, { top: 13, left: 10, columns: 100, lines: 5, over: 'panes' }],
    [80, 24, { top: 15, left: 0, columns: 80, lines: 5, over: 'panes' }],
    [60, 15, { top: 6, left: 0, columns: 60, lines: 5, over: 'panes' }],
    [40, 10, { top: 1, left: 0, columns: 40, lines: 5, over: 'panes' }],
  ])('is as tall as its question at %i×%i', (columns, rows, box) => {
    expect(boxIn(at(columns, rows, question))).toEqual(box)
  })

  it('is as tall as its text, and takes the whole body if the text is longer', () => {
    expect(boxIn(at(200, 50, text(6)))?.lines).toBe(8)
    expect(boxIn(at(200, 50, text(60)))).toMatchObject({ top: 0, lines: 46 })
  })

  it('takes the whole body if its data fill it', () => {
    expect(boxIn(at(200, 50, log))).toMatchObject({ top: 0, left: 0, columns: 200, lines: 46 })
  })

  it('is as wide as the screen for a screen reader', () => {
    const state = at(200, 50, question)
    expect(boxIn({ ...state, preferences: { ...state.preferences, spoken: true } })?.columns).toBe(200)
  })
})
