import { isOfOwn } from '../../../domain/integration/own-configuration.ts'
import { ours, type SafeText } from '../../../domain/words/safe-text.ts'
import { clockTime } from '../../../domain/words/time.ts'
import { readGuard } from '../../../operations/integration/read-guard.ts'
import { trustConfiguration } from '../../../operations/integration/trust-configuration.ts'
import type { Line } from '../../../../components/Lines.tsx'
import type { Controller } from '../../core/controller.ts'
import { heading, paragraph, verbatim, widthIn } from '../../rows/lines.ts'
import { itemOf, settle } from '../../actions/settle.ts'
import { open } from '../../core/overlays.ts'
import { type SheetContent, sheetOfLines } from '../../core/sheet.ts'
import type { ConsoleState, Transition } from '../../core/state.ts'
import { guardText } from '../../../text/requests.ts'

// The configuration that git or aiswarm obeys here has changed: a person reviews the lines and accepts or repairs them.

export interface GuardOverlay {
  readonly kind: 'guard'
  /** The hash at the time of opening: exactly this version is accepted. */
  readonly hash: string
  readonly since: string
  readonly changes: readonly string[]
  readonly top: number
}

export const whyNotGuard = ({ board }: ConsoleState): string | undefined =>
  board.attention.some(({ kind }) => kind === 'configuration') ? undefined : guardText.unchanged

/** Opens after the read, over the state that `before` returns. */
export const openGuard = (controller: Controller, before: Transition = (state) => state): void =>
  controller.read(readGuard, {}, (guard) => {
    const changed = guard?.changed
    if (changed)
      controller.change((state) =>
        open({ kind: 'guard', hash: changed.hash, since: changed.since, changes: changed.lines, top: 0 })(
          before(state),
        ),
      )
    else controller.tell(guardText.unchanged)
  })

export const trust = (controller: Controller): void => {
  const { overlay } = controller.state().view
  if (overlay?.kind !== 'guard') return
  settle(
    controller,
    itemOf(controller.state(), { kind: 'configuration' }),
    guardText.did,
    trustConfiguration,
    { hash: overlay.hash },
    () => guardText.isAccepted,
  )
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
