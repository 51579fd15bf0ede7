import { isOfOwn } from '../domain/own-configuration.ts'
import { ours, type SafeText } from '../domain/safe-text.ts'
import { clockTime } from '../domain/time.ts'
import { readGuard } from '../operations/read-guard.ts'
import { trustConfiguration } from '../operations/trust-configuration.ts'
import type { Line } from '../../components/Lines.tsx'
import type { Desk } from './desk.ts'
import { heading, paragraph, verbatim, widthIn } from './detail-lines.ts'
import { itemOf, settle } from './inbox/settle.ts'
import { open } from './overlays.ts'
import { type SheetContent, sheetOfLines } from './sheets.ts'
import type { ConsoleState, Transition } from './state.ts'
import { guardText } from '../text/requests.ts'

// What git or aiswarm obeys in this repository has changed: a person looks at the lines and accepts them, or mends it.

export interface GuardOverlay {
  readonly kind: 'guard'
  /** As it was read when the view was opened: exactly this is accepted. */
  readonly hash: string
  readonly since: string
  readonly changes: readonly string[]
  readonly top: number
}

export const whyNotGuard = ({ board }: ConsoleState): string | undefined => (board.attention.some(({ kind }) => kind === 'configuration') ? undefined : guardText.unchanged)

/** Over what `before` leaves of the screen, once it was read. */
export const openGuard = (desk: Desk, before: Transition = (state) => state): void =>
  desk.read(readGuard, {}, (guard) => {
    const changed = guard?.changed
    if (changed) desk.change((state) => open({ kind: 'guard', hash: changed.hash, since: changed.since, changes: changed.lines, top: 0 })(before(state)))
    else desk.tell(guardText.unchanged)
  })

export const trust = (desk: Desk): void => {
  const { overlay } = desk.state().view
  if (overlay?.kind !== 'guard') return
  settle(desk, itemOf(desk.state(), { kind: 'configuration' }), guardText.did, trustConfiguration, { hash: overlay.hash }, () => guardText.isAccepted)
}

export const guardSheet = (state: ConsoleState, { changes, since }: GuardOverlay): SheetContent =>
  sheetOfLines(ours(guardText.title), [
    ...paragraph(guardText.since(clockTime(since)), widthIn(state)),
    ...(changes.every(isOfOwn) ? [] : paragraph(guardText.why, widthIn(state))),
    ...(changes.some(isOfOwn) ? paragraph(guardText.whyOwn, widthIn(state)) : []),
    ...heading(guardText.changes),
    ...changes.flatMap((line) => verbatim(line, widthIn(state)).map((one) => coloured(one, line))),
  ])

const coloured = (line: Line, raw: string): Line => ({ ...line, colour: raw.startsWith('+') ? 'green' : 'red' })

export const guardAnswer: SafeText = ours(guardText.answer)
