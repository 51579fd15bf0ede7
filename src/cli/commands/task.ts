import { InvalidArgumentError } from 'commander'
import { parseFilter } from '../../domain/task/filter-parser.ts'
import { taskStates } from '../../domain/task/task.ts'
import type { Core } from '../../operations/perform/core.ts'
import { refuseUnknownKind } from '../../operations/perform/find.ts'
import { act } from '../../operations/perform/perform.ts'
import { cancelTask } from '../../operations/tasks/cancel.ts'
import { createTask } from '../../operations/tasks/create.ts'
import { getTask } from '../../operations/tasks/detail.ts'
import { editTask, getTaskHistory } from '../../operations/tasks/edits.ts'
import { checkTasks, importTasks } from '../../operations/tasks/import.ts'
import { getTaskTree, listTasks } from '../../operations/tasks/list.ts'
import { retryTask } from '../../operations/tasks/retry.ts'
import { type Command, does, given, open, performs } from '../call/command.ts'
import {
  count,
  countOrNone,
  dollars,
  dollarsOrNone,
  json,
  type Json,
  labels,
  name,
  names,
  taskNumber,
  taskNumbers,
  text,
  whole,
} from '../call/values.ts'
import { argument, choice, flag, naming, needed, option, repeated } from '../call/words.ts'
import { counted } from '../print/columns.ts'
import { editedText, historyText, planTree, taskDetail, taskLine, taskList, taskTree } from '../print/tasks.ts'
import { printTaskLogs } from '../verbs/logs.ts'
import { race } from '../verbs/races.ts'
import { readTaskFile, taskWithReason } from '../verbs/tasks.ts'

const id = naming('tasks', argument('ID', 'Number of the task', taskNumber))
const personaFilter = naming('personas', option('--persona', 'P', 'Only tasks for this persona', text))

/** A task's metadata contains its requests for an agent, as on seed 000's boards. */
const metadataOf = (
  {
    metadata,
    kind,
    model,
  }: {
    readonly metadata: Json | undefined
    readonly kind: string | undefined
    readonly model: string | undefined
  },
  core: Core,
): Json | undefined => {
  if (kind === undefined && model === undefined) return metadata
  if (metadata !== undefined && (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata))) {
    throw new InvalidArgumentError('--kind and --model are stored in the metadata. Pass a JSON object as --metadata.')
  }
  if (kind !== undefined) refuseUnknownKind(core, kind)
  return {
    ...metadata,
    ...given('cli', kind),
    ...given('model', model),
  }
}

