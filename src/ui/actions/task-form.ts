import type { Settings } from '../../domain/settings/settings.ts'
import { changeWords, type EditableField, fieldsOf, whyNotEdited } from '../../domain/task/edits.ts'
import { placeWishIn } from '../../domain/task/metadata.ts'
import { wantsOwnWorktree } from '../../domain/task/startable.ts'
import { listHosts } from '../../operations/hosts/list.ts'
import { perform } from '../../operations/perform/perform.ts'
import { createTask } from '../../operations/tasks/create.ts'
import { getTask, type TaskDetail } from '../../operations/tasks/detail.ts'
import { editTask, type TaskEdit } from '../../operations/tasks/edits.ts'
import { editForm as editWords, noChoice, taskForm as words } from '../../text/forms.ts'
import type { Controller } from '../core/controller.ts'
import { choiceField, type Field, filledIn, type Form, type FormValues, textField } from '../core/form.ts'
import { close, closeAll, open } from '../core/overlays.ts'
import { factsOf, selectedWorktree, taskAtHand } from '../core/selection.ts'
import type { ConsoleState, Transition } from '../core/state.ts'
import { openEditor, whyNoFolder } from './open-folder.ts'
import { budgetText, hostFields, meaningOf, sharedFields, taskWorktrees, whyNotTask } from './task-fields.ts'

// The form of a new task, and of one that is edited.

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

/** The values that the next form offers. */
const lastOf = ({ persona = '', command = '', priority = '', model = '', budget = '' }: FormValues): FormValues =>
  Object.fromEntries(Object.entries({ persona, command, priority, model, budget }).filter(([, value]) => value !== ''))

/** The worktrees that take work, after the main checkout. */
export const worktreeChoice = ({ board }: ConsoleState): readonly string[] => [
  NONE,
  ...board.worktrees.filter((worktree) => worktree.status === 'active').map(({ name }) => name),
]

/** On the board the key edits the task; elsewhere it opens the editor on the worktree. */
const editsTask = ({ view }: ConsoleState): boolean => view.about === 'board'

export const whyNotEdit = (state: ConsoleState): string | undefined => {
  if (!editsTask(state)) return whyNoFolder(state)
  const task = taskAtHand(state)
  return task ? whyNotEdited(factsOf(task)) : editWords.noTask
}

export const editLabel = (state: ConsoleState): string | undefined =>
  editsTask(state) ? undefined : editWords.editorLabel

export const edit = (controller: Controller): void => {
  const state = controller.state()
  if (!editsTask(state)) return openEditor(controller)
  controller.read(getTask, { taskId: taskAtHand(state)!.id }, (task) => {
    // The task may have ended since the screen was drawn.
    const why = whyNotEdited(factsOf(task))
    if (why !== undefined) return controller.tell(why, 'refused')
    controller.read(listHosts, {}, (hosts) => {
      const { kinds, settings } = controller.connection.core
      const form = editTaskForm(
        task,
        kinds,
        choosesHost(task, hosts.length, settings) ? hosts.map(({ name }) => name) : [],
      )
      controller.change(open({ kind: 'form', form }))
    })
  })
}

/** True if the worktree of the task is yet to be built, and there is a choice; or a wish, which may be wrong. */
const choosesHost = (task: TaskDetail, hosts: number, settings: Settings): boolean => {
  const metadata = JSON.stringify(task.metadata ?? null)
  const { targetWorktree: worktree, command, wantedAgentId: agentId } = task
  return (
    placeWishIn(metadata) !== undefined ||
    (hosts > 1 && wantsOwnWorktree({ worktree, agentId, command, metadata }, settings))
  )
}

/** The fields that may change now, with their values. */
const editTaskForm = (task: TaskDetail, kinds: readonly string[], hosts: readonly string[]): Form => {
  const { cli, model = '' } = (task.metadata ?? {}) as { readonly cli?: string; readonly model?: string }
  const { host, labels = [] } = placeWishIn(JSON.stringify(task.metadata ?? null)) ?? {}
  const before: FormValues = {
    description: task.description,
    depends: task.dependencies.join(', '),
    criteria: task.acceptanceCriteria.map(({ text }) => text).join('\n'),
    priority: String(task.priority),
    budget: budgetText(task.budget),
    model,
    labels: labels.join(', '),
    ...(host === undefined ? {} : { host }),
    ...(cli === undefined ? {} : { kind: cli }),
  }
  const fields = sharedFields(kinds, before)
  const [hostField, labelsField] = hostFields(hosts, before)
  const shown: readonly (readonly [EditableField, Field])[] = [
    ['description', fields.description],
    ['acceptanceCriteria', fields.criteria],
    ['dependencies', fields.depends],
    ['priority', fields.priority],
    ['budget', fields.budget],
    ['kind', fields.kind],
    ['model', fields.model],
    ...(hosts.length === 0
      ? []
      : ([
          ['host', hostField],
          ['labels', labelsField],
        ] as const)),
  ]
  const allowed = fieldsOf(task.status, task.command !== null)
  return {
    kind: 'edit',
    title: editWords.title(task.id, task.title),
    at: 0,
    fields: shown.flatMap(([field, drawn]) => (allowed.includes(field) ? [drawn] : [])),
    submit: (controller, values, form) => submitEdit(controller, task, values, form, hosts),
  }
}

const submitEdit = (
  controller: Controller,
  task: TaskDetail,
  values: FormValues,
  form: Form,
  hosts: readonly string[],
): void => {
  const wrong = whyNotTask(values)
  if (wrong !== undefined) return controller.tell(wrong, 'refused')
  const first = editTaskForm(task, controller.connection.core.kinds, hosts)
  // Only what was changed here is written: another edit of the meantime stays.
  const changed = Object.fromEntries(
    first.fields.flatMap(({ key, value }) => (values[key] === value.trim() ? [] : [[key, values[key]!]])),
  )
  controller.change(close)
  if (Object.keys(changed).length === 0) return controller.tell(editWords.nothingChanged(task.id))
  controller.perform(
    editTask,
    { taskId: task.id, ...editOf(changed) },
    ({ changes }) => editWords.changed(task.id, changes.map(changeWords)),
    // A refusal loses nothing that was typed.
    () => controller.change(open({ kind: 'form', form })),
  )
}

const editOf = (values: FormValues): TaskEdit => {
  const { targetWorktree: _, ...meant } = meaningOf(values)
  return Object.fromEntries(Object.entries(meant).filter(([, value]) => value !== undefined))
}
