import type { Line } from '../../../../../components/Lines.tsx'

// Finds the line of a verification's output from which a person should read.

/** The look of that line, which nothing else on its page has, in any theme. */
export const errorLook = { bold: true, colour: 'red', inverse: true } as const satisfies Partial<Line>

/** The first line that says what failed; -1 if none does. */
export const firstError = (lines: readonly string[]): number =>
  lines.findIndex((line) => line.length < LONGEST && failing.test(line) && !harmless.test(line))

/** Longer lines are data. */
const LONGEST = 2000

const failing =
  /\b(?:errors?|failed|failures?|fatal|panicked|exception|traceback|not ok|undefined reference|cannot find)\b|\w(?:Error|Exception)\b|^\s*(?:[✗✘✖×]|FAIL\b|E {2,})/i
/** A count of none, or a name. */
const harmless = /\b(?:0|no) (?:errors?|failures?|failed|exceptions?)\b|\b(?:errors?|failures?|failed): 0\b/i
