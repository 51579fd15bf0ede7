import { fold } from '../../../components/fit.ts'
import type { SafeText } from '../../domain/safe-text.ts'
import { spokenText } from '../../text/spoken.ts'

// A sentence that is too long for a line goes on in the next, and all of them together have as many as the screen leaves.

/** Lines that the keys and the header take besides their own where they are sentences; a small screen keeps what it needs for a pane. */
export const linesSpoken = (columns: number, rows: number): number => Math.max(0, Math.min(columns < 100 ? 3 : 1, rows - 10))

/** A sentence in the lines that it takes. */
type Folded = readonly SafeText[]

export const foldedTo = (columns: number, sentences: readonly SafeText[]): readonly Folded[] => sentences.map((text) => fold(text, columns))

export interface PaneRead {
  readonly sentences: readonly Folded[]
  /** Lines that the layout gives it. */
  readonly height: number
  /** What came last is worth most, not what is selected. */
  readonly last: boolean
}

/** The panes with the lines that have room; those that one of them does not need go to a sentence that would be cut, then to the first pane that has more. */
export const inRoom = <Pane extends PaneRead>(panes: readonly Pane[]): readonly (Omit<Pane, 'sentences'> & { readonly sentences: Folded })[] => {
  // There is no border below the last pane.
  let spare = 1 + panes.reduce((sum, { sentences, height }) => sum + Math.max(0, height - sentences.flat().length), 0)
  const given = (wanted: number): number => {
    const more = Math.max(0, Math.min(spare, wanted))
    spare -= more
    return more
  }
  const whole = panes.map((pane) => pane.height + given((pane.sentences[keptIn(pane)]?.length ?? 0) - pane.height))
  return panes.map((pane, at) => ({ ...pane, sentences: linesRead(pane, whole[at]! + given(pane.sentences.flat().length - whole[at]!)) }))
}

/** The sentence that is worth most. */
const keptIn = ({ sentences, last }: PaneRead): number => (last ? sentences.length - 1 : sentences.findIndex(([line]) => line?.startsWith(spokenText.selected)))

/** So many lines of whole sentences, with the one that is worth most; of that one alone as many as there are. */
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
