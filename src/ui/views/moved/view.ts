import type { Line } from '../../../../components/Lines.tsx'
import type { MoveDiff } from '../../../contracts/observations.ts'
import { changeWords, commitsWords, shortOid } from '../../../domain/integration/external-changes.ts'
import { ours, safeText } from '../../../domain/words/safe-text.ts'
import { clockTime } from '../../../domain/words/time.ts'
import { acceptCheckout, acceptTarget, putBackTarget } from '../../../operations/integration/drift-answers.ts'
import { type CheckoutChangeView, readWatched, type TargetMoveView } from '../../../operations/integration/drift.ts'
import type { Attention } from '../../../operations/screens/attention.ts'
import { checkoutText, movedText } from '../../../text/inbox.ts'
import { modeText } from '../../../text/keys.ts'
import { ask, itemOf, settle } from '../../actions/answers.ts'
import type { Controller } from '../../core/controller.ts'
import { open, sheetOfLines } from '../../core/overlays.ts'
import type { ReadView, SheetContent } from '../../core/registry.ts'
import type { ConsoleState, Transition } from '../../core/state.ts'
import { shownKey } from '../../keys/bindings.ts'
import { heading, paragraph, verbatim, widthIn } from '../../rows/lines.ts'

// Changes by other programs: a person reviews them, and accepts them or resets the branch.

interface MovedOverlay {
  readonly kind: 'moved'
  /** The move at the time of opening: exactly this one is accepted or reset. */
  readonly move: TargetMoveView
  readonly diff: MoveDiff
  readonly top: number
}

/** Opens after the read, over the state that `before` returns. */
const openMoved = (controller: Controller, item: Attention, before: Transition = (state) => state): void =>
  controller.read(readWatched, {}, ({ moves, checkout }) => {
    if (item.kind === 'checkout') {
      if (checkout === null) return controller.tell(checkoutText.gone)
      return controller.change((state) => open({ kind: 'checkout', change: checkout, top: 0 })(before(state)))
    }
    const move = moves.find(({ target }) => target === item.target)
    if (!move) return controller.tell(movedText.gone)
    controller.askOutside(
      (outside) => outside.readMove(move),
      (diff) => controller.change((state) => open({ kind: 'moved', move, diff, top: 0 })(before(state))),
    )
  })

const acceptMove = (controller: Controller): void => {
  const { overlay } = controller.state().view
  if (overlay?.kind !== 'moved') return
  const { target, to } = overlay.move
  settle(
    controller,
    itemOf(controller.state(), { kind: 'moved', target }),
    movedText.didAccept,
    acceptTarget,
    { target, to },
    () => movedText.accepted(target, shortOid(to)),
  )
}

/** After a question that names both commits. */
const askPutBack = (controller: Controller): void => {
  const { overlay } = controller.state().view
  if (overlay?.kind !== 'moved') return
  const { target, from, to } = overlay.move
  ask(controller, () => ({
    lines: [
      movedText.putBackAsks(target, shortOid(to), shortOid(from)),
      movedText.archives(target),
      movedText.follows,
      movedText.stale,
    ],
    carryOut: (by) =>
      settle(
        by,
        itemOf(by.state(), { kind: 'moved', target }),
        movedText.didPutBack,
        putBackTarget,
        { target, to },
        ({ at }) => movedText.putBack(target, shortOid(at)),
      ),
  }))
}

