import type { Line } from '../../../components/Lines.tsx'
import { fold } from '../../../components/base/fit.ts'
import type { ColourName } from '../../../components/base/theme.ts'
import { usageOfRun, usedWords } from '../../domain/budget/budget.ts'
import { ours, safeLines, safeText, type SafeText, spelledOut } from '../../domain/words/safe-text.ts'
import { clockMinute, clockTime, elapsed, type Instant } from '../../domain/words/time.ts'
import { commonText } from '../../text/common.ts'
import { columnsOver, frontOf } from '../core/overlays.ts'
import type { ConsoleState } from '../core/state.ts'

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

// Open views are drawn with every key, and folding a long text takes long.

/** Caches the lines of long texts by width, the most recently used ones. */
const rememberedTexts = (
  make: (text: string, width: number) => readonly Line[],
): ((text: string, width: number) => readonly Line[]) => {
  const known = new Map<string, { readonly width: number; readonly lines: readonly Line[] }>()
  return (text, width) => {
    if (text.length < LONG) return make(text, width)
    const before = known.get(text)
    const made = before?.width === width ? before : { width, lines: make(text, width) }
    known.delete(text)
    known.set(text, made)
    if (known.size > MOST) known.delete(known.keys().next().value!)
    return made.lines
  }
}

/** The length from which a text is cached, and the number of cached texts. */
const LONG = 1000
const MOST = 40

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

/**
 * The most characters of a text that are shown, and how many of them may be other than ASCII: folding those costs some
 * 15 µs each.
 */
const longest = { characters: 200_000, wide: 30_000 } as const

/** The position at which a long text is cut off; its length if it is not. */
export const shownUntil = (text: string): number => {
  const end = Math.min(text.length, longest.characters)
  for (let at = 0, wide = 0; at < end; at++) if (text.charCodeAt(at) > 0x7e && ++wide > longest.wide) return at
  return end
}

/** The lines that differ, without the common ones. */
export const changedLines = (before: string, after: string): readonly string[] => {
  const [old, now] = [before.split('\n'), after.split('\n')]
  const rest = [...now]
  const removed = old.filter((line) => {
    const at = rest.indexOf(line)
    if (at !== -1) rest.splice(at, 1)
    return at === -1
  })
  return [...removed.map((line) => `- ${line}`), ...rest.map((line) => `+ ${line}`)].filter((line) => line.length > 2)
}

/** The places of the words in a text. */
export const placesOf = (text: string, sought: string): readonly (readonly [number, number])[] => {
  if (sought === '') return []
  const places: [number, number][] = []
  const [lower, wanted] = [text.toLowerCase(), sought.toLowerCase()]
  // A letter whose lower case has another length would shift the highlights.
  if (lower.length !== text.length) return []
  for (let at = lower.indexOf(wanted); at !== -1 && places.length < 50; at = lower.indexOf(wanted, at + wanted.length))
    places.push([at, at + wanted.length])
  return places
}
