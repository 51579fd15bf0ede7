import type { SafeText } from '../src/domain/words/safe-text.ts'
import { widthOf } from './base/fit.ts'
import { Paint } from './base/Paint.tsx'
import { spokenText } from '../src/text/screen-reader.ts'

export interface FooterKey {
  readonly keys: SafeText
  readonly label: SafeText
  /** A blocked key keeps its place, dimmed. */
  readonly blocked: boolean
  /** The columns of a screen from which it is never dropped for lack of room. */
  readonly staysFrom?: number
}

export interface FooterProps {
  readonly keys: readonly FooterKey[]
  /** At the right edge. */
  readonly last: FooterKey | null
  readonly width: number
}

export const Footer = ({ keys, last, width }: FooterProps) => {
  const end = last ? widthOf(textOf(last)) + 1 : 0
  const shown = fitting(keys, width, width - 2 - end)
  const used = shown.reduce((sum, key) => sum + widthOf(textOf(key)) + 2, 0)
  return (
    <Paint label={spokenOf([...shown, ...(last ? [last] : [])])}>
      {' '}
      {shown.map((key) => (
        <Key key={key.label} {...key} gap="  " />
      ))}
      {' '.repeat(Math.max(0, width - 1 - used - end))}
      {last ? <Key {...last} gap="" /> : ''}
    </Paint>
  )
}

/**
 * The columns of each key in the line, from (inclusive) and to (exclusive), in the order of `keys`, followed by the
 * last one.
 */
export const footerSpans = ({
  keys,
  last,
  width,
}: FooterProps): readonly { readonly key: FooterKey; readonly from: number; readonly to: number }[] => {
  const end = last ? widthOf(textOf(last)) + 1 : 0
  let at = 1
  const spans = fitting(keys, width, width - 2 - end).map((key) => {
    const from = at
    at += widthOf(textOf(key)) + 2
    return { key, from, to: at - 2 }
  })
  const from = at + Math.max(0, width - at - end)
  return last ? [...spans, { key: last, from, to: from + end - 1 }] : spans
}

const Key = ({ keys, label, blocked, gap }: FooterKey & { gap: string }) => (
  <Paint>
    <Paint bold={!blocked} dim={blocked} colour={blocked ? undefined : 'cyan'}>
      {keys}
    </Paint>
    <Paint dim={blocked}>{` ${label}${gap}`}</Paint>
  </Paint>
)

/** A dimmed key is read aloud too. */
const spokenOf = (keys: readonly FooterKey[]): string => {
  const blocked = keys.filter((key) => key.blocked).map(textOf)
  return [
    ...keys.filter((key) => !key.blocked).map(textOf),
    ...(blocked.length === 0 ? [] : [spokenText.notNow(blocked.join(', '))]),
  ].join(', ')
}

const textOf = ({ keys, label }: FooterKey): string => `${keys} ${label}`

/** As many keys as fit: the last are dropped first, except those that stay. */
const fitting = (keys: readonly FooterKey[], columns: number, room: number): readonly FooterKey[] => {
  const used = keys.reduce((sum, key) => sum + widthOf(textOf(key)) + 2, 0)
  const last = keys.findLastIndex(({ staysFrom = Infinity }) => columns < staysFrom)
  return used <= room || keys.length <= 1 || last === -1 ? keys : fitting(keys.toSpliced(last, 1), columns, room)
}
