import { memo } from 'react'
import { ours, type SafeText } from '../src/domain/safe-text.ts'
import { type AgentLook, agentLooks, type Look } from './look.ts'
import { Paint } from './Paint.tsx'
import { type Column, Table } from './Table.tsx'

export interface AgentRow {
  readonly id: SafeText
  readonly state: AgentLook
  readonly kind: SafeText
  readonly pid: SafeText
  readonly cpu: SafeText
  readonly memory: SafeText
  readonly beat: SafeText
  /** How full its context is: `72% ⚠`. */
  readonly context: SafeText
  readonly task: SafeText
  readonly selected: boolean
}

export interface AgentTableProps {
  readonly rows: readonly AgentRow[]
  readonly width: number
  readonly empty: SafeText
}

type Key = '  AGENT' | 'KIND' | 'PID' | 'CPU' | 'MEM' | 'BEAT' | 'CTX' | 'TASK'

/** Drawn again only where a row says something new. */
export const AgentTable = memo(
  ({ rows, width, empty }: AgentTableProps) => (rows.length === 0 ? <Paint dim>{`  ${empty}`}</Paint> : <Table columns={columnsFor(width)} rows={rows.map(cells)} />),
  (before, after) =>
    before.width === after.width && before.empty === after.empty && before.rows.length === after.rows.length && before.rows.every((row, index) => sameRow(row, after.rows[index]!)),
)
AgentTable.displayName = 'AgentTable'

const cells = (row: AgentRow): Record<Key, SafeText> => ({
  '  AGENT': ours(`${row.selected ? '▸' : ' '}${agentLooks[row.state].mark} ${row.id}`),
  KIND: row.kind,
  PID: row.pid,
  CPU: row.cpu,
  MEM: row.memory,
  BEAT: row.beat,
  CTX: row.context,
  TASK: row.task,
})

const columnsFor = (width: number): readonly Column<Key>[] => {
  const roomy = width >= 66
  const fixed: readonly Column<Key>[] = [
    { key: 'KIND', width: roomy ? 9 : 0 },
    { key: 'PID', width: width >= 44 ? 7 : 0, align: 'right' },
    { key: 'CPU', width: width >= 50 ? 5 : 0, align: 'right' },
    { key: 'MEM', width: width >= 50 ? 6 : 0, align: 'right' },
    { key: 'BEAT', width: 6, align: 'right' },
    { key: 'CTX', width: width >= 44 ? 7 : 0, align: 'right', look: fullness },
    // Here it also says what it asks, and how that was answered.
    { key: 'TASK', width: width >= 88 ? 28 : roomy ? 14 : 8 },
  ]
  const used = fixed.reduce((sum, column) => sum + (column.width ? column.width + 1 : 0), 0)
  return [{ key: '  AGENT', width: Math.max(6, Math.min(30, width - used - 1)), look: lookOf }, ...fixed]
}

const byMark = new Map<string, Look>(Object.values(agentLooks).map((look) => [look.mark, look]))

/** A crowded context is marked, and yellow besides. */
const fullness = (cell: string): Look | undefined => (cell.includes('⚠') ? { mark: '⚠', word: 'crowded', colour: 'yellow' } : undefined)

/** The cell itself carries the mark of the agent's state. */
const lookOf = (cell: string): Look | undefined => byMark.get(cell.replace('▸', ' ').charAt(1))

const sameRow = (a: AgentRow, b: AgentRow): boolean => (Object.keys(a) as (keyof AgentRow)[]).every((key) => a[key] === b[key])
