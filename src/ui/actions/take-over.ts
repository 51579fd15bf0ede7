import type { Taken } from '../../contracts/conversation.ts'
import { type HandBack, handBacks } from '../../domain/agent/conversation.ts'
import { sshToAgent } from '../../domain/host/ssh.ts'
import { forkAgent } from '../../operations/agents/fork.ts'
import { handBack } from '../../operations/agents/hand-back.ts'
import type { AgentView } from '../../operations/views/agents.ts'
import { forkText as forkWords, takeOverText as words } from '../../text/agents.ts'
import type { Controller } from '../core/controller.ts'
import { choiceField, type Form, textField } from '../core/form.ts'
import { closeOver, open } from '../core/overlays.ts'
import { agentAtHand, agentOf, frontSubject, taskAtHand } from '../core/selection.ts'
import type { ConsoleState } from '../core/state.ts'
import { ask } from './answers.ts'
import { onItsHost } from './open-folder.ts'
import { agentToHear } from './say.ts'

// A person takes an agent's conversation over and hands it back, or begins a copy of it for a task of its own.

/** The agent of the selected row, or the row by which a person holds its task. */
const agentToTake = (state: ConsoleState): AgentView | undefined => {
  const { about } = state.view
  const subject = frontSubject(state).agent
  if (subject !== undefined) {
    const last = agentOf(state, subject)
    return holderFor(state, last) ?? last
  }
  const agent = about === 'agents' ? agentAtHand(state) : agentOf(state, taskAtHand(state)?.assignedAgentId ?? null)
  return holderFor(state, agent) ?? agent
}

const holderFor = ({ board }: ConsoleState, agent: AgentView | undefined): AgentView | undefined =>
  board.agents.find(
    (one) => agent !== undefined && one.parentAgentId === agent.id && isHolder(one) && one.status !== 'terminated',
  )

const isHolder = ({ id, process }: AgentView): boolean => process === 'none' && id.startsWith('human-')

export const whyNotTakeOver = (state: ConsoleState): string | undefined =>
  agentToTake(state) === undefined ? words.noAgent : undefined

/** Asks first, because it stops a process; what the person holds already is handed back or opened again. */
export const takeOver = (controller: Controller): void => {
  const agent = agentToTake(controller.state())!
  if (isHolder(agent))
    return controller.change(
      open({
        kind: 'form',
        form: handBackForm({ holderId: agent.id, agentId: agent.parentAgentId!, taskId: agent.taskId ?? 0 }, true),
      }),
    )
  onItsHost(
    controller,
    agent,
    () => askFor(controller, agent, (own) => begin(own, agent.id)),
    ({ name, ssh, root }) => {
      if (ssh === null || root === null) return controller.tell(words.isElsewhere(agent.id, name), 'refused')
      const there = { argv: sshToAgent(ssh, root, agent.id), folder: controller.connection.core.root, environment: {} }
      askFor(controller, agent, (own) => own.openTaken(there, () => {}))
    },
  )
}

const askFor = (controller: Controller, agent: AgentView, carryOut: (own: Controller) => void): void => {
  const line =
    agent.status !== 'terminated' ? words.asks(agent.id, agent.taskId) : words.isEnded(agent.id, agent.taskId)
  ask(controller, () => ({ lines: [line, words.stays], carryOut }))
}

const begin = (controller: Controller, agentId: string): void => {
  controller.tell(words.stopping(agentId))
  controller.askOutside(
    (outside) => outside.takeOver(agentId, controller.connection.actor),
    (taken) => openTaken(controller, taken),
  )
}

/** Lends the terminal, and asks afterwards how the task goes on. */
const openTaken = (controller: Controller, taken: Taken): void => {
  controller.tell('')
  controller.openTaken(taken, () => controller.change(open({ kind: 'form', form: handBackForm(taken) })))
}

type Held = Pick<Taken, 'holderId' | 'agentId' | 'taskId'>

const handBackForm = (held: Held, opens = false): Form => ({
  kind: 'hand-back',
  title: words.title(held.taskId, held.agentId),
  at: 0,
  fields: [
    choiceField(
      'how',
      words.labels.how,
      [...(opens ? [words.again] : []), ...handBacks.map((how) => words.ways[how])],
      opens ? words.again : words.ways.agent,
    ),
    textField('text', words.labels.text, words.hint, { lines: true }),
  ],
  submit: (controller, values, form) => {
    const how = handBacks.find((one) => words.ways[one] === values['how'])
    controller.change(closeOver)
    if (how === undefined) begin(controller, held.holderId)
    else submit(controller, held, how, values['text'] ?? '', form)
  },
})

const submit = (controller: Controller, held: Held, how: HandBack, text: string, form: Form): void =>
  controller.perform(
    handBack,
    { holderId: held.holderId, how, text },
    ({ taskId, agentId }) => words.receipts[how](taskId, agentId),
    // A refusal loses nothing that was typed.
    () => controller.change(open({ kind: 'form', form })),
  )

export const whyNotFork = (state: ConsoleState): string | undefined =>
  agentToHear(state) === undefined ? forkWords.noAgent : undefined

/** Asks what the copy is to do; a refusal says why the agent's CLI cannot, and what can be done instead. */
export const openFork = (controller: Controller): void =>
  controller.change(open({ kind: 'form', form: forkForm(agentToHear(controller.state())!) }))

const forkForm = ({ id, kind, taskId }: AgentView): Form => ({
  kind: 'fork',
  title: forkWords.title(id, kind),
  at: 0,
  fields: [textField('text', forkWords.label, forkWords.hint(taskId), { lines: true })],
  submit: (controller, values, form) => {
    controller.change(closeOver)
    controller.perform(
      forkAgent,
      { agentId: id, text: values['text'] ?? '' },
      (fork) => forkWords.receipt(fork.id, id, fork.taskId!, fork.assignedWorktree!),
      // A refusal loses nothing that was typed.
      () => controller.change(open({ kind: 'form', form })),
    )
  },
})
