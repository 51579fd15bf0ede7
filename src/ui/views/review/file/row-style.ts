import type { ReviewFile } from '../../../../contracts/review.ts'

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
export const BESIDE = 160
