import { expect, test } from 'vitest'
import type { ConsoleState } from '../../../src/ui/core/state.ts'
import { awayWords, silentAfterIn } from '../../../src/ui/rows/hosts.ts'

test('a host does not become silent while the board does not answer this console', () => {
  const board = { limits: { silentAfter: 30_000 } } as ConsoleState['board']
  const words = (cutOff: string | null, beatAt: string): string => {
    const now = '2026-01-30T14:30:00.000Z'
    return awayWords({ state: 'up', beatAt }, { now, silentAfter: silentAfterIn({ board, cutOff, now }) })
  }
  const before = '2026-01-30T14:20:00.000Z'
  expect(words(null, before)).toMatch(/^host silent since/)
  expect(words('2026-01-30T14:20:05.000Z', before)).toBe('')
  expect(words('2026-01-30T14:21:00.000Z', before)).toMatch(/^host silent since/)
})
