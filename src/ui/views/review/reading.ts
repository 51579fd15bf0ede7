import type { ReviewFile } from '../../../contracts/review.ts'
import { reviewRefusals } from '../../../text/integration.ts'
import type { ConsoleState, Transition } from '../../core/state.ts'

/** How a person reads diffs. Both versions are beside each other on a wide screen, unless the person chose. */
export type ReadingStyle = Omit<RowStyle, 'isSplit'> & { readonly isSplit: boolean | null }

export const plainReading: ReadingStyle = { isSplit: null, wraps: true, ignoresBlanks: false }

/** How the lines of a diff become rows. */
export interface RowStyle {
  /** True if both versions of a line are beside each other. */
  readonly isSplit: boolean
  /** True if a long line continues on the next row; otherwise its end is cut off. */
  readonly wraps: boolean
  /** True if lines that differ in blanks only count as unchanged. */
  readonly ignoresBlanks: boolean
}

/** The style of a file's rows: a new or deleted file has one version only. */
export const styleFor = (style: RowStyle, { change }: Pick<ReviewFile, 'change'>): RowStyle => {
  if (!style.isSplit || (change !== 'added' && change !== 'deleted')) return style
  const known = single.get(style) ?? { ...style, isSplit: false }
  single.set(style, known)
  return known
}

const single = new WeakMap<RowStyle, RowStyle>()

/** The columns from which both versions are beside each other. */
const BESIDE = 160

/** How the rows are made: as the person chose, and beside each other on a wide screen. */
export const styleOf = ({ reading, view }: Pick<ConsoleState, 'reading' | 'view'>): RowStyle => {
  const isSplit = (reading.isSplit ?? true) && view.size.columns >= BESIDE
  const known = styles.find((one) => one.reading === reading && one.style.isSplit === isSplit)
  if (known) return known.style
  const style = { ...reading, isSplit }
  styles = [{ reading, style }, ...styles.slice(0, 3)]
  return style
}

let styles: readonly { readonly reading: ReadingStyle; readonly style: RowStyle }[] = []

// How a person reads diffs: in this console, until they change it.

export const whyNotSplit = ({ view }: ConsoleState): string | undefined =>
  view.size.columns >= BESIDE ? undefined : reviewRefusals.tooNarrow(BESIDE)

export const toggleSplit: Transition = (state) => ({
  ...state,
  reading: { ...state.reading, isSplit: !styleOf(state).isSplit },
})

export const toggle =
  (what: keyof Pick<ReadingStyle, 'wraps' | 'ignoresBlanks'>): Transition =>
  (state) => ({ ...state, reading: { ...state.reading, [what]: !state.reading[what] } })
