import type { Line } from '../../../../components/Lines.tsx'
import { isOfOwn } from '../../../domain/integration/trusted-configuration.ts'
import { ours, safeText, type SafeText } from '../../../domain/words/safe-text.ts'
import { clockTime } from '../../../domain/words/time.ts'
import { readGuard } from '../../../operations/integration/configuration.ts'
import { trustConfiguration } from '../../../operations/integration/drift-answers.ts'
import { guardText } from '../../../text/inbox.ts'
import { modeText } from '../../../text/keys.ts'
import { itemOf, settle } from '../../actions/answers.ts'
import type { Controller } from '../../core/controller.ts'
import { open, sheetOfLines } from '../../core/overlays.ts'
import type { ReadView, SheetContent } from '../../core/registry.ts'
import type { ConsoleState, Transition } from '../../core/state.ts'
import { heading, paragraph, verbatim, widthIn } from '../../rows/lines.ts'

// The configuration that git or aiswarm obeys here has changed: a person reviews the lines and accepts or repairs them.

interface GuardOverlay {
  readonly kind: 'guard'
  /** The host of the clone; undefined for the main checkout. */
  readonly host?: string | undefined
  /** The hash at the time of opening: exactly this version is accepted. */
  readonly hash: string
  readonly since: string
  readonly changes: readonly string[]
  readonly top: number
}

const whyNotGuard = ({ board }: ConsoleState): string | undefined =>
  board.attention.some(({ kind }) => kind === 'configuration') ? undefined : guardText.unchanged

/** Opens after the read, over the state that `before` returns. */
const openGuard = (
  controller: Controller,
  host = controller.state().board.attention.find(({ kind }) => kind === 'configuration')?.host,
  before: Transition = (state) => state,
): void =>
  controller.read(readGuard, ofHost(host), (guard) => {
    const changed = guard?.changed
    if (changed)
      controller.change((state) =>
        open({ kind: 'guard', host, hash: changed.hash, since: changed.since, changes: changed.lines, top: 0 })(
          before(state),
        ),
      )
    else controller.tell(guardText.unchanged)
  })

const trust = (controller: Controller): void => {
  const { overlay } = controller.state().view
  if (overlay?.kind !== 'guard') return
  settle(
    controller,
    itemOf(controller.state(), { kind: 'configuration', host: overlay.host }),
    guardText.did,
    trustConfiguration,
    { hash: overlay.hash, ...ofHost(overlay.host) },
    ({ host }) => (host === null ? guardText.isAccepted : guardText.isAcceptedThere(host)),
  )
}

const ofHost = (host: string | undefined): { readonly host?: string } => (host === undefined ? {} : { host })

const guardSheet = (state: ConsoleState, { changes, since, host }: GuardOverlay): SheetContent =>
  sheetOfLines(host === undefined ? ours(guardText.title) : safeText(guardText.titleThere(host)), [
    ...paragraph(
      host === undefined ? guardText.since(clockTime(since)) : guardText.sinceThere(clockTime(since)),
      widthIn(state),
    ),
    ...(changes.every(isOfOwn) ? [] : paragraph(guardText.why, widthIn(state))),
    ...(changes.some(isOfOwn) ? paragraph(guardText.whyOwn, widthIn(state)) : []),
    ...heading(guardText.changes),
    ...changes.flatMap((line) => verbatim(line, widthIn(state)).map((one) => coloured(one, line))),
  ])

const coloured = (line: Line, raw: string): Line => ({ ...line, colour: raw.startsWith('+') ? 'green' : 'red' })

const guardAnswer: SafeText = ours(guardText.answer)

// prettier-ignore
export const guard: ReadView<GuardOverlay> = {
  kind: 'guard',
  title: modeText.guard,
  manner: 'reading',
  opens: [{ id: 'guard', keys: ['!'], shown: '!', blocked: whyNotGuard, press: (controller) => openGuard(controller) }],
  keys: [{ id: 'trust', keys: ['y'], shown: 'y', writes: true, answers: true, footer: true, press: trust }],
  also: ['next', 'inbox'],
  empty: {},
  dialog: true,
  content: guardSheet,
  answer: { line: () => guardAnswer, ready: () => true },
  click: null,
  about: { has: ({ kind }) => kind === 'configuration', open: (controller, { host }, before) => openGuard(controller, host, before) },
  asks: () => true,
  shows: (_, { host }, item) => item.kind === 'configuration' && item.host === host,
}
