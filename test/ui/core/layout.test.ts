import fc from 'fast-check'
import { expect, test } from 'vitest'
import { kindOf, layoutOf, topFor } from '../../../src/ui/core/layout.ts'
import { panes } from '../../../src/ui/core/state.ts'

test('the size of the terminal determines the layout', () => {
  expect(kindOf(200, 50)).toBe('wide')
  expect(kindOf(100, 30)).toBe('wide')
  expect(kindOf(120, 36)).toBe('narrow')
  expect(kindOf(80, 24)).toBe('narrow')
  expect(kindOf(60, 15)).toBe('small')
  expect(kindOf(120, 12)).toBe('small')
  expect(kindOf(39, 24)).toBe('none')
  expect(kindOf(20, 5)).toBe('none')
})

test('panes and their borders fit into the body at every size', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 300 }),
      fc.integer({ min: 1, max: 120 }),
      fc.constantFrom(...panes),
      fc.nat(20),
      (columns, rows, pane, taken) => {
        const { kind, rooms, body } = layoutOf(columns, rows, pane, Math.min(taken, Math.max(0, rows - 4)))
        const heights = Object.values(rooms).map((room) => room.height)
        expect(heights.every((height) => height >= 1)).toBe(true)
        const used =
          kind === 'wide'
            ? rooms.board
              ? rooms.board.height + rooms.agents!.height + 3
              : 0
            : heights.length === 0
              ? 0
              : heights.reduce((sum, n) => sum + n + 1, 1)
        expect(used + Math.min(taken, body)).toBeLessThanOrEqual(body)
        if (rows > 4 && kind === 'small' && taken === 0) expect(rooms[pane]).toBeDefined()
      },
    ),
  )
})

test('the selected row is always visible, and the list scrolls no further than necessary', () => {
  expect(topFor(0, 5, 10, 100)).toBe(0)
  expect(topFor(0, 10, 10, 100)).toBe(1)
  expect(topFor(50, 49, 10, 100)).toBe(49)
  expect(topFor(95, 99, 10, 100)).toBe(90)
  expect(topFor(3, 0, 10, 2)).toBe(0)
  fc.assert(
    fc.property(fc.nat(500), fc.nat(499), fc.integer({ min: 1, max: 60 }), (top, selected, height) => {
      const shown = topFor(top, selected, height, 500)
      return shown <= selected && selected < shown + height && shown >= 0 && shown <= Math.max(0, 500 - height)
    }),
  )
})

test('panes are beside each other on a low screen only if rows of the lists would be cut', () => {
  expect([kindOf(120, 30, 26), kindOf(120, 30, 27), kindOf(99, 30, 27)]).toEqual(['narrow', 'wide', 'narrow'])
  expect([kindOf(140, 30, 10), kindOf(120, 32, 100)]).toEqual(['wide', 'narrow'])
})
