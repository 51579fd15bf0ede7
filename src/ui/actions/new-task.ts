import { OWN_WORKTREE } from '../../domain/worktree/worktree.ts'
import { createTask } from '../../operations/tasks/create-task.ts'
import { choiceField, type Form, type FormValues, textField } from '../core/form.ts'
import { closeAll } from '../core/overlays.ts'
import { worktreeAtHand } from '../core/selection.ts'
import type { ConsoleState } from '../core/state.ts'
import { noChoice, taskForm as words } from '../../text/forms.ts'

const { root: NONE, own: OWN } = noChoice

export const newTaskForm = (state: ConsoleState): Form => ({
  kind: 'task',
  title: words.title,
  at: 0,
  fields: [
    textField('title', words.labels.title, words.hints.title),
    choiceField('persona', words.labels.persona, state.personas, 'implementer'),
    textField('description', words.labels.description, words.hints.description),
    choiceField(
      'worktree',
      words.labels.worktree,
      [...worktreeChoice(state), OWN],
      worktreeAtHand(state)?.name ?? NONE,
    ),
    textField('command', words.labels.command, words.hints.command),
    textField('depends', words.labels.depends, words.hints.depends),
    textField('priority', words.labels.priority, words.hints.priority),
  ],
  submit: (controller, values) => {
    const wrong = values['title'] === '' ? words.needsTitle : whyNotNumbers(values)
    if (wrong !== undefined) return controller.tell(wrong, 'refused')
    controller.change(closeAll)
    controller.perform(createTask, inputOf(values), (task) =>
      task.command === null && controller.state().preferences.agentless
        ? { text: `${words.isMade(task.id, task.title)} ${words.lacksAgent}`, tone: 'refused' }
        : words.isMade(task.id, task.title),
    )
  },
})

/** The worktrees that take work, after the main checkout. */
export const worktreeChoice = ({ board }: ConsoleState): readonly string[] => [
  NONE,
  ...board.worktrees.filter((worktree) => worktree.status === 'active').map(({ name }) => name),
]

const inputOf = (values: FormValues) => ({
  title: values['title']!,
  personaId: values['persona']!,
  description: values['description']!,
  priority: Number(values['priority'] || 0),
  dependencies: numbers(values['depends']!),
  ...(values['worktree'] === NONE
    ? {}
    : { targetWorktree: values['worktree'] === OWN ? OWN_WORKTREE : values['worktree']! }),
  ...(values['command'] === '' ? {} : { command: values['command']! }),
})

const whyNotNumbers = ({ priority = '', depends = '' }: FormValues): string | undefined => {
  if (!/^-?\d{0,9}$/.test(priority)) return words.wrongPriority(priority)
  if (!/^[\d\s,]*$/.test(depends)) return words.wrongDependencies(depends)
  return undefined
}

const numbers = (list: string): number[] =>
  list
    .split(/[\s,]+/)
    .filter((part) => part !== '')
    .map(Number)
