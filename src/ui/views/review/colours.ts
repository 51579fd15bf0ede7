import type { CodeParts } from '../../../../components/base/code.ts'
import { type DiffIndex, hunkOf, kindOf, neighbourHunk } from '../../../domain/words/unified-diff.ts'
import type { Feed } from '../../core/registry.ts'
import type { ConsoleState } from '../../core/state.ts'
import { themeOf } from '../../core/theme.ts'
import { sheetHeight } from '../../panes/movement.ts'
import { spelt } from './diff-layout.ts'
import { isColoured, keepParts } from './diff-lines.ts'
import { approvalIn, reviewDocument, reviewOf, standing } from './review.ts'
import { diffOf } from './state.ts'

/** A line that is visible or will be after a page, and has no colours yet. */
interface Wanted {
  readonly index: DiffIndex
  readonly line: number
  readonly path: string
}

/** Colours the lines of the review that are visible, after the frame that shows them: a chunk in each turn. */
export const startColours: Feed = (_options, store, careful) => {
  let [isRunning, hasStopped] = [false, false]
  const run = careful(async () => {
    const { languageOf, partsIn } = await import('./highlighter.ts')
    for (let wanted = firstWanted(store.getState()); wanted && !hasStopped; wanted = firstWanted(store.getState())) {
      const { index, line, path } = wanted
      const language = languageOf(path)
      colourAround(index, line, (lines) => (language === undefined ? [] : partsIn(language, lines)))
      if (language !== undefined) store.setState(({ coloured }) => ({ coloured: coloured + 1 }))
      await new Promise((next) => setImmediate(next))
    }
  })
  const stop = store.subscribe((state) => {
    if (isRunning || !firstWanted(state)) return
    isRunning = true
    setImmediate(() => void run().finally(() => (isRunning = false)))
  })
  return () => {
    hasStopped = true
    stop()
  }
}

const firstWanted = (state: ConsoleState): Wanted | undefined => {
  const overlay = approvalIn(state.view.overlay)
  if (!overlay || themeOf(state.preferences.theme).diff === null) return undefined
  const loaded = reviewOf(state, overlay.worktree)
  const document = loaded && reviewDocument(state, overlay)
  if (!document) return undefined
  const height = sheetHeight(state)
  const { top } = standing(document, overlay, height)
  for (let row = top; row < Math.min(document.total, top + 2 * height); row++) {
    const { file, line } = document.placeOf(row)
    const found = loaded.review.files[file]
    const index = found && line >= 0 ? diffOf(loaded, found) : undefined
    if (index && line < index.count && !isColoured(index, line)) return { index, line, path: found!.path }
  }
  return undefined
}

// Colours a part of a diff at a time: a hunk, or 200 lines of a longer one. Both versions of it are read as code.

const LINES = 200
/** Longer lines are not code that a person wrote; they would take long. */
const LONGEST = 500
/** Characters of one version that are read at once: some ten milliseconds. */
const MOST = 24_000

/** Finds the parts of lines, such as the highlighter's. */
type FindParts = (lines: readonly string[]) => readonly CodeParts[]

/** Colours the lines around one of them. */
export const colourAround = (index: DiffIndex, line: number, find: FindParts): void => {
  const [first, end] = chunkOf(index, line)
  for (let at = first; at < end; at++) keepParts(index, at, [])
  if (kindsIn(index, first, end).has('removed')) colourVersion(index, first, end, 'removed', find)
  colourVersion(index, first, end, 'added', find)
}

const chunkOf = (index: DiffIndex, line: number): readonly [first: number, end: number] => {
  const hunk = hunkOf(index, line)
  const next = neighbourHunk(index, hunk, 1)
  const first = hunk + Math.floor((line - hunk) / LINES) * LINES
  return [first, Math.min(next === -1 ? index.count : next, first + LINES)]
}

const kindsIn = (index: DiffIndex, first: number, end: number): ReadonlySet<string> =>
  new Set(Array.from({ length: end - first }, (_, n) => kindOf(index, first + n)))

const colourVersion = (
  index: DiffIndex,
  first: number,
  end: number,
  own: 'added' | 'removed',
  find: FindParts,
): void => {
  const [lines, texts]: [number[], string[]] = [[], []]
  let size = 0
  for (let line = first; line < end && size < MOST; line++) {
    const kind = kindOf(index, line)
    if (kind !== own && kind !== 'context') continue
    const length = index.ends[line]! - index.starts[line]!
    const text = length > LONGEST ? '' : spelt(index, line)
    lines.push(line)
    texts.push(text)
    size += text.length
  }
  for (const [n, parts] of find(texts).entries()) keepParts(index, lines[n]!, parts)
}
