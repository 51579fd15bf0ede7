import { commitsWords, shortOid } from '../../../domain/integration/external-changes.ts'
import { ours, safeText } from '../../../domain/words/safe-text.ts'
import { clockTime } from '../../../domain/words/time.ts'
import { acceptTarget, putBackTarget } from '../../../operations/integration/drift-answers.ts'
import type { MoveDiff } from '../../../contracts/observations.ts'
import { readWatched, type TargetMoveView } from '../../../operations/integration/drift.ts'
import type { Attention } from '../../../operations/screens/attention.ts'
import type { Line } from '../../../../components/Lines.tsx'
import type { Controller } from '../../core/controller.ts'
import { heading, paragraph, verbatim, widthIn } from '../../rows/lines.ts'
import { ask, itemOf, settle } from '../../actions/answers.ts'
import { open, sheetOfLines } from '../../core/overlays.ts'
import type { SheetContent } from '../../core/registry.ts'
import type { ConsoleState, Transition } from '../../core/state.ts'
import { checkoutText, movedText } from '../../../text/inbox.ts'

// Changes by other programs: a person reviews them, and accepts them or resets the branch.

export interface MovedOverlay {
  readonly kind: 'moved'
  /** The move at the time of opening: exactly this one is accepted or reset. */
  readonly move: TargetMoveView
  readonly diff: MoveDiff
  readonly top: number
}

/** Opens after the read, over the state that `before` returns. */
export const openMoved = (controller: Controller, item: Attention, before: Transition = (state) => state): void =>
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

export const acceptMove = (controller: Controller): void => {
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
export const askPutBack = (controller: Controller): void => {
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

export const movedSheet = (state: ConsoleState, { move, diff }: MovedOverlay): SheetContent => {
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
