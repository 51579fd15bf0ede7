import type { Actor } from '../../domain/agent/actor.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { isOut, noteKept } from '../../operations/perform/perform.ts'
import { claimTask, completeTask, failTask, reportTaskProgress, startTask } from '../../operations/tasks/claims.ts'
import { type Command, given, performs } from '../call/command.ts'
import { count, json, percent, taskNumber, text } from '../call/values.ts'
import { argument, type Meaning, naming, needed, option, repeated } from '../call/words.ts'
import { taskLine } from '../print/tasks.ts'

const id = naming('tasks', argument('ID', 'Number of the task', taskNumber))

/** `--agent A`: an agent may omit it, because its connection identifies it. */
const agentWord = naming('agents', option('--agent', 'A', 'Agent that acts; an agent may omit it', text))

const agent = agentWord
const attempt = option(
  '--attempt',
  'N',
  'Number of the attempt, as claim returned it; refused if another attempt is in progress',
  count,
)
const met = repeated('--met', 'C', 'Acceptance criterion that is met: its exact text, or its number from 1', text)

const progressWords = {
  id,
  agent,
  attempt,
  note: needed('--note', 'N', 'What was done', text),
  percent: option('--percent', 'N', 'How much of the task is done, 0 to 100', percent),
  met,
}

const reported = performs({
  path: 'task progress',
  words: progressWords,
  operation: reportTaskProgress,
  input: (words, actor) => ({
    taskId: words.id,
    agentId: agentOf(words.agent, actor),
    ...given('attempt', words.attempt),
    progressNote: words.note,
    ...given('percentComplete', words.percent),
    criteriaMet: [...words.met],
  }),
  text: taskLine,
  example: "task progress 3 --agent backend-1 --note 'The endpoints answer' --percent 40",
})

/** A command opens the board for itself, and cannot while its host is cut off: then the note is kept. */
const progress: Command = {
  ...reported,
  run: async (words: Meaning<typeof progressWords>, call) => {
    // Whether the board can be reached is known only seconds later.
    const at = new Date().toISOString()
    try {
      return await reported.run(words as never, call)
    } catch (error) {
      const own = call.environment['AISWARM_AGENT_ID']
      if (!isOut(error) || own === undefined || (words.agent ?? own) !== own) throw error
      const note = { taskId: words.id, attempt: words.attempt ?? null, note: words.note, level: 'info', at } as const
      const rest = { percent: words.percent ?? null, criteriaMet: [...words.met] }
      if (!(await call.services.keepNote(call.root, { ...note, ...rest }))) throw error
      throw noteKept(error)
    }
  },
}

/** An agent's work on a task, for scripts and agents without MCP. */
export const taskWorkCommands: readonly Command[] = [
  performs({
    path: 'task claim',
    words: { id, agent },
    operation: claimTask,
    input: (words, actor) => ({ taskId: words.id, agentId: agentOf(words.agent, actor) }),
    text: taskLine,
    example: 'task claim 3 --agent backend-1',
  }),
  performs({
    path: 'task start',
    words: { id, agent, attempt },
    operation: startTask,
    input: (words, actor) => ({
      taskId: words.id,
      agentId: agentOf(words.agent, actor),
      ...given('attempt', words.attempt),
    }),
    text: taskLine,
    example: 'task start 3 --agent backend-1',
  }),
  progress,
  performs({
    path: 'task complete',
    words: { id, agent, attempt, result: option('--result', 'JSON', 'The result, any JSON value', json), met },
    operation: completeTask,
    input: (words, actor) => ({
      taskId: words.id,
      agentId: agentOf(words.agent, actor),
      ...given('attempt', words.attempt),
      ...given('resultData', words.result),
      criteriaMet: [...words.met],
    }),
    text: taskLine,
    example: `task complete 3 --agent backend-1 --result '{"tests": 12}'`,
  }),
  performs({
    path: 'task fail',
    words: { id, agent, attempt, error: needed('--error', 'E', 'Why it failed', text) },
    operation: failTask,
    input: (words, actor) => ({
      taskId: words.id,
      agentId: agentOf(words.agent, actor),
      ...given('attempt', words.attempt),
      errorMessage: words.error,
    }),
    text: taskLine,
    example: "task fail 3 --agent backend-1 --error 'the schema is missing'",
  }),
]

const agentOf = (agent: string | undefined, actor: Actor): string => {
  if (agent !== undefined) return agent
  if (actor.kind === 'agent') return actor.id
  throw new Refusal('invalid_input', "option '--agent <A>' is required: name the agent that acts.")
}
