import { editTask } from '../../operations/tasks/edit-task.ts'
import { getTaskHistory } from '../../operations/tasks/get-task-history.ts'
import { type Command, given, performs } from '../call/command.ts'
import { count, dollars, labels, orNone, taskNumber, taskNumbers, text, whole } from '../call/values.ts'
import { argument, naming, option, repeated } from '../call/words.ts'
import { editedText, historyText } from '../print/task-history-text.ts'

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
        orNone(dollars),
      ),
      tokens: option(
        '--token-budget',
        'N',
        "Tokens after which the task is paused and needs you, or 'none'",
        orNone(count),
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
