import { afterEach, expect, test, vi } from 'vitest'
import { growAsUsual, growFast } from '../../../src/effects/opening/runtime.ts'

const v8 = process.getBuiltinModule('node:v8')
afterEach(() => void vi.restoreAllMocks())

test('the young generation grows faster only on a Node whose V8 is known to have the flag', () => {
  const set = vi.spyOn(v8, 'setFlagsFromString').mockImplementation(() => {})
  growFast('25.0.0')
  expect(set).not.toHaveBeenCalled()
  growFast('24.11.0')
  growFast('22.14.0')
  growAsUsual('25.0.0')
  growAsUsual('24.11.0')
  expect(set.mock.calls.map(([flag]) => flag)).toEqual([4, 4, 2].map((by) => `--semi-space-growth-factor=${by}`))
})
