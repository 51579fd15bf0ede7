import { type TargetTests, targetTestsWords } from '../../domain/integration/test-files.ts'
import type { Line } from '../../../components/Lines.tsx'
import { verbatim } from './lines.ts'

/** The fact about the target's versions of changed tests. A failure is a warning: the person may know why they had to change. */
export const withTargetTests = (tests: TargetTests | null | undefined, width: number): readonly Line[] => {
  if (tests === null || tests === undefined) return []
  const passed = tests.exitCode === 0
  return verbatim(`${passed ? '✓' : '⚠'} ${targetTestsWords(tests)}`, width).map((line): Line => ({
    ...line,
    theirs: false,
    colour: passed ? 'green' : 'yellow',
  }))
}
