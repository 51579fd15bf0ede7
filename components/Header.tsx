import { widthOf } from './base/fit.ts'
import { Paint } from './base/Paint.tsx'
import { type HeaderProps, type Part, partsOf } from './lines/header.ts'

/** One line. Parts that do not fit are dropped in the order of their importance, the least important first. */
export const Header = (props: HeaderProps) => {
  const parts = fitting(partsOf(props), props.width - 1)
  const used = parts.reduce((sum, part) => sum + widthOf(part.text) + 2, 0)
  const gap = Math.max(0, props.width - 1 - used)
  return (
    <Paint label={parts.map(({ said, text }) => said ?? text).join(', ')}>
      {' '}
      {parts.map(({ key, text, said: _said, shorter: _shorter, order: _, ...paint }) => (
        <Paint
          key={key}
          {...paint}
        >{`${text}${key === parts.at(-1)?.key ? '' : '  '}${key === 'branch' || key === 'state' ? ' '.repeat(Math.floor(gap / 2)) : ''}`}</Paint>
      ))}
    </Paint>
  )
}

const fitting = (parts: Part[], width: number): Part[] => {
  const used = parts.reduce((sum, part) => sum + widthOf(part.text) + 2, 0) - 2
  if (used <= width || parts.length <= 1) return parts
  const last = Math.max(...parts.map((part) => part.order))
  return fitting(
    last < BESIDE && parts.some(isShortened)
      ? parts.map((part) => (isShortened(part) ? shortened(part) : part))
      : parts.filter((part) => part.order !== last),
    width,
  )
}

/** From this order on a part is dropped before another one is shortened. */
const BESIDE = 10

const isShortened = ({ shorter = [] }: Part): boolean => shorter.length > 0

const shortened = ({ shorter = [], ...part }: Part): Part => ({ ...part, text: shorter[0]!, shorter: shorter.slice(1) })
