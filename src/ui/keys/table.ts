import type { AnyView } from '../core/view-row.ts'
import type { Mode } from '../core/state.ts'
import { keyText, modeText } from '../../text/keys.ts'
import type { BareRow, KeyRow, SharedRow } from './row.ts'

/**
 * The views and keys of a console. It is part of the state, so that dispatch, drawing and sentences read it without
 * naming a view.
 */
export interface ConsoleTable {
  readonly views: Readonly<Record<string, AnyView>>
  /** Every mode with its title in the help, in the order of the help. */
  readonly modes: readonly { readonly mode: Mode; readonly title: string }[]
  readonly rows: readonly KeyRow[]
  /** Modes in which letters are text. */
  readonly typed: ReadonlySet<Mode>
}

/** `shared`: the keys of the panes, and those that views share. */
export const makeTable = (shared: readonly (BareRow | SharedRow)[], views: readonly AnyView[]): ConsoleTable => {
  const written: readonly (BareRow | SharedRow)[] = [
    ...shared,
    ...views.flatMap(({ opens = [], shares = [] }) => [...opens, ...shares]),
  ]
  const rows = [
    ...written.map((row) => ({ ...worded(row), modes: modesOf(row, views) })),
    ...views.flatMap(({ kind, keys }) => keys.map((row) => ({ ...worded(row), modes: [kind] }))),
  ]
  return {
    views: Object.fromEntries(views.map((view) => [view.kind, view])),
    modes: [{ mode: 'list', title: modeText.list }, ...views.map(({ kind, title }) => ({ mode: kind, title }))],
    // The catalogue of words determines the order of the help.
    rows: rows.sort((a, b) => placeOf(a) - placeOf(b)),
    typed: new Set(views.filter(({ manner }) => manner === 'typing').map(({ kind }) => kind)),
  }
}

const worded = (row: BareRow): Omit<KeyRow, 'modes'> => ('help' in row ? row : { ...row, ...keyText[row.id] })

const order: readonly string[] = Object.keys(keyText)

/** A row with its own words comes after those of the catalogue. */
const placeOf = ({ id }: Pick<KeyRow, 'id'>): number => (order.includes(id) ? order.indexOf(id) : order.length)

const modesOf = (row: BareRow | SharedRow, views: readonly AnyView[]): readonly Mode[] => {
  const shared = 'manners' in row ? row : undefined
  const takes = (view: AnyView): boolean =>
    (shared?.manners.includes(view.manner) === true || view.also?.includes(row.id) === true) &&
    view.without?.includes(row.id) !== true
  return [...(shared?.panes === false ? [] : (['list'] as const)), ...views.filter(takes).map(({ kind }) => kind)]
}
