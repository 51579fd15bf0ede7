import { agentsThere } from '../../../domain/sandbox/unconfined.ts'
import { clockTime, duration, elapsed } from '../../../domain/words/time.ts'
import { ours, safeText } from '../../../domain/words/safe-text.ts'
import type { HostView } from '../../../operations/hosts/list.ts'
import { fit } from '../../../../components/base/fit.ts'
import type { Line } from '../../../../components/Lines.tsx'
import type { SheetProps } from '../../../../components/Sheet.tsx'
import { paragraph, widthIn } from '../../rows/lines.ts'
import { topFor } from '../../core/layout.ts'
import type { ConsoleState } from '../../core/state.ts'
import { hostText } from '../../../text/hosts.ts'
import { hostAt, type HostsOverlay } from './hosts.ts'

/** Columns of the fixed parts; the name takes what is left, up to its length. */
const COLUMN = { state: 22, agents: 7, worktrees: 6, seen: 7 } as const
const FIXED = 1 + COLUMN.state + COLUMN.agents + COLUMN.worktrees + COLUMN.seen

/** The headings, the visible hosts, and below them what is known of the selected one. */
export const hostsWindow = (
  state: ConsoleState,
  overlay: HostsOverlay,
  height: number,
): Omit<SheetProps, 'width' | 'height'> => {
  const { hosts, at } = overlay
  const width = widthIn(state)
  const name = Math.max(8, Math.min(width - FIXED, 1 + Math.max(...hosts.map((host) => nameOf(host).length))))
  const rest = Math.max(0, width - FIXED - name)
  const below = about(hostAt(overlay), width)
  const rows = rowsIn(height - 1, hosts.length, below.length)
  const cursor = Math.min(at, hosts.length - 1)
  const top = topFor(overlay.top, cursor, rows, hosts.length)
  const shown = hosts.slice(top, top + rows)
  const left = Math.max(0, height - 1 - shown.length)
  return {
    title: ours(hostText.title(hosts.length)),
    lines: [
      { text: ours(rowOf(hostText.head, name, rest)), dim: true },
      ...shown.map((host, n) => lineOf(state, host, { name, rest, cursor: top + n === cursor })),
      ...(left > below.length ? [{ text: ours('') }] : []),
      ...below.slice(0, left),
    ],
    top,
    total: hosts.length,
  }
}

/** Hosts that a small screen shows even if not all that is known of the selected one fits below them. */
const LEAST = 3

const rowsIn = (height: number, hosts: number, below: number): number =>
  Math.max(1, height - 1 - below, Math.min(hosts, LEAST, height - 1))

/** Lines below the list; the worktrees with which a host came back need more. */
const BELOW = 3
const MOST_BACK = 4

/** Lines of the view: all of it. */
export const hostsHeight = (state: ConsoleState, overlay: HostsOverlay): number =>
  overlay.hosts.length + 1 + BELOW + moreLines(hostAt(overlay), widthIn(state))

const moreLines = (host: HostView | undefined, width: number): number =>
  holdLines(host, width).length + agentLines(host, width).length + backLines(host).length

const about = (host: HostView | undefined, width: number): readonly Line[] =>
  host === undefined
    ? []
    : [
        // By what a person may have to do: a small screen shows the first of it.
        ...holdLines(host, width),
        ...backLines(host).map((text) => cut(text, width)),
        ...agentLines(host, width),
        cut(host.labels.length === 0 ? hostText.noLabels : hostText.labels(host.labels.join(', ')), width),
        cut(host.kinds === null ? hostText.noKinds : hostText.kinds(host.kinds.join(', ')), width),
      ].map((line): Line => ({ ...line, dim: true }))

const cut = (text: string, width: number): Line => ({ text: ours(fit(safeText(text), width)) })

const holdLines = (host: HostView | undefined, width: number): readonly Line[] => {
  const why = host?.hold ?? null
  if (why !== null) return paragraph(hostText.hold(why), width)
  return host?.resumesOnStart === true ? paragraph(hostText.untilStart, width) : []
}

const agentLines = (host: HostView | undefined, width: number): readonly Line[] =>
  host === undefined || host.agents === null ? [] : paragraph(agentsThere(host.agents), width)

const backLines = (host: HostView | undefined): readonly string[] => {
  const back = host?.returned ?? []
  return [
    ...back.slice(0, MOST_BACK).map(({ worktree, successor }) => hostText.back(worktree, successor)),
    ...(back.length > MOST_BACK ? [hostText.backMore(back.length - MOST_BACK)] : []),
  ]
}

const nameOf = ({ name, here }: HostView): string => `${safeText(name)}${here ? hostText.here : ''}`

const lineOf = (
  { now }: ConsoleState,
  host: HostView,
  { name, rest, cursor }: { readonly name: number; readonly rest: number; readonly cursor: boolean },
): Line => {
  const { state, silentSince, running, maxParallel, worktrees, beatAt, program } = host
  const isAway = silentSince !== null || state === 'lost' || state === 'gone'
  const isAmber = host.hold !== null || host.unpushedSince !== null
  const row = {
    name: nameOf(host),
    state: stateOf(host),
    agents: maxParallel === null ? String(running) : `${running}/${maxParallel}`,
    worktrees: String(worktrees),
    seen: beatAt === null ? '–' : duration(elapsed(beatAt, now)),
    program: safeText(program ?? ''),
  }
  return {
    text: ours(rowOf(row, name, rest)),
    lead: ours(''),
    cursor,
    dim: isAway && !cursor,
    ...(isAmber ? { colour: 'yellow' } : {}),
  }
}

const stateOf = ({ state, silentSince, beatAt, hold, unpushedSince }: HostView): string => {
  if (silentSince !== null) return hostText.silent(clockTime(silentSince))
  if (beatAt === null) return state === 'draining' ? hostText.gone : hostText.noWorker
  if (state === 'up' && hold !== null) return hostText.onHold
  return state === 'up' && unpushedSince !== null ? hostText.unpushed(clockTime(unpushedSince)) : state
}

interface Row {
  readonly name: string
  readonly state: string
  readonly agents: string
  readonly worktrees: string
  readonly seen: string
  readonly program: string
}

const rowOf = ({ name, state, agents, worktrees, seen, program }: Row, width: number, rest: number): string =>
  [
    // A space follows also a name that is cut.
    fit(fit(name, width - 1), width),
    fit(state, COLUMN.state),
    fit(agents, COLUMN.agents),
    fit(worktrees, COLUMN.worktrees),
    fit(seen, COLUMN.seen),
    rest > 8 ? fit(program, rest) : '',
  ].join('')
