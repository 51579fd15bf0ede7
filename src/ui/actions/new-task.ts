import { perform } from '../../operations/perform/perform.ts'
import { listHosts } from '../../operations/hosts/list.ts'
import { createTask } from '../../operations/tasks/create.ts'
import type { Controller } from '../core/controller.ts'
import { choiceField, filledIn, type Form, type FormValues, textField } from '../core/form.ts'
import { closeAll, open } from '../core/overlays.ts'
import { selectedWorktree } from '../core/selection.ts'
import type { ConsoleState, Transition } from '../core/state.ts'
import { noChoice, taskForm as words } from '../../text/forms.ts'
import { hostFields, meaningOf, sharedFields, taskWorktrees, whyNotTask } from './task-fields.ts'

const { root: NONE, own: OWN } = noChoice

/** Opens the form at once, and adds the hosts when the board has named several. */
export const newTask = (controller: Controller): void => {
  const { core, actor } = controller.connection
  controller.change((state) => open({ kind: 'form', form: newTaskForm(state, core.kinds) })(state))
  void perform(core, listHosts, {}, actor)
    .then((hosts) => {
      if (hosts.length > 1)
        controller.change(
          offeringHosts(
            core.kinds,
            hosts.map(({ name }) => name),
          ),
        )
    })
    // Without an answer the task wishes for none; the screen says that the board is away.
    .catch(() => {})
}

/** Everything that was typed meanwhile stays, and the focus too. */
const offeringHosts =
  (kinds: readonly string[], hosts: readonly string[]): Transition =>
  (state) => {
    const { overlay } = state.view
    if (overlay?.kind !== 'form' || overlay.form.kind !== 'task') return state
    const { form } = overlay
    const typed = new Map(form.fields.map((field) => [field.key, field]))
    const fields = newTaskForm(state, kinds, hosts).fields.map((field) => {
      const before = typed.get(field.key)
      return before === undefined || field.key !== 'host' ? (before ?? field) : { ...field, value: before.value }
    })
    const at = fields.findIndex(({ key }) => key === form.fields[form.at]!.key)
    return { ...state, view: { ...state.view, overlay: { ...overlay, form: { ...form, fields, at } } } }
  }

/** The fields in the order of need. What was typed before Esc, or before a refusal, is there again. */
const newTaskForm = (state: ConsoleState, kinds: readonly string[], hosts: readonly string[] = []): Form => {
  const { task: last } = state.kept
  const now: FormValues = state.draft ?? {}
  const shared = sharedFields(kinds, now, last)
  // A person who looks at a worktree means it; else the task gets one of its own.
  const here = state.view.about === 'worktrees' ? selectedWorktree(state)?.name : undefined
  return {
    kind: 'task',
    title: state.draft === null ? words.title : words.continued,
    at: 0,
    fields: [
      textField('title', words.labels.title, words.hints.title, { value: now['title'] ?? '' }),
      shared.description,
      choiceField(
        'persona',
        words.labels.persona,
        state.personas,
        now['persona'] ?? (state.personas.includes(last['persona'] ?? '') ? last['persona']! : 'implementer'),
      ),
      choiceField('worktree', words.labels.worktree, taskWorktrees(state), now['worktree'] ?? here ?? OWN),
      textField('command', words.labels.command, words.hints.command, {
        value: now['command'] ?? '',
        ...(last['command'] === undefined ? {} : { last: last['command'] }),
      }),
      shared.depends,
      shared.criteria,
      shared.priority,
      // A worktree of its own is yet to be built: it may wish where.
      ...(hosts.length > 1 || now['host'] !== undefined || now['labels'] !== undefined ? hostFields(hosts, now) : []),
      shared.kind,
      shared.model,
      shared.budget,
    ],
    submit: (controller, values, form) => {
      const wrong = values['title'] === '' ? words.needsTitle : whyNotTask(values)
      if (wrong !== undefined) return controller.tell(wrong, 'refused')
      controller.change((now) => ({ ...closeAll(now), draft: null }))
      controller.perform(
        createTask,
        inputOf(values),
        (task) => {
          controller.keep(() => ({ task: lastOf(values) }))
          return task.command === null && controller.state().preferences.agentless
            ? { text: `${words.isMade(task.id, task.title)} ${words.lacksAgent}`, tone: 'refused' }
            : words.isMade(task.id, task.title)
        },
        // A refusal loses nothing that was typed. Until then it is not offered: it would be created twice.
        () => controller.change((now) => ({ ...now, draft: filledIn(form) })),
      )
    },
  }
}

/** The worktrees that take work, after the main checkout. */
export const worktreeChoice = ({ board }: ConsoleState): readonly string[] => [
  NONE,
  ...board.worktrees.filter((worktree) => worktree.status === 'active').map(({ name }) => name),
]

/** The values that the next form offers. */
const lastOf = ({ persona = '', command = '', priority = '', model = '', budget = '' }: FormValues): FormValues =>
  Object.fromEntries(Object.entries({ persona, command, priority, model, budget }).filter(([, value]) => value !== ''))

const inputOf = (values: FormValues) => {
  const { description, priority, dependencies, acceptanceCriteria, kind, host, labels, model, budget, targetWorktree } =
    meaningOf(values)
  return {
    title: values['title']!,
    personaId: values['persona']!,
    ...(description === undefined ? {} : { description }),
    ...(priority === undefined ? {} : { priority }),
    ...(dependencies === undefined ? {} : { dependencies }),
    ...(acceptanceCriteria === undefined ? {} : { acceptanceCriteria }),
    ...(targetWorktree === undefined ? {} : { targetWorktree }),
    ...(typeof host === 'string' ? { host } : {}),
    ...(labels === undefined || labels.length === 0 ? {} : { labels }),
    ...(values['command'] === '' || values['command'] === undefined ? {} : { command: values['command'] }),
    ...(typeof kind === 'string' || typeof model === 'string'
      ? {
          metadata: {
            ...(typeof kind === 'string' ? { cli: kind } : {}),
            ...(typeof model === 'string' ? { model } : {}),
          },
        }
      : {}),
    ...(budget === undefined || (budget.costUsd === null && budget.tokens === null)
      ? {}
      : {
          budget: {
            ...(budget.costUsd === null ? {} : { costUsd: budget.costUsd }),
            ...(budget.tokens === null ? {} : { tokens: budget.tokens }),
          },
        }),
  }
}
