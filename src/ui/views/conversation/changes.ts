import { diffLines } from 'diff'
import type { Edit } from '../../../domain/agent/conversation.ts'

/** One line of a change. */
export interface ChangedLine {
  readonly sign: '+' | '-' | ' '
  readonly text: string
}

/** Larger texts are not compared: all their lines count as replaced (characters). */
const COMPARED = 100_000

/** Unchanged lines that are shown around a change. */
const AROUND = 3

/** The changed lines of an edit with the lines around them; computed once for each edit. */
export const changesOf = (edit: Edit): readonly ChangedLine[] => {
  const known = computed.get(edit)
  if (known) return known
  const lines =
    edit.before.length + edit.after.length > COMPARED || edit.before === ''
      ? [...signed('-', edit.before), ...signed('+', edit.after)]
      : compared(edit)
  computed.set(edit, lines)
  return lines
}

/** The numbers of added and removed lines. */
export const countsOf = (edits: readonly Edit[]): { readonly added: number; readonly removed: number } => {
  const lines = edits.flatMap(changesOf)
  const count = (wanted: string): number => lines.filter(({ sign }) => sign === wanted).length
  return { added: count('+'), removed: count('-') }
}

const computed = new WeakMap<Edit, readonly ChangedLine[]>()

const signed = (sign: ChangedLine['sign'], text: string): readonly ChangedLine[] =>
  text === ''
    ? []
    : text
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => ({ sign, text: line }))

const compared = ({ before, after }: Edit): readonly ChangedLine[] => {
  const parts = diffLines(before, after)
  return parts.flatMap(({ added, removed, value }, at): readonly ChangedLine[] => {
    if (added) return signed('+', value)
    if (removed) return signed('-', value)
    const lines = signed(' ', value)
    return lines.filter((_, n) => (at > 0 && n < AROUND) || (at < parts.length - 1 && n >= lines.length - AROUND))
  })
}
