import { usageOfRun, usedWords } from '../../domain/budget/budget.ts'
import { ours, safeLines, safeText, spelledOut, type SafeText } from '../../domain/words/safe-text.ts'
import { clockMinute, clockTime, elapsed, type Instant } from '../../domain/words/time.ts'
import type { Line } from '../../../components/Lines.tsx'
import type { ColourName } from '../../../components/base/theme.ts'
import { columnsOver, frontOf } from '../core/overlays.ts'
import type { ConsoleState } from '../core/state.ts'
import { fold } from '../../../components/base/fit.ts'
import { rememberedTexts, shownUntil } from './folded.ts'
import { commonText } from '../../text/common.ts'

// The lines of a sheet: facts, headings and folded texts.

export const heading = (words: string, colour: ColourName = 'cyan'): readonly Line[] => [
  { text: ours('') },
  { text: ours(words), bold: true, colour },
]

export const fact = (name: string, value: string | number | null): readonly Line[] =>
  value === null || value === ''
    ? []
    : [{ text: ours(`${name.padEnd(FACT)}${safeText(String(value).slice(0, LONGEST_FACT))}`) }]

/** As `fact`, for a value that a narrow screen would truncate: it continues below its beginning. */
export const longFact = (name: string, value: string | null, width: number): readonly Line[] =>
  value === null || value === ''
    ? []
    : fold(safeText(value.slice(0, LONGEST_FACT)), Math.max(10, width - FACT)).map((line, at) => ({
        text: ours(`${(at === 0 ? name : '').padEnd(FACT)}${line}`),
      }))

/** Columns of the name of a fact. */
const FACT = 14

/** The limit of a value in one line, which no terminal shows completely. */
const LONGEST_FACT = 4000

/**
 * Text of several lines, each folded to the width; of a very long one the beginning. Text before a carriage return
 * stays visible, because it may be the author's name.
 */
export const paragraph = rememberedTexts((text, width) => {
  const end = shownUntil(text)
  const lines = safeLines(text.slice(0, end).replace(/\r(?!\n)/g, ' '))
    .flatMap((line) => fold(plain(line), width))
    .map((line): Line => ({ text: line }))
  return end === text.length
    ? lines
    : [...lines, { text: ours(commonText.charactersMore(text.length - end)), dim: true }]
})

/** As `paragraph`, for foreign text, which is read aloud unchanged. `head` are our words before it. */
export const written = (text: string, width: number, head = ''): readonly Line[] =>
  paragraph(`${head}${text}`, width).map((line, at) => {
    if (at > 0 || head === '') return { ...line, theirs: true }
    return line.text.startsWith(head)
      ? { ...line, lead: ours(head), text: line.text.slice(head.length) as SafeText, theirs: true }
      : line
  })

/** As `paragraph`, for text that a person decides about: nothing of it is hidden. */
export const verbatim = rememberedTexts((text, width) =>
  spelledOut(text)
    .flatMap((line) => fold(line, width))
    .map((line) => ({ text: line, theirs: true })),
)

/** Columns of a text in the front view. */
export const widthIn = (state: Pick<ConsoleState, 'table' | 'view' | 'preferences'>): number => {
  const front = frontOf(state, state.view.overlay)
  return Math.max(10, (front ? columnsOver(state, front) : state.view.size.columns) - 4)
}

/** The time of day, with the date if it is more than a day ago, `27 Jan 03:39`. */
export const moment = ({ now }: ConsoleState, at: Instant): string =>
  Math.abs(elapsed(at, now)) < 86_400_000 ? clockTime(at) : clockMinute(at, now)

/** `, 12k in 3k out, $0.42`; empty if nothing is known. */
export const usageWords = (run: Parameters<typeof usageOfRun>[0]): string => {
  const words = usedWords(usageOfRun(run))
  return words === '' ? '' : `, ${words}`
}

// Colours inside a folded text would continue in the next line.
// oxlint-disable-next-line no-control-regex -- colour sequences are what is taken out
const plain = (line: SafeText): SafeText => line.replace(/\u001b\[[0-9;:]*m/g, '') as SafeText
