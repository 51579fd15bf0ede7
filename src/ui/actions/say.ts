import { nowMeans } from '../../domain/agent/message.ts'
import { say, stopTurn } from '../../operations/messages/say.ts'
import type { AgentView } from '../../operations/views/views.ts'
import type { Controller } from '../core/controller.ts'
import { choiceField, type Form, textField } from '../core/form.ts'
import { closeOver, open } from '../core/overlays.ts'
import { agentAtHand, agentOf, taskAtHand, worktreeAtHand } from '../core/selection.ts'
import type { ConsoleState } from '../core/state.ts'
import { sayForm as words } from '../../text/forms.ts'

/** The agent of the selected row: itself, the one that has the task, or the one that works in the worktree. */
const agentToHear = (state: ConsoleState): AgentView | undefined => {
  const { about, overlay } = state.view
  if (overlay?.kind === 'conversation') return agentOf(state, state.talk.runs.at(-1)?.agentId ?? null)
  if (about === 'agents') return agentAtHand(state)
  if (about === 'board') return agentOf(state, taskAtHand(state)?.assignedAgentId ?? null)
  const worktree = worktreeAtHand(state)?.name
  return state.board.agents.find(
    (agent) => worktree !== undefined && agent.assignedWorktree === worktree && agent.status !== 'terminated',
  )
}

export const whyNotSay = (state: ConsoleState): string | undefined =>
  agentToHear(state) === undefined ? words.noAgent : undefined

export const openSay = (controller: Controller): void => {
  const agent = agentToHear(controller.state())!
  controller.change(open({ kind: 'form', form: sayForm(controller, agent) }))
}

/** Says beforehand what "now" means for the agent's kind. */
const sayForm = ({ connection: { core } }: Controller, agent: AgentView): Form => {
  const speech = core.speech?.(agent.kind) ?? 'tools'
  const { now, turn, stop, attempt } = words.whens
  const whens =
    agent.status === 'terminated'
      ? [attempt]
      : speech === 'inject'
        ? [now, turn, stop, attempt]
        : speech === 'restart'
          ? [now, turn, attempt]
          : [now, attempt]
  return {
    kind: 'say',
    title: words.title(agent.id, agent.kind),
    at: 0,
    fields: [
      { ...textField('text', words.labels.text, words.hint, { lines: true }), heard: words.now(nowMeans[speech]) },
      choiceField('when', words.labels.when, whens, now),
    ],
    submit: (controller, values, form) => submitSay(controller, agent.id, values['text'] ?? '', values['when']!, form),
  }
}

const submitSay = (controller: Controller, agentId: string, text: string, chosen: string, form: Form): void => {
  const { turn, stop, attempt } = words.whens
  if (text === '' && chosen !== stop) return controller.tell(words.needsWords, 'refused')
  controller.change(closeOver)
  // A refusal loses nothing that was typed.
  const again = (): void => controller.change(open({ kind: 'form', form }))
  const when = chosen === turn ? 'turn' : chosen === attempt ? 'attempt' : 'now'
  const speak = (): void =>
    controller.perform(say, { agentIds: [agentId], text, when }, () => words.queued(agentId, chosen), again)
  if (chosen !== stop) return speak()
  controller.perform(
    stopTurn,
    { agentId },
    () => {
      if (text !== '') speak()
      return words.queued(agentId, chosen)
    },
    again,
  )
}