/** The board: its content, and the changes that a person makes to it. */
export const taskCommands: readonly Command[] = [
  performs({
    path: 'task add',
    words: {
      title: argument('TITLE', 'The work to do, in one line', text),
      personaId: naming(
        'personas',
        needed(
          '--persona',
          'P',
          'Persona that does it: planner, implementer, reviewer, tester or one of your own',
          text,
        ),
      ),
      description: option('--description', 'D', 'What the agent needs to know', text),
      priority: option('--priority', 'N', 'Higher is more important (default: 0)', whole),
      dependencies: naming('tasks', option('--depends', '1,2', 'Tasks that must be completed first', taskNumbers)),
      targetWorktree: naming(
        'worktrees',
        option(
          '--worktree',
          'W',
          "Worktree to work in, or 'auto' for one of its own (default: by worktrees.perTask, else the main checkout)",
          text,
        ),
      ),
      parentTaskId: naming('tasks', option('--parent', 'N', 'Task that this one is a part of', taskNumber)),
      command: option('--command', 'CMD', 'Shell command that does the task; needs no agent CLI', text),
      acceptanceCriteria: repeated('--criterion', 'TEXT', 'Acceptance criterion', text),
      costUsd: option('--budget', 'N', 'Dollars after which the task is paused and needs you', dollars),
      tokens: option('--token-budget', 'N', 'Tokens after which the task is paused and needs you', count),
      kind: option('--kind', 'K', 'Kind of agent that does it (default: as configured for the persona)', name),
      model: option('--model', 'M', 'Model that the agent uses', name),
      host: option('--host', 'H', 'Host for its own worktree (default: the one with the most room)', text),
      label: option('--label', 'L,L', 'Labels that this host must have, separated by commas', labels),
      metadata: option('--metadata', 'JSON', 'Other data to store with the task', json),
    },
    operation: createTask,
    input: (words, _, core) => ({
      title: words.title,
      personaId: words.personaId,
      ...given('description', words.description),
      ...given('priority', words.priority),
      ...given('dependencies', words.dependencies === undefined ? undefined : [...words.dependencies]),
      ...given('targetWorktree', words.targetWorktree),
      ...given('parentTaskId', words.parentTaskId),
      ...given('command', words.command),
      acceptanceCriteria: [...words.acceptanceCriteria],
      ...given('host', words.host),
      ...given('labels', words.label),
      ...given('metadata', metadataOf(words, core)),
      ...given(
        'budget',
        words.costUsd === undefined && words.tokens === undefined
          ? undefined
          : { ...given('costUsd', words.costUsd), ...given('tokens', words.tokens) },
      ),
    }),
    text: taskLine,
    example:
      "task add 'Login form' --persona implementer --depends 1 --worktree user-auth --criterion 'A wrong password is refused'",
  }),
  performs({
    path: 'task list',
    words: {
      status: choice('--status', 'S', 'Only tasks in this state', [...taskStates, 'blocked']),
      personaId: personaFilter,
      where: option(
        '--where',
        'FILTER',
        "Only tasks that match this filter, written as in the console: 'state:failed persona:tester age>10m'",
        text,
      ),
      available: flag('--available', 'Only tasks that can be claimed now, highest priority first'),
    },
    operation: listTasks,
    input: ({ status, personaId, where, available }) => ({
      ...given('status', status),
      ...given('personaId', personaId),
      ...given('where', where),
      available,
    }),
    unmeant: ({ where = '' }) => given('where', parseFilter(where).problem ?? undefined),
    text: taskList,
    example: "task list --where 'state:failed age>10m'",
  }),
  does({
    path: 'task show',
    summary: `${getTask.summary}, and the reason for its state`,
    words: { id },
    run: async (words, call) => {
      const connection = await open(call)
      const { task, why } = await taskWithReason(connection, words.id)
      return { json: task, text: taskDetail(task, why, connection.core.clock()) }
    },
    example: 'task show 3',
  }),
  performs({
    path: 'task tree',
    words: {
      filterStatus: choice('--status', 'S', 'Only tasks in this state, and their ancestors', taskStates),
      filterPersona: personaFilter,
    },
    operation: getTaskTree,
    input: ({ filterStatus, filterPersona }) => ({
      ...given('filterStatus', filterStatus),
      ...given('filterPersona', filterPersona),
    }),
    text: taskTree,
    example: 'task tree',
  }),
  does({
    path: 'task logs',
    summary: 'Show the notes and progress of a task',
    words: { id, follow: flag('--follow', 'Print new entries until Ctrl-C (with --json one value per line)') },
    run: ({ id, follow }, call) => printTaskLogs(call, id, follow),
    example: 'task logs 3 --follow',
  }),
  performs({
    path: 'task retry',
    words: { id },
    operation: retryTask,
    input: (words) => ({ taskId: words.id }),
    text: taskLine,
    example: 'task retry 3',
  }),
  performs({
    path: 'task cancel',
    words: { id, reason: option('--reason', 'R', 'Reason', text) },
    operation: cancelTask,
    input: ({ id, reason }) => ({ taskId: id, ...given('reason', reason) }),
    text: taskLine,
    example: "task cancel 3 --reason 'no longer needed'",
  }),
  does({
    path: 'task import',
    summary: importTasks.summary,
    words: {
      file: argument(
        'FILE',
        "A list in JSON or YAML, one JSON object, or one JSON object per line; '-' for standard input",
        text,
      ),
      dryRun: flag('--dry-run', 'Check the list and print it as a tree, but import nothing'),
    },
    run: async ({ file, dryRun }, call) => {
      const drafts = await readTaskFile(file, call.streams)
      const connection = await open(call)
      if (dryRun)
        return {
          json: await act(connection, checkTasks, drafts),
          text: `${counted(drafts.length, 'task')}; nothing is imported.\n${planTree(drafts)}`,
        }
      const tasks = await act(connection, importTasks, drafts)
      return {
        json: tasks,
        text: `${counted(tasks.length, 'task')} imported.\n${taskList(tasks, connection.core.clock())}`,
      }
    },
    example: 'task import plan.yaml',
  }),
]

