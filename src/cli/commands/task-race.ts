import { type Command, does } from '../call/command.ts'
import { count, dollars, names, taskNumber, text } from '../call/values.ts'
import { argument, flag, naming, option } from '../call/words.ts'
import { race } from '../verbs/tasks/race.ts'

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
