import { InvalidArgumentError } from 'commander'
import { taskStates } from '../../domain/task/task.ts'
import { parseFilter } from '../../domain/task/filter-parser.ts'
import { cancelTask } from '../../operations/tasks/cancel-task.ts'
import { createTask } from '../../operations/tasks/create-task.ts'
import { taskWithReason } from '../verbs/tasks/task-reason.ts'
import { getTask } from '../../operations/tasks/get-task.ts'
import { getTaskTree } from '../../operations/tasks/get-task-tree.ts'
import { checkTasks, importTasks } from '../../operations/tasks/import-tasks.ts'
import type { Core } from '../../operations/door/core.ts'
import { refuseUnknownKind } from '../../operations/agents/steps/known-kind.ts'
import { act } from '../../operations/door/perform.ts'
import { listTasks } from '../../operations/tasks/list-tasks.ts'
import { retryTask } from '../../operations/tasks/retry-task.ts'
import { type Command, does, given, open, performs } from '../call/command.ts'
import { readTaskFile } from '../verbs/tasks/task-file.ts'
import { printTaskLogs } from '../verbs/tasks/task-logs.ts'
import { planTree } from '../print/plan-text.ts'
import { counted } from '../print/columns.ts'
import { taskDetail, taskLine, taskList, taskTree } from '../print/task-text.ts'
import { count, dollars, type Json, json, labels, name, taskNumber, taskNumbers, text, whole } from '../call/values.ts'
import { argument, choice, flag, naming, needed, option, repeated } from '../call/words.ts'

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
