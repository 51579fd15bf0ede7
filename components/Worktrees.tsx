import { memo } from 'react'
import { Box } from 'ink'
import type { SafeText } from '../src/domain/words/safe-text.ts'
import { fit, widthOf } from './base/fit.ts'
import type { IntegrationLook } from './base/look.ts'
import { Paint } from './base/Paint.tsx'
import { heardRows, rowText } from '../src/text/rows.ts'

export interface WorktreeRow {
  readonly name: SafeText
  /** Null until git has answered. */
  readonly ahead: number | null
  readonly behind: number | null
  readonly added: number | null
  readonly removed: number | null
  readonly dirty: number | null
  /** `verified ✓`, or empty. */
  readonly verified: SafeText
  readonly look: IntegrationLook | null
  /** The meaning of the mark in words, such as `⚠ conflicts with main`. */
  readonly says: SafeText
  /** The conflicts found by the radar, or empty. */
  readonly warns: SafeText
  /** The time since its state began. */
  readonly time?: SafeText
  readonly selected: boolean
}

export interface WorktreesProps {
  readonly rows: readonly WorktreeRow[]
  readonly width: number
  readonly focused: boolean
  readonly empty: SafeText
}

export const Worktrees = ({ rows, width, focused, empty }: WorktreesProps) => {
  const longest = Math.max(0, ...rows.map((row) => widthOf(row.name)))
  // A long name gets up to a third: the rest shows its conflicts.
  const name = Math.max(8, Math.min(20, Math.floor(width / 4)), Math.min(longest, Math.floor(width / 3)))
  return (
    <Box flexDirection="column" aria-role="list">
      {rows.length === 0 ? (
        <Paint dim>{`  ${empty}`}</Paint>
      ) : (
        rows.map((row) => <Row key={row.name} {...row} nameWidth={name} width={width} focused={focused} />)
      )}
    </Box>
  )
}

const Row = memo(
  ({
    name,
    ahead,
    behind,
    added,
    removed,
    dirty,
    verified,
    look,
    says,
    warns,
    time = '' as SafeText,
    selected,
    nameWidth,
    width,
    focused,
  }: WorktreeRow & { nameWidth: number; width: number; focused: boolean }) => {
    const known = ahead !== null
    const position = known ? `↑${ahead} ↓${behind}` : ''
    const size = known && width >= 60 ? `${`+${added}`.padStart(6)} ${`−${removed}`.padEnd(5)}` : ''
    const uncommitted = dirty !== null && dirty > 0 ? ` ${rowText.dirty(dirty)}` : ''
    return (
      <Paint
        bold={selected}
        label={heardRows.worktree({
          name,
          ahead,
          behind,
          says: `${verified} ${says} ${time} ${warns}${uncommitted}`,
          selected,
        })}
      >
        <Paint colour={focused ? 'cyan' : undefined}>{selected ? '▸' : ' '}</Paint>
        {`${fit(name, nameWidth)} `}
        <Paint dim={!selected}>{`${fit(position, 7)} ${size}`}</Paint>
        {verified === '' ? '' : <Paint colour="green">{`  ${verified}`}</Paint>}
        {says === '' ? (
          ''
        ) : (
          <Paint colour={look?.colour} dim={look?.dim}>{`  ${look ? `${look.mark} ` : ''}${says}`}</Paint>
        )}
        {warns === '' ? '' : <Paint colour="yellow">{`  ⚠ ${warns}`}</Paint>}
        {uncommitted === '' ? '' : <Paint colour="yellow">{` ${uncommitted}`}</Paint>}
        {time === '' ? '' : <Paint dim={!selected}>{`  ${time}`}</Paint>}
      </Paint>
    )
  },
)
Row.displayName = 'WorktreeRow'
