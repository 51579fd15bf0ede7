import { fold } from '../../../components/base/fit.ts'
import type { SafeText } from '../../domain/words/safe-text.ts'
import { spokenText } from '../../text/screen-reader.ts'

// Sentences wrap, within the lines that the screen leaves for all of them.

/** Additional lines of the keys and the header as sentences; a small screen keeps enough for a pane. */
export const linesSpoken = (columns: number, rows: number): number =>
  Math.max(0, Math.min(columns < 100 ? 3 : 1, rows - 10))

/** A wrapped sentence. */
type Folded = readonly SafeText[]

export const foldedTo = (columns: number, sentences: readonly SafeText[]): readonly Folded[] =>
  sentences.map((text) => fold(text, columns))

export interface PaneRead {
  readonly sentences: readonly Folded[]
  /** Lines that the layout assigns to it. */
  readonly height: number
  /** True if the last sentence matters most, instead of the selected one. */
  readonly last: boolean
}

/**
 * The panes with the lines that fit; unused lines go to a truncated sentence of another pane, then to the first pane
 * that has more.
 */
export const inRoom = <Pane extends PaneRead>(
  panes: readonly Pane[],
): readonly (Omit<Pane, 'sentences'> & { readonly sentences: Folded })[] => {
  // There is no border below the last pane.
  let spare = 1 + panes.reduce((sum, { sentences, height }) => sum + Math.max(0, height - sentences.flat().length), 0)
  const given = (wanted: number): number => {
    const more = Math.max(0, Math.min(spare, wanted))
    spare -= more
    return more
  }
  const whole = panes.map((pane) => pane.height + given((pane.sentences[keptIn(pane)]?.length ?? 0) - pane.height))
  return panes.map((pane, at) => ({
    ...pane,
    sentences: linesRead(pane, whole[at]! + given(pane.sentences.flat().length - whole[at]!)),
  }))
}

/** The index of the sentence that matters most. */
const keptIn = ({ sentences, last }: PaneRead): number =>
  last ? sentences.length - 1 : sentences.findIndex(([line]) => line?.startsWith(spokenText.selected))

/**
 * At most so many lines of whole sentences, including the one that matters most; if that is longer, only its beginning.
 */
const linesRead = (pane: PaneRead, height: number): Folded => {
  const { sentences } = pane
  const kept = keptIn(pane)
  let [from, to] = [0, sentences.length]
  while (to - from > 1 && sentences.slice(from, to).flat().length > height) {
    if (to - 1 > kept) to--
    else from++
  }
  return sentences.slice(from, to).flat().slice(0, height)
}
