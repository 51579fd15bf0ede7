import { nowMeans } from '../../domain/agent/messages.ts'
import { say, stopTurn } from '../../operations/messages/say.ts'
import type { AgentView } from '../../operations/views/agents.ts'
import type { Controller } from '../core/controller.ts'
import { choiceField, type Form, type FormValues, textField } from '../core/form.ts'
import { markedAgents } from '../panes/agents.ts'
import { closeOver, open } from '../core/overlays.ts'
import { agentAtHand, agentOf, frontSubject, taskAtHand, worktreeAtHand } from '../core/selection.ts'
import type { ConsoleState } from '../core/state.ts'
import { sayForm as words } from '../../text/forms.ts'

/** The agent of the view in front or of the selected row: itself, the one that has the task, or the one that works in the worktree. */
export const agentToHear = (state: ConsoleState): AgentView | undefined => {
  const { about } = state.view
  const { agent } = frontSubject(state)
  if (agent !== undefined) return agentOf(state, agent)
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
const sayForm = (controller: Controller, agent: AgentView): Form => {
  const { core } = controller.connection
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
  const { all, marked } = audiences(controller, agent)
  const several = [
    ...(marked.length > 0 ? [words.marked(marked.length)] : []),
    ...(all.length > 1 ? [words.all(all.length)] : []),
  ]
  const templates = Object.keys(core.settings.console.templates)
  return {
    kind: 'say',
    title: words.title(agent.id, agent.kind),
    at: 0,
    fields: [
      { ...textField('text', words.labels.text, words.hint, { lines: true }), heard: words.now(nowMeans[speech]) },
      choiceField('when', words.labels.when, whens, now),
      // A person who has marked agents means them.
      ...(several.length === 0
        ? []
        : [choiceField('to', words.labels.to, [agent.id, ...several], marked.length > 0 ? several[0]! : agent.id)]),
      ...(templates.length === 0
        ? []
        : [choiceField('template', words.labels.template, [words.noTemplate, ...templates], words.noTemplate)]),
    ],
    submit: (own, values, form) => {
      const to = values['to'] ?? agent.id
      submitSay(own, to === agent.id ? [agent.id] : to === words.marked(marked.length) ? marked : all, to, values, form)
    },
  }
}

/** The agents that a message to all reaches, which are those that work now and read messages, and the marked ones. */
const audiences = (
  { state, connection: { core } }: Controller,
  agent: AgentView,
): { readonly all: readonly string[]; readonly marked: readonly string[] } => {
  const reads = state().board.agents.filter(
    (one) => one.id === agent.id || (one.process === 'started' && (core.speech?.(one.kind) ?? 'tools') !== 'none'),
  )
  return { all: reads.map(({ id }) => id), marked: markedAgents(state()) }
}

/** The text of the template, and what was typed below it. */
const textOf = ({ connection: { core } }: Controller, values: FormValues): string =>
  [core.settings.console.templates[values['template'] ?? ''] ?? '', values['text'] ?? '']
    .filter((part) => part.trim() !== '')
    .join('\n\n')

/** `to` names the agents in the receipt. */
const submitSay = (
  controller: Controller,
  agentIds: readonly string[],
  to: string,
  values: FormValues,
  form: Form,
): void => {
  const { turn, stop, attempt } = words.whens
  const text = textOf(controller, values)
  const chosen = values['when']!
  if (text === '' && chosen !== stop) return controller.tell(words.needsWords, 'refused')
  controller.change(closeOver)
  // A refusal loses nothing that was typed.
  const again = (): void => controller.change(open({ kind: 'form', form }))
  const when = chosen === turn ? 'turn' : chosen === attempt ? 'attempt' : 'now'
  const receipt = (): string => words.queued(agentIds.length === 1 ? agentIds[0]! : to, chosen)
  const speak = (): void => controller.perform(say, { agentIds: [...agentIds], text, when }, receipt, again)
  if (chosen !== stop) return speak()
  const stops = (id: string): boolean => {
    const { core } = controller.connection
    return core.speech?.(agentOf(controller.state(), id)?.kind ?? '') === 'inject'
  }
  for (const [n, agentId] of agentIds.filter(stops).entries())
    controller.perform(
      stopTurn,
      { agentId },
      () => {
        if (n === 0 && text !== '') speak()
        return receipt()
      },
      again,
    )
}