const taskId = naming('tasks', argument('ID', 'Number of the task', taskNumber))

/** Changes of a task after its creation, and their history. */
export const taskEditCommands: readonly Command[] = [
  performs({
    path: 'task edit',
    words: {
      id: taskId,
      description: option('--description', 'D', 'What the agent needs to know', text),
      priority: option('--priority', 'N', 'Higher is more important', whole),
      dependencies: naming(
        'tasks',
        option('--depends', '1,2', "Tasks that must be completed first; '' for none", taskNumbers),
      ),
      acceptanceCriteria: repeated(
        '--criterion',
        'TEXT',
        "Acceptance criteria instead of the present ones; '' for none",
        text,
      ),
      kind: option('--kind', 'K', "Kind of agent that does it; '' as configured", text),
      model: option('--model', 'M', "Model that the agent uses; '' as configured", text),
      host: option('--host', 'H', "Host for its own worktree, before that is built; '' for any", text),
      labels: option('--label', 'L,L', "Labels that this host must have, separated by commas; '' for none", labels),
      costUsd: option(
        '--budget',
        'N',
        "Dollars after which the task is paused and needs you, or 'none'",
        dollarsOrNone,
      ),
      tokens: option(
        '--token-budget',
        'N',
        "Tokens after which the task is paused and needs you, or 'none'",
        countOrNone,
      ),
    },
    operation: editTask,
    input: ({ id, acceptanceCriteria: criteria, costUsd, tokens, kind, model, dependencies, ...words }) => ({
      taskId: id,
      ...given('description', words.description),
      ...given('priority', words.priority),
      ...given('dependencies', dependencies === undefined ? undefined : [...dependencies]),
      ...given('acceptanceCriteria', criteria.length === 0 ? undefined : criteria.filter((one) => one !== '')),
      ...given('kind', kind === '' ? null : kind),
      ...given('model', model === '' ? null : model),
      ...given('host', words.host === '' ? null : words.host),
      ...given('labels', words.labels),
      ...given(
        'budget',
        costUsd === undefined && tokens === undefined
          ? undefined
          : { ...given('costUsd', costUsd), ...given('tokens', tokens) },
      ),
    }),
    text: ({ task, changes }) => editedText(task.id, changes),
    example: "task edit 3 --priority 90 --criterion 'A wrong password is refused'",
  }),
  performs({
    path: 'task history',
    words: { id: taskId },
    operation: getTaskHistory,
    input: (words) => ({ taskId: words.id }),
    text: historyText,
    example: 'task history 3',
  }),
]

export const taskRaceCommands: readonly Command[] = [
  does({
    path: 'task race',
    summary:
      'Race a task by several kinds of agents or models, show the racers side by side by facts, pick one of them',
    words: {
      id: naming('tasks', argument('ID', 'Number of the task', taskNumber)),
      kinds: option('--kinds', 'K,…', 'Start a race of these kinds, each in a worktree of its own', names),
      models: option('--models', 'M,…', 'A model for each kind, or several models for one kind', names),
      costUsd: option('--budget', 'N', 'Dollars for all racers together, after which they pause and need you', dollars),
      tokens: option('--token-budget', 'N', 'Tokens for all racers together, after which they pause', count),
      verify: flag('--verify', 'Merge and verify every racer that has finished; approves nothing'),
      pick: naming(
        'worktrees',
        option('--pick', 'RACER', 'Pick a racer by its worktree or agent; the others end and are archived', text),
      ),
      stop: flag('--stop', 'End the race without a winner; all racers are archived'),
    },
    grave: ['pick', 'stop'],
    run: (words, call) => race(call, words),
    example: 'task race 3 --kinds claude,codex --budget 5',
  }),
]
