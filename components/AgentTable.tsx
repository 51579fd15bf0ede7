import { memo } from 'react'
import { Box } from 'ink'
import { ours, type SafeText } from '../src/domain/words/safe-text.ts'
import { type AgentLook, agentLooks, type Look } from './base/look.ts'
import { tail, widthOf } from './base/fit.ts'
import { Paint } from './base/Paint.tsx'
import { type Column, Table } from './Table.tsx'
import { crowded } from '../src/text/panes.ts'

export interface AgentRow {
  readonly id: SafeText
  readonly state: AgentLook
  readonly kind: SafeText
  /** The name of its host; empty where there is one. */
  readonly host?: SafeText
  readonly pid: SafeText
  readonly cpu: SafeText
  readonly memory: SafeText
  readonly beat: SafeText
  /** The time since its state began. */
  readonly time?: SafeText
  /** The context use: `72% ⚠`. */
  readonly context: SafeText
  readonly task: SafeText
  /** Replaces the mark of an active agent while its process shows signs of work. */
  readonly spinner?: SafeText | undefined
  /** True if its host has not been heard of, so that nothing is known of it now. */
  readonly isAway?: boolean
  readonly selected: boolean
  /** It gets a message together with other marked agents. */
  readonly marked?: boolean
}

export interface AgentTableProps {
  readonly rows: readonly AgentRow[]
  readonly width: number
  /** Columns of the longest name of all agents, also of those that are not visible. */
  readonly names?: number
  /** The same of the names of their hosts; 0 where there is one host. */
  readonly hosts?: number
  readonly empty: SafeText
  /** The line for agents that are not shown; empty without any. */
  readonly ended?: SafeText
}

type Key = '  AGENT' | 'KIND' | 'HOST' | 'PID' | 'CPU' | 'MEM' | 'BEAT' | 'TIME' | 'CTX' | 'TASK'

/** Memoised: drawn again only if a row has changed. */
export const AgentTable = memo(
  ({ rows, width, names = 0, hosts = 0, empty, ended = ours('') }: AgentTableProps) => {
    if (rows.length === 0) return <Paint dim>{`  ${ended === '' ? empty : ended}`}</Paint>
    const columns = columnsFor(width, names, hosts)
    return (
      <Box flexDirection="column">
        <Table
          columns={columns}
          rows={rows.map((row) => cells(row, columns))}
          dimmed={rows.map(({ isAway = false }) => isAway)}
        />
        {ended === '' ? null : <Paint dim>{` · ${ended}`}</Paint>}
      </Box>
    )
  },
  (before, after) =>
    before.width === after.width &&
    before.names === after.names &&
    before.hosts === after.hosts &&
    before.ended === after.ended &&
    before.empty === after.empty &&
    before.rows.length === after.rows.length &&
    before.rows.every((row, index) => sameRow(row, after.rows[index]!)),
)
AgentTable.displayName = 'AgentTable'

const ACTIVE = agentLooks.active
const MARK = '◆'

const cells = (row: AgentRow, columns: readonly Column<Key>[]): Record<Key, SafeText> => ({
  // A truncated name keeps its end, which distinguishes agents.
  '  AGENT': ours(
    `${row.selected ? '▸' : ' '}${row.state === 'active' && row.isAway !== true ? (row.spinner ?? ACTIVE.mark) : agentLooks[row.state].mark}${row.marked === true ? MARK : ' '}${tail(row.id, widthIn(columns, '  AGENT') - 3)}`,
  ),
  KIND: row.kind,
  HOST: row.host ?? ours(''),
  PID: row.pid,
  CPU: row.cpu,
  MEM: row.memory,
  BEAT: row.beat,
  TIME: row.time ?? ours(''),
  CTX: row.context,
  TASK: taskWithTime(row, columns),
})

/** Without a column for the time, it follows the task if it fits. */
const taskWithTime = ({ task, time = ours('') }: AgentRow, columns: readonly Column<Key>[]): SafeText => {
  const both = ours(`${task} ${time}`)
  return time === '' || widthIn(columns, 'TIME') > 0 || widthOf(both) > widthIn(columns, 'TASK') ? task : both
}

const widthIn = (columns: readonly Column<Key>[], key: Key): number =>
  columns.find((column) => column.key === key)?.width ?? 0

const columnsFor = (whole: number, names: number, hosts: number): readonly Column<Key>[] => {
  const reserved = Math.max(NAME, names + 3)
  // Which host it is says more than the use of its processor.
  const host = hosts === 0 || whole < 24 + reserved + hosts ? 0 : Math.min(HOST, Math.max('HOST'.length, hosts))
  const width = host === 0 ? whole : whole - host - 1
  // The columns of process use are dropped in favour of the name.
  const roomy = width >= 62 + reserved
  const fixed: readonly Column<Key>[] = [
    { key: 'KIND', width: roomy ? 9 : 0 },
    { key: 'PID', width: width >= 33 + reserved ? 7 : 0, align: 'right' },
    { key: 'CPU', width: width >= 46 + reserved ? 5 : 0, align: 'right' },
    { key: 'MEM', width: width >= 46 + reserved ? 6 : 0, align: 'right' },
    { key: 'BEAT', width: 6, align: 'right' },
    { key: 'CTX', width: width >= 33 + reserved ? 7 : 0, align: 'right', look: fullness },
    // Also shows the agent's question and its answer.
    { key: 'TASK', width: roomy ? 14 : 8 },
  ]
  const used = fixed.reduce((sum, column) => sum + (column.width ? column.width + 1 : 0), 0)
  const named = Math.max(WHOLE, names + 3)
  const time: Column<Key> = { key: 'TIME', width: width - used - 1 - TIME >= named ? TIME - 1 : 0, align: 'right' }
  const room = width - used - 1 - (time.width ? TIME : 0)
  // A truncated name is ambiguous, so the task gets only columns that names leave.
  const more = Math.max(0, Math.min(14, room - named))
  return [
    { key: '  AGENT', width: Math.max(6, Math.min(Math.max(30, names + 3), room - more)), look: lookOf },
    { key: 'HOST', width: host },
    ...fixed.flatMap((column) =>
      column.key === 'BEAT'
        ? [time, column]
        : column.key === 'TASK'
          ? [{ ...column, width: column.width + more }]
          : [column],
    ),
  ]
}

/** Columns of a name such as `implementer-12` with its mark. */
const WHOLE = 18

/**
 * Columns reserved for the name before those of process use; the columns of the time with its space, which can follow
 * the task.
 */
const NAME = 15
const TIME = 7

/** The longest name of a host that is shown whole. */
const HOST = 12

const byMark = new Map<string, Look>(Object.values(agentLooks).map((look) => [look.mark, look]))

/** A crowded context has a mark in addition to the colour. */
const fullness = (cell: string): Look | undefined =>
  cell.includes('⚠') ? { mark: '⚠', word: crowded, colour: 'yellow' } : undefined

/** The cell itself contains the mark of the agent's state; a spinner is a braille pattern. */
const lookOf = (cell: string): Look | undefined => {
  const mark = cell.replace('▸', ' ').charAt(1)
  return byMark.get(mark) ?? (mark >= '\u2800' && mark <= '\u28ff' ? ACTIVE : undefined)
}

const sameRow = (a: AgentRow, b: AgentRow): boolean =>
  (Object.keys(a) as (keyof AgentRow)[]).every((key) => a[key] === b[key])
