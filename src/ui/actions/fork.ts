import { forkAgent } from '../../operations/agents/fork.ts'
import type { AgentView } from '../../operations/views/agents.ts'
import type { Controller } from '../core/controller.ts'
import { type Form, textField } from '../core/form.ts'
import { closeOver, open } from '../core/overlays.ts'
import type { ConsoleState } from '../core/state.ts'
import { agentToHear } from './say.ts'
import { forkText as words } from '../../text/agents.ts'

export const whyNotFork = (state: ConsoleState): string | undefined =>
  agentToHear(state) === undefined ? words.noAgent : undefined

/** Asks what the copy is to do; a refusal says why the agent's CLI cannot, and what can be done instead. */
export const openFork = (controller: Controller): void =>
  controller.change(open({ kind: 'form', form: forkForm(agentToHear(controller.state())!) }))

const forkForm = ({ id, kind, taskId }: AgentView): Form => ({
  kind: 'fork',
  title: words.title(id, kind),
  at: 0,
  fields: [textField('text', words.label, words.hint(taskId), { lines: true })],
  submit: (controller, values, form) => {
    controller.change(closeOver)
    controller.perform(
      forkAgent,
      { agentId: id, text: values['text'] ?? '' },
      (fork) => words.receipt(fork.id, id, fork.taskId!, fork.assignedWorktree!),
      // A refusal loses nothing that was typed.
      () => controller.change(open({ kind: 'form', form })),
    )
  },
})
