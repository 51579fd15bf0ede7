import { memo } from 'react'
import { Box } from 'ink'
import { ours, type SafeText } from '../src/domain/words/safe-text.ts'
import { fit, widthOf } from './base/fit.ts'
import type { IntegrationLook } from './base/look.ts'
import { Paint } from './base/Paint.tsx'
import { headings } from '../src/text/panes.ts'
import { heardRows } from '../src/text/screen-reader.ts'
import { rowText } from '../src/text/states.ts'

export interface WorktreeRow {
  readonly name: SafeText
  readonly branch?: SafeText
  /** The name of its host, or empty; nothing is drawn if all are. */
  readonly host?: SafeText
  /** True if that host has not been heard of. */
  readonly isAway?: boolean
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
  /** The reason why it does not move, shown if it has no other state. */
  readonly reason?: SafeText
  /** Replaces the mark while it is verified or merged. */
  readonly spinner?: SafeText | undefined
  readonly selected: boolean
}

export interface WorktreesProps {
  readonly rows: readonly WorktreeRow[]
  readonly width: number
  readonly focused: boolean
  /** False in a pane of one line. */
  readonly headed?: boolean
  readonly empty: SafeText
}

export const Worktrees = ({ rows, width, focused, headed = true, empty }: WorktreesProps) => {
  if (rows.length === 0) return <Paint dim>{`  ${empty}`}</Paint>
  const columns = columnsFor(width, rows)
  const { name, size, age, branch, host } = columns
  return (
    <Box flexDirection="column" aria-role="list">
      {headed ? (
        <Paint dim hidden>
          {` ${fit(headings.worktree, name)} ${fit(headings.position, POSITION)} ${size > 0 ? `${fit(headings.lines, size)} ` : ''}${age > 0 ? `${fit(headings.age, age, 'right')}  ` : ' '}${host > 0 ? `${fit(headings.host, host)}  ` : ''}${branch > 0 ? `${fit(headings.branch, branch)}  ` : ''}${headings.state}`}
        </Paint>
      ) : null}
      {rows.map((row) => (
        <Row key={row.name} {...row} columns={JSON.stringify(columns)} focused={focused} />
      ))}
    </Box>
  )
}

/** Columns of the numbers of commits. */
const POSITION = 7

interface Columns {
  readonly name: number
  readonly size: number
  readonly age: number
  readonly branch: number
  readonly host: number
}

const columnsFor = (width: number, rows: readonly WorktreeRow[]): Columns => {
  const longest = (of: (row: WorktreeRow) => string): number => Math.max(0, ...rows.map((row) => widthOf(of(row))))
  // A long name gets up to a third: the rest shows its conflicts.
  const longestName = longest(({ name }) => name)
  const named = Math.max(widthOf(headings.worktree), Math.min(longestName, Math.floor(width / 3)))
  const longestBranch = longest(({ branch = '' }) => branch)
  const branch = longestBranch === 0 ? 0 : Math.min(28, Math.max(widthOf(headings.branch), longestBranch))
  const age = width >= 44 ? 5 : 0
  const longestHost = longest(({ host = '' }) => host)
  const host = longestHost === 0 ? 0 : Math.min(12, Math.max(widthOf(headings.host), longestHost))
  const others = (host ? host + 2 : 0) + 1 + 1 + POSITION + 1 + age + 2
  // The lines are left out where they would cut the reason why a worktree does not move.
  const reasons = longest((row) =>
    row.verified === '' && row.says === '' && row.warns === '' ? (row.reason ?? '') : '',
  )
  const size = width >= 60 && width - others - (LINES + 1) - named >= Math.min(reasons, REASON) ? LINES : 0
  const used = others + (size ? size + 1 : 0)
  const shownBranch = width - used - named - branch - 2 >= STATE ? branch : 0
  const room = width - used - (shownBranch ? shownBranch + 2 : 0)
  return { name: Math.max(named, Math.min(20, room - REASON)), size, age, branch: shownBranch, host }
}

/** Columns of the numbers of lines. */
const LINES = 12

/** The columns of a state before which a branch is left out, and of a reason before which a name has no more than it needs. */
const [STATE, REASON] = [24, 40] as const

const Row = memo(
  ({
    name,
    branch = ours(''),
    host = ours(''),
    isAway = false,
    ahead,
    behind,
    added,
    removed,
    dirty,
    verified,
    look,
    says,
    warns,
    time = ours(''),
    reason = ours(''),
    spinner,
    selected,
    columns: widths,
    focused,
  }: WorktreeRow & { columns: string; focused: boolean }) => {
    const columns = JSON.parse(widths) as Columns
    const known = ahead !== null
    const position = known ? `↑${ahead} ↓${behind}` : ''
    const size = known ? `${`+${added}`.padStart(6)} ${`−${removed}`.padEnd(5)}` : ''
    const uncommitted = dirty !== null && dirty > 0 ? rowText.dirty(dirty) : ''
    return (
      <Paint
        bold={selected}
        label={heardRows.worktree({
          name,
          ahead,
          behind,
          says: `${host} ${verified} ${says} ${time} ${warns} ${reason} ${uncommitted}`,
          selected,
        })}
      >
        <Paint colour={focused ? 'cyan' : undefined}>{selected ? '▸' : ' '}</Paint>
        <Paint dim={isAway}>{`${fit(name, columns.name)} `}</Paint>
        <Paint dim={!selected}>
          {`${fit(position, POSITION)} ${columns.size > 0 ? `${fit(size, columns.size)} ` : ''}${columns.age > 0 ? fit(time, columns.age, 'right') : ''}`}
          {columns.host > 0 ? `  ${fit(host, columns.host)}` : ''}
          {columns.branch > 0 ? `  ${fit(branch, columns.branch)}` : ''}
        </Paint>
        {verified === '' ? '' : <Paint colour="green">{`  ${verified}`}</Paint>}
        {says === '' ? (
          ''
        ) : (
          <Paint colour={look?.colour} dim={look?.dim}>{`  ${look ? `${spinner ?? look.mark} ` : ''}${says}`}</Paint>
        )}
        {verified === '' && says === '' && warns === '' ? <Paint dim={!selected}>{`  ${reason}`}</Paint> : ''}
        {warns === '' ? '' : <Paint colour="yellow">{`  ⚠ ${warns}`}</Paint>}
        {uncommitted === '' ? '' : <Paint colour="yellow">{`  ${uncommitted}`}</Paint>}
      </Paint>
    )
  },
)
Row.displayName = 'WorktreeRow'
