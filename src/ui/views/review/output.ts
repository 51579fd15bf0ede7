import type { Line } from '../../../../components/Lines.tsx'
import { fold, widthOf } from '../../../../components/base/fit.ts'
import { ours, safeText, type SafeText } from '../../../domain/words/safe-text.ts'
import { outputText } from '../../../text/integration.ts'
import type { SheetContent } from '../../core/registry.ts'
import type { ConsoleState } from '../../core/state.ts'
import { widthIn } from '../../rows/lines.ts'
import type { LoadedOutput } from './state.ts'

/** The complete output of a verification. */
export const outputSheet = (state: ConsoleState, worktree: string): SheetContent => {
  const title = safeText(outputText.title(worktree))
  const output = state.output?.worktree === worktree ? state.output : null
  if (!output) return sheetOf(title, [{ text: ours(outputText.isBeingRead), dim: true }])
  const left: readonly Line[] = output.left === 0 ? [] : [{ text: ours(outputText.before(output.left)), dim: true }]
  return sheetOf(title, [...left, ...foldedIn(output, widthIn(state))])
}

const sheetOf = (title: SafeText, lines: readonly Line[]): SheetContent => ({
  title,
  total: lines.length,
  line: (row) => lines[row]!,
})

/** The row with which the output of a failed verification opens: two above its first error. */
export const rowOfError = (state: ConsoleState, output: LoadedOutput): number =>
  Math.max(0, foldedIn(output, widthIn(state)).findIndex(({ inverse }) => inverse === true) - 2)

/** The lines at a width; they are folded once, however often they are drawn. */
const foldedIn = (output: LoadedOutput, width: number): readonly Line[] => {
  const known = remembered.get(output)
  if (known?.width === width) return known.lines
  const plain = output.lines.map((line) => line.replace(colours, '') as SafeText)
  const error = output.failed ? firstError(plain) : -1
  const lines = plain.flatMap((line, n) => {
    const look: Omit<Line, 'text'> = { theirs: true, ...(n === error ? errorLook : {}) }
    return widthOf(line) <= width ? [{ ...look, text: line }] : fold(line, width).map((text) => ({ ...look, text }))
  })
  remembered.set(output, { width, lines })
  return lines
}

const remembered = new WeakMap<LoadedOutput, { readonly width: number; readonly lines: readonly Line[] }>()

// oxlint-disable-next-line no-control-regex -- colour sequences are what is taken out
const colours = /\u001b\[[0-9;:]*m/g

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
