import { changeWords, type EditableField, fieldsOf, whyNotEdited } from '../../domain/task/edits.ts'
import type { Settings } from '../../domain/settings/settings.ts'
import { placeWishIn } from '../../domain/task/metadata.ts'
import { wantsOwnWorktree } from '../../domain/task/startable.ts'
import { listHosts } from '../../operations/hosts/list.ts'
import { editTask, type TaskEdit } from '../../operations/tasks/edits.ts'
import { getTask, type TaskDetail } from '../../operations/tasks/detail.ts'
import type { Controller } from '../core/controller.ts'
import type { Field, Form, FormValues } from '../core/form.ts'
import { close, open } from '../core/overlays.ts'
import { factsOf, taskAtHand } from '../core/selection.ts'
import type { ConsoleState } from '../core/state.ts'
import { editForm as words } from '../../text/forms.ts'
import { openEditor, whyNoFolder } from './selected.ts'
import { budgetText, hostFields, meaningOf, sharedFields, whyNotTask } from './task-fields.ts'

/** On the board the key edits the task; elsewhere it opens the editor on the worktree. */
const editsTask = ({ view }: ConsoleState): boolean => view.about === 'board'

export const whyNotEdit = (state: ConsoleState): string | undefined => {
  if (!editsTask(state)) return whyNoFolder(state)
  const task = taskAtHand(state)
  return task ? whyNotEdited(factsOf(task)) : words.noTask
}

export const editLabel = (state: ConsoleState): string | undefined => (editsTask(state) ? undefined : words.editorLabel)

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
    title: words.title(task.id, task.title),
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
  if (Object.keys(changed).length === 0) return controller.tell(words.nothingChanged(task.id))
  controller.perform(
    editTask,
    { taskId: task.id, ...editOf(changed) },
    ({ changes }) => words.changed(task.id, changes.map(changeWords)),
    // A refusal loses nothing that was typed.
    () => controller.change(open({ kind: 'form', form })),
  )
}

const editOf = (values: FormValues): TaskEdit => {
  const { targetWorktree: _, ...meant } = meaningOf(values)
  return Object.fromEntries(Object.entries(meant).filter(([, value]) => value !== undefined))
}
