import { expect, test } from 'vitest'
import { ours } from '../../src/domain/words/safe-text.ts'
import { Memory, type MemoryProps } from '../../components/Memory.tsx'
import { draw, drawRaw, widest } from './frame.tsx'

const tabs = ['Working', 'Decisions', 'Timeline', 'Conversations'].map((name, index) => ({
  name: ours(name),
  shown: index === 1,
}))

const props: MemoryProps = {
  tabs,
  sought: null,
  rows: [
    { text: ours('✓ ADR-004  accepted'), lead: ours(''), cursor: true },
    { text: ours('  └─ blocks ADR-005'), lead: ours('') },
  ],
  top: 0,
  total: 2,
  empty: ours('There are no decisions yet.'),
  width: 60,
  height: 4,
}

test('the memory pane shows its tabs, the current tab in brackets, and a mark at the selected row', () => {
  expect(draw(<Memory {...props} />, 60)).toEqual([
    '╭[Memory]──────────────────────────────────────────────────╮',
    '│ 1 Working [2 Decisions] 3 Timeline  4 Conversations      │',
    '│▸✓ ADR-004  accepted                                      │',
    '│   └─ blocks ADR-005                                      │',
    '│                                                          │',
    '╰──────────────────────────────────────────────────────────╯',
  ])
})

test('the memory pane shows the range of visible rows, and explains an empty list', () => {
  expect(draw(<Memory {...props} top={40} total={100_000} />, 60)[0]).toBe(
    '╭[Memory]──────────────────────────────── 41–43 of 100000 ─╮',
  )
  expect(draw(<Memory {...props} rows={[]} total={0} />, 60)[2]).toBe(
    '│  There are no decisions yet.                             │',
  )
})

test('the memory pane shows the search text in place of the tabs', () => {
  expect(draw(<Memory {...props} sought={ours('/login  2 in Working')} />, 60)[1]).toBe(
    '│ /login  2 in Working                                     │',
  )
})

test('the memory pane cuts long and wide rows at the border', () => {
  const rows = [{ text: ours('実装する認証フロー'.repeat(20)), lead: ours('') }]
  const lines = drawRaw(<Memory {...props} rows={rows} total={1} />, 60).split('\n')
  expect(widest(lines)).toBe(60)
  expect(lines[2]).toContain('…')
})