const movedSheet = (state: ConsoleState, { move, diff }: MovedOverlay): SheetContent => {
  const width = widthIn(state)
  const { target, from, to, commits, agents, since, problem } = move
  const way =
    to === null
      ? movedText.deleted(target, shortOid(from))
      : from === null
        ? movedText.created(target, shortOid(to))
        : movedText.from(target, shortOid(from), shortOid(to))
  const more = commits.added - commits.newest.length
  return sheetOfLines(safeText(movedText.title(target)), [
    ...paragraph(way, width),
    ...paragraph(`${movedText.why(agents.join(', '))} ${movedText.since(clockTime(since))}`, width),
    ...(problem === null ? [] : [...heading(movedText.problem, 'red'), ...paragraph(problem, width)]),
    ...heading(`${movedText.commits}: ${commitsWords(commits)}`),
    ...commits.newest.flatMap((line) => verbatim(line, width)),
    ...(more > 0 ? [{ text: ours(movedText.more(more)), dim: true }] : []),
    ...heading(movedText.diff),
    ...(diff.text === ''
      ? [{ text: ours(diff.complete ? movedText.noDiff : movedText.tooLong), dim: true }]
      : diff.text
          .trimEnd()
          .split('\n')
          .flatMap((line) => coloured(line, width))),
    ...(diff.text !== '' && !diff.complete ? paragraph(movedText.tooLong, width) : []),
  ])
}

const coloured = (line: string, width: number): readonly Line[] => {
  const colour = /^\+(?!\+\+ )/.test(line)
    ? ('green' as const)
    : /^-(?!-- )/.test(line)
      ? ('red' as const)
      : line.startsWith('@@')
        ? ('cyan' as const)
        : undefined
  return verbatim(line, width).map((one) => (colour === undefined ? one : { ...one, colour }))
}

/** A target that was moved neither by aiswarm nor, as far as it knows, by the person. */
// prettier-ignore
export const moved: ReadView<MovedOverlay> = {
  kind: 'moved',
  about: { has: ({ kind }) => kind === 'moved' || kind === 'checkout', open: openMoved },
  title: modeText.moved,
  manner: 'reading',
  keys: [
    { id: 'accept-move', keys: ['y'], shown: 'y', writes: true, answers: true, footer: true, press: acceptMove },
    { id: 'put-back', keys: ['p'], shown: 'p', writes: true, footer: true, press: askPutBack },
  ],
  also: ['next', 'inbox'],
  empty: {},
  dialog: true,
  content: movedSheet,
  answer: { line: (state) => ours(movedText.answer(shownKey(state, 'accept-move'), shownKey(state, 'put-back'))), ready: () => true },
  click: null,
  asks: () => true,
  shows: (_, { move }, item) => item.kind === 'moved' && move.target === item.target,
}

// Changes of the main checkout by other programs: a person reviews and accepts them.

interface CheckoutOverlay {
  readonly kind: 'checkout'
  readonly change: CheckoutChangeView
  readonly top: number
}

const acceptChanges = (controller: Controller): void => {
  const { overlay } = controller.state().view
  if (overlay?.kind !== 'checkout') return
  settle(
    controller,
    itemOf(controller.state(), { kind: 'checkout' }),
    checkoutText.did,
    acceptCheckout,
    { changes: overlay.change.changes },
    () => checkoutText.accepted,
  )
}

const checkoutSheet = (state: ConsoleState, { change: { changes, agents } }: CheckoutOverlay): SheetContent => {
  const width = widthIn(state)
  return sheetOfLines(ours(checkoutText.title), [
    ...paragraph(checkoutText.why(agents.join(', ')), width),
    ...heading(checkoutText.files),
    ...changes.flatMap((change) => verbatim(changeWords(change), width)),
    { text: ours('') },
    ...paragraph(checkoutText.hint, width),
  ])
}

/** Files of the main checkout that changed while agents ran. */
// prettier-ignore
export const checkout: ReadView<CheckoutOverlay> = {
  kind: 'checkout',
  title: modeText.checkout,
  manner: 'reading',
  keys: [{ id: 'accept-checkout', keys: ['y'], shown: 'y', writes: true, answers: true, footer: true, press: acceptChanges }],
  also: ['next', 'inbox'],
  empty: {},
  dialog: true,
  content: checkoutSheet,
  answer: { line: (state) => ours(checkoutText.answer(shownKey(state, 'accept-checkout'))), ready: () => true },
  click: null,
  asks: () => true,
  shows: (_, __, item) => item.kind === 'checkout',
}
