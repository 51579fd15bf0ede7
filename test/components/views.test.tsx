import { expect, test } from 'vitest'
import { ours } from '../../src/domain/words/safe-text.ts'
import { Columns, type Card } from '../../components/Columns.tsx'
import { Timeline } from '../../components/Timeline.tsx'
import { Tree, type TreeRow } from '../../components/Tree.tsx'
import { draw, drawRaw, widest } from './frame.tsx'

const card = (id: number, change: Partial<Card> = {}): Card => ({
  id,
  state: 'pending',
  title: ours(`Task ${id}`),
  asks: false,
  selected: false,
  ...change,
})

test('columns are side by side with their counts, and a sign marks hidden columns', () => {
  expect(
    draw(
      <Columns
        width={60}
        focused
        before
        after
        columns={[
          {
            column: 'pending',
            count: 12,
            current: true,
            cards: [card(3, { selected: true }), card(40, { state: 'blocked', asks: true })],
          },
          {
            column: 'working',
            count: 1,
            current: false,
            cards: [card(5, { state: 'claimed', title: ours('A title that is too long for it') })],
          },
          { column: 'failed', count: null, current: false, cards: [] },
        ]}
      />,
      60,
    ),
  ).toEqual([
    '‹ ○ pending 12        ● working 1         ✗ failed        ›',
    '▸ ○ 3 Task 3          ◐ 5 A title that…   –',
    ' ⚑◌ 40 Task 40',
  ])
})

const row = (id: number, change: Partial<TreeRow> = {}): TreeRow => ({
  id,
  state: 'pending',
  says: ours('pending'),
  title: ours(`Task ${id}`),
  level: 0,
  beyond: null,
  also: ours(''),
  critical: false,
  asks: false,
  matches: true,
  selected: false,
  ...change,
})

test('the tree shows dependents below their task, and marks the critical path with its own sign', () => {
  const rows = [
    row(1, { critical: true }),
    row(2, { level: 1, critical: true, selected: true }),
    row(9, { level: 2, also: ours('also 1') }),
    row(4, { asks: true }),
    row(7, { level: 0, beyond: 'left' }),
    row(8, { level: 3, beyond: 'right' }),
  ]
  expect(draw(<Tree rows={rows} width={50} focused empty={ours('')} />, 50)).toEqual([
    '    TASK  ◆ critical path',
    '  ◆ 1 ○ pending  Task 1',
    '▸ ◆ └─2 ○ pending  Task 2',
    '      └─9 ○ pending  Task 9                 also 1',
    ' ⚑  4 ○ pending  Task 4',
    '    ‹ 7 ○ pending  Task 7',
    '        ›─8 ○ pending  Task 8',
  ])
})

test('a tree row outside the filter has a dot, for people who cannot see dim letters', () => {
  const rows = [row(1, { matches: false }), row(2, { level: 1 }), row(3, { matches: false, asks: true })]
  expect(draw(<Tree rows={rows} width={50} focused empty={ours('')} />, 50).slice(1)).toEqual([
    ' ·  1 ○ pending  Task 1',
    '    └─2 ○ pending  Task 2',
    ' ⚑  3 ○ pending  Task 3',
  ])
})

test('cards and rows with wide titles keep their width', () => {
  const title = ours('実装する認証フロー'.repeat(9))
  expect(
    widest(
      drawRaw(
        <Columns
          width={41}
          focused
          before={false}
          after={false}
          columns={[{ column: 'failed', count: 1, current: true, cards: [card(1, { title })] }]}
        />,
        80,
      ).split('\n'),
    ),
  ).toBeLessThanOrEqual(40)
  expect(
    widest(drawRaw(<Tree rows={[row(1, { title })]} width={41} focused empty={ours('')} />, 80).split('\n')),
  ).toBeLessThanOrEqual(41)
})

test('the bar of the timeline marks the position at both ends and in between', () => {
  const bar = (at: number, of: number) =>
    draw(
      <Timeline
        at={at}
        of={of}
        event={ours('14:22:30  ada  claim task')}
        after={ours('+4m10')}
        playing={false}
        width={40}
      />,
      40,
    )
  expect(bar(0, 10)[0]).toBe(' ‖ ●─────────────────────── 0/10 +4m10')
  expect(bar(5, 10)[0]).toBe(' ‖ ━━━━━━━━━━━━●─────────── 5/10 +4m10')
  expect(bar(10, 10)).toEqual([' ‖ ━━━━━━━━━━━━━━━━━━━━━━● 10/10 +4m10', ' 14:22:30  ada  claim task'])
  expect(bar(0, 0)[0]).toContain('●')
})
