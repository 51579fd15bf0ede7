import { cut, widthOf } from './base/fit.ts'
import { Paint } from './base/Paint.tsx'
import { type HeaderProps, type Part, partsOf } from './lines/header.ts'

/** One line. Parts that do not fit are dropped, the least important first. */
export const Header = (props: HeaderProps) => {
  const parts = fitting(partsOf(props), props.width - 1)
  const used = parts.reduce((sum, part) => sum + widthOf(part.text) + 2, 0)
  const gap = Math.max(0, props.width - 1 - used)
  return (
    <Paint label={parts.map(({ said, text }) => said ?? text).join(', ')}>
      {' '}
      {parts.map(({ key, text, said: _said, shorter: _shorter, least: _least, order: _, ...paint }) => (
        <Paint
          key={key}
          {...paint}
        >{`${text}${key === parts.at(-1)?.key ? '' : '  '}${key === 'branch' || key === 'state' ? ' '.repeat(Math.floor(gap / 2)) : ''}`}</Paint>
      ))}
    </Paint>
  )
}

/**
 * The parts that have room. Longer texts are shortened first, then one part after the other is dropped; what stops the
 * work is cut rather than dropped.
 */
const fitting = (parts: readonly Part[], width: number): readonly Part[] => {
  const over = parts.reduce((sum, part) => sum + widthOf(part.text) + 2, 0) - 2 - width
  if (over <= 0 || parts.length <= 1) return parts
  const last = Math.max(...parts.map((part) => part.order))
  const canShorten = ({ order, shorter = [] }: Part): boolean =>
    // The shortest form of what stops the work would leave out since when, or how much.
    shorter.length > (order <= STOPS && last >= OTHERS ? 1 : 0)
  const long = last < BESIDE ? parts.filter(canShorten) : []
  if (long.length > 0) {
    // One at a time: a short text would not make room for a long one.
    const least = long.reduce((one, other) => (other.order > one.order ? other : one))
    return fitting(
      parts.map((part) => (part === least ? shortened(part) : part)),
      width,
    )
  }
  const dropped = parts.findLast((part) => part.order === last)!
  const { least, ...rest } = dropped
  if (least !== undefined)
    return fitting(
      parts.map((part) => (part === dropped ? { ...rest, text: least } : part)),
      width,
    )
  const room = widthOf(dropped.text) - over
  return last <= STOPS && room >= LEAST
    ? parts.map((part) => (part === dropped ? { ...part, text: cut(part.text, room) } : part))
    : fitting(
        parts.filter((part) => part !== dropped),
        width,
      )
}

/** From this order on a part is dropped before another one is shortened. */
const BESIDE = 10
/** Up to this order a part says why the work stands still. */
const STOPS = 1
/** From this order on a part is dropped before such a reason has its shortest form. */
const OTHERS = 4
/** A reason with less room says nothing. */
const LEAST = 12

const shortened = ({ shorter = [], ...part }: Part): Part => ({ ...part, text: shorter[0]!, shorter: shorter.slice(1) })
