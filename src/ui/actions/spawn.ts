import { spelledOut } from '../../domain/words/safe-text.ts'
import type { TaskView } from '../../operations/views/tasks.ts'
import { spawnAgent } from '../../operations/agents/spawn.ts'
import type { Controller } from '../core/controller.ts'
import { choiceField, type Form } from '../core/form.ts'
import { closeAll } from '../core/overlays.ts'
import { agentAtHand, worktreeAtHand } from '../core/selection.ts'
import type { ConsoleState } from '../core/state.ts'
import { worktreeChoice } from './new-task.ts'
import type { Question } from './question.ts'
import { itemOf, settle } from './settle.ts'
import { intentText, noChoice, receiptText, spawnForm as words } from '../../text/forms.ts'

const { root: NONE, configured: CONFIGURED } = noChoice

/** An agent that takes tasks from the board. */
export const spawnForm = (state: ConsoleState, kinds: readonly string[]): Form => ({
  kind: 'spawn',
  title: words.title,
  at: 0,
  fields: [
    choiceField('persona', words.labels.persona, state.personas, agentAtHand(state)?.personaId ?? 'implementer'),
    choiceField('worktree', words.labels.worktree, worktreeChoice(state), worktreeAtHand(state)?.name ?? NONE),
    choiceField('kind', words.labels.kind, [CONFIGURED, ...kinds], CONFIGURED),
  ],
  submit: (controller, values) => {
    controller.change(closeAll)
    controller.perform(
      spawnAgent,
      {
        personaId: values['persona']!,
        ...(values['worktree'] === NONE ? {} : { assignedWorktree: values['worktree']! }),
        ...(values['kind'] === CONFIGURED ? {} : { kind: values['kind']! }),
      },
      (agent) => words.takesTasks(agent.id, agent.kind, agent.personaId),
    )
  },
})

export interface Spawned {
  readonly taskId: number
  readonly personaId: string
  readonly command: string | null
  /** Why the worktree is busy: the agent starts beside another one. */
  readonly beside?: string | undefined
}

/** An agent for one task, where something speaks against starting it unasked. */
export const spawnQuestion = ({ taskId, personaId, command, beside: busy }: Spawned): Question => ({
  lines: [
    ...(busy === undefined ? [] : [intentText.beside(busy)]),
    ...(command === null
      ? [intentText.spawnTask(personaId, taskId)]
      : [intentText.spawn(personaId, taskId), ...spelledOut(command)]),
  ],
  carryOut: (controller) => {
    const item = itemOf(controller.state(), { kind: 'command', taskId })
    const beside = busy === undefined ? {} : { beside: true }
    if (item)
      settle(controller, item, receiptText.started, spawnAgent, { taskId, personaId, ...beside }, (agent) =>
        startingReceipt(agent, taskId),
      )
    else spawnFor(controller, { id: taskId, personaId }, beside)
  },
})

export const spawnFor = (
  controller: Controller,
  { id, personaId }: Pick<TaskView, 'id' | 'personaId'>,
  beside: { readonly beside?: boolean } = {},
): void => controller.perform(spawnAgent, { taskId: id, personaId, ...beside }, (agent) => startingReceipt(agent, id))

const startingReceipt = ({ id, kind }: { readonly id: string; readonly kind: string }, taskId: number): string =>
  receiptText.starting(id, kind, taskId)
