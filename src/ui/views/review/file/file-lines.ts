import { bytes } from '../../../../domain/words/counts.ts'
import { ours, type SafeText, spelledOut } from '../../../../domain/words/safe-text.ts'
import { contentOf, type DiffIndex, kindOf } from '../../../../domain/words/unified-diff.ts'
import type { ReviewFile } from '../../../../contracts/review.ts'
import { fold } from '../../../../../components/base/fit.ts'
import type { Line } from '../../../../../components/Lines.tsx'
import { riskLooks } from '../../../../../components/base/look.ts'
import { keyed } from '../../../keys/bindings.ts'
import type { ConsoleState } from '../../../core/state.ts'
import { breaksIn } from './text-rows.ts'
import { signs } from './text-line.ts'
import type { Comment } from '../state.ts'
import type { ViewedMark } from '../viewed/viewed.ts'
import { fileText, viewedText } from '../../../../text/integration.ts'

// The rows of one file: its name and facts, its lines, and the comments on them.

/** Columns before the text of a line: its number, its sign. */
export const leadOf = (index: DiffIndex): number =>
  Math.max(3, String(index.numbers.reduce((most, number) => Math.max(most, number), 0)).length) + 2

/** A complete name, with special characters spelt out. */
export const nameOf = (path: string): string => spelledOut(path).join('⟨000A⟩')

/** Its name, its size and its risks. */
export const titleLines = (file: ReviewFile, folded: boolean, width: number, mark: ViewedMark): readonly Line[] => {
  const seen = { viewed: `   ✓ ${viewedText.isViewed}`, changed: `   ↻ ${viewedText.hasChanged}`, unread: '' }[mark]
  const title = `${folded ? '▸' : '▾'} ${nameOf(file.path)}   ${sizeOf(file)}${changeOf(file)}${seen}${folded ? `   ${fileText.folded}` : ''}`
  return [
    ...pieces(title, width).map((text): Line => ({ text, bold: true, colour: 'cyan' })),
    ...reasonLines(file, width),
  ]
}

/** The reasons to review it, in words. */
export const reasonLines = ({ risks }: ReviewFile, width: number, indent = 2): readonly Line[] =>
  risks.flatMap((risk) => {
    const { mark, word, colour } = riskLooks[risk.kind]
    return fold(ours(`${mark} ${word}: ${spelledOut(risk.reason).join(' ')}`), width - indent - 2).map((text, n) => ({
      text: ours(`${' '.repeat(n === 0 ? indent : indent + 2)}${text}`),
      colour,
    }))
  })

export const sizeOf = ({ added, removed, content, size }: ReviewFile): string =>
  added === null
    ? `${content === 'unread' ? fileText.notRead : fileText.binary}, ${bytes(size)}`
    : `+${added} −${removed ?? 0}`

const changeOf = ({ change, from, oldMode, newMode, isUncommitted }: ReviewFile): string => {
  const words = [
    ...(change === 'modified'
      ? []
      : [from === null ? fileText.changes[change] : `${fileText.changes[change]} ${nameOf(from)}`]),
    ...(oldMode !== newMode && oldMode !== NONE && newMode !== NONE ? [fileText.mode(oldMode, newMode)] : []),
    ...(isUncommitted ? [fileText.notCommitted] : []),
  ]
  return words.length === 0 ? '' : `   ${words.join(', ')}`
}

const NONE = '000000'

/** The line shown if there are no lines of the diff. */
export const absence = (
  state: Pick<ConsoleState, 'preferences' | 'table'>,
  file: ReviewFile,
  index: DiffIndex | null | undefined,
): Line | undefined => {
  if (index === undefined) return { text: ours(`  ${keyed(state, fileText.large)}`), dim: true }
  if (index === null) return { text: ours(`  ${fileText.isBeingRead}`), dim: true }
  if (index.binary)
    return {
      text: ours(`  ${fileText.binaryChange(file.oldOid.slice(0, 12), file.newOid.slice(0, 12), bytes(file.size))}`),
      dim: true,
    }
  return index.count === 0 ? { text: ours(`  ${fileText.noLineChanges}`), dim: true } : undefined
}

/** A comment below its line. */
export const commentLines = (comment: Comment, lead: number, width: number): readonly Line[] =>
  pieces(comment.text, Math.max(10, width - lead - 4)).map((text, n) => ({
    text: ours(`${' '.repeat(lead)}${n === 0 ? '✎ ' : '  '}${text}`),
    colour: 'yellow',
    bold: true,
  }))

export const pieces = (text: string, width: number): readonly SafeText[] =>
  spelledOut(text).flatMap((line) => {
    const starts = breaksIn(line, Math.max(1, width))
    return starts.map((start, n) => ours(line.slice(start, starts[n + 1] ?? line.length)))
  })

/** The lines of a diff around one of them, with their signs, for an agent. */
export const quoteOf = (index: DiffIndex, line: number): readonly string[] => {
  const first = Math.max(0, line - 3)
  const shown = Array.from({ length: Math.min(index.count, line + 4) - first }, (_, n) => first + n)
  return shown.map((one) => cut(`${signs[kindOf(index, one)]}${spelledOut(contentOf(index, one).slice(0, 600))[0]}`))
}

const cut = (text: string): string => (text.length > 480 ? `${text.slice(0, 479)}…` : text)
