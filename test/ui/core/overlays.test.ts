import { describe, expect, it } from 'vitest'
import { ours } from '../../../src/domain/words/safe-text.ts'
import { instant } from '../../../src/domain/words/time.ts'
import { bodyShown, frontBox, open } from '../../../src/ui/core/overlays.ts'
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

  it.each([
    [200, 160],
    [140, 120],
    [120, 100],
    [119, 119],
  ])('with long rows is wider on a screen of %i columns: %i', (columns, width) => {
    expect(boxIn(at(columns, 36, { kind: 'palette', text: '', at: 0 }))?.columns).toBe(width)
  })

  it('is as tall as its text, and takes the whole body if the text is longer', () => {
    expect(boxIn(at(200, 50, text(6)))?.lines).toBe(8)
    expect(boxIn(at(200, 50, text(60)))).toMatchObject({ top: 0, lines: 46 })
  })

  it.each([
    [1, 3],
    [10, 12],
    [45, 46],
    [5000, 46],
  ])('is as tall as its rows: of %i lines of the logs it takes %i', (entries, lines) => {
    const entry = (seq: number) =>
      ({ seq, time: ours(''), agent: ours(''), look: 'info', trouble: false, text: ours('x') }) as const
    const logs = { entries: Array.from({ length: entries }, (_, seq) => entry(seq)), dropped: 0 }
    expect(boxIn({ ...at(200, 50, log), logs })).toMatchObject({ top: 0, left: 0, columns: 200, lines })
  })

  it('of lists is as tall as they are, at the top of the panes', () => {
    const inbox: Overlay = { kind: 'inbox', at: null, since: instant(0), top: 0, marked: [] }
    const radar: Overlay = { kind: 'radar', row: 0, column: 0, top: 0, pair: null }
    const filters: Overlay = { kind: 'filters', at: 0, top: 0 }
    const filter = { name: 'mine', filter: 'state:failed' }
    const state = (overlay: Overlay): ConsoleState => {
      const plain = at(200, 50, overlay)
      return { ...plain, kept: { ...plain.kept, filters: [filter, filter] } }
    }
    expect([filters, radar, inbox].map((overlay) => boxIn(state(overlay))?.lines)).toEqual([4, 3, 5])
    expect([filters, radar, inbox].map((overlay) => boxIn(state(overlay))?.top)).toEqual([0, 0, 0])
  })

  it('is as wide as the screen for a screen reader', () => {
    const state = at(200, 50, question)
    expect(boxIn({ ...state, preferences: { ...state.preferences, spoken: true } })?.columns).toBe(200)
  })
})
