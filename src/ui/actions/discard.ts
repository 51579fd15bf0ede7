import type { Census } from '../../contracts/observations.ts'
import { isOver } from '../../domain/task/task.ts'
import { listTasks } from '../../operations/tasks/list.ts'
import { beyondWords, blockedWords, keptWords, landedWords } from '../../operations/worktrees/census.ts'
import { discardWorktree } from '../../operations/worktrees/discard.ts'
import { intentText, reasonForms, receiptText } from '../../text/forms.ts'
import { actionRefusals } from '../../text/panes.ts'
import type { Controller } from '../core/controller.ts'
import { type Form, textField } from '../core/form.ts'
import { open, replace } from '../core/overlays.ts'
import { worktreeAtHand } from '../core/selection.ts'
import type { ConsoleState } from '../core/state.ts'
import { asked, type Question } from './answers.ts'
import { stoppedWith } from './cancel.ts'

// Discards a worktree.

export const whyNotDiscard = (state: ConsoleState): string | undefined => {
  const worktree = worktreeAtHand(state)
  if (!worktree) return actionRefusals.noWorktree
  if (worktree.status !== 'active') return actionRefusals.worktreeIsOver(worktree.name, worktree.status)
  if (worktree.folder !== 'ready') return actionRefusals.worktreeIsBuilt(worktree.name)
  return undefined
}

export const discard = (controller: Controller): void =>
  controller.change(open({ kind: 'form', form: discardForm(worktreeAtHand(controller.state())!.name) }))

/** Enter destroys nothing: it leads to the question what exactly would happen. */
export const discardForm = (worktree: string): Form => ({
  kind: 'discard',
  title: reasonForms.discard.title(worktree),
  worktree,
  at: 0,
  fields: [textField('reason', reasonForms.label, reasonForms.discard.hint)],
  submit: (controller, { reason = '' }) => {
    if (reason === '') return controller.tell(reasonForms.discard.needsReason, 'refused')
    controller.askOutside(
      (outside) => outside.census(worktree),
      (census) =>
        controller.read(listTasks, { worktree }, (tasks) => {
          const unfinished = tasks.filter((task) => !isOver(task.status)).map((task) => task.id)
          controller.change((state) =>
            state.view.overlay?.kind === 'form'
              ? replace(asked(discardQuestion(state, { worktree, reason, unfinished, census })))(state)
              : state,
          )
        }),
    )
  },
})

interface Discarded {
  readonly worktree: string
  readonly reason: string
  readonly unfinished: readonly number[]
  readonly census: Census
}

const discardQuestion = (state: ConsoleState, { worktree, reason, unfinished, census }: Discarded): Question => {
  const agents = stoppedWith(state, worktree)
  const [landed, blocked, kept, beyond] = [
    landedWords(census),
    blockedWords(census),
    keptWords(census),
    beyondWords(census),
  ]
  return {
    lines: [
      intentText.discard(worktree, reason),
      intentText.cancelsTasks(unfinished),
      intentText.stopsAgents(agents),
      ...(blocked === undefined ? [] : [intentText.folderStays(blocked)]),
      ...(landed === undefined ? [] : [landed]),
      ...(kept.length === 0 ? [intentText.nothingBeside] : [intentText.archives, ...kept.map((line) => `· ${line}`)]),
      ...(beyond.length === 0 ? [] : [intentText.onlyInTrash, ...beyond.map((line) => `· ${line}`)]),
      intentText.restore(worktree),
    ],
    carryOut: (controller) =>
      controller.perform(discardWorktree, { worktreeName: worktree, reason }, () => receiptText.discarded(worktree)),
  }
}
