import { isOver } from '../domain/task.ts'
import { answerRequest } from '../operations/answer-request.ts'
import { createTask } from '../operations/create-task.ts'
import { listTasks } from '../operations/list-tasks.ts'
import { rejectIntegration } from '../operations/reject-integration.ts'
import { spawnAgent } from '../operations/spawn-agent.ts'
import type { Desk } from './desk.ts'
import { saveUnder } from './filter/presses.ts'
import { itemOf, settle } from './inbox/settle.ts'
import { linesOf } from './intents.ts'
import { addComment, commentFields, type Remarked } from './review/comments.ts'
import { closeAll, replace } from './overlays.ts'
import { submitCommand } from './palette/presses.ts'
import { agentAtHand, worktreeAtHand } from './selection.ts'
import type { ConsoleState } from './state.ts'

export interface Field {
  readonly key: string
  readonly label: string
  readonly value: string
  /** A choice among these; a text where there are none. */
  readonly options?: readonly string[]
  readonly hint: string
}

/** What is typed before something is done. */
export interface Form {
  readonly kind: 'task' | 'spawn' | 'reject' | 'discard' | 'answer' | 'comment' | 'filter' | 'command'
  readonly title: string
  /** The worktree that a reason is about. */
  readonly worktree: string
  /** The number of the request that is answered. */
  readonly request?: number
  /** The place in a diff that is remarked on. */
  readonly about?: Remarked
  /** The command that is filled in, how many of its words the last enter found wrong, and whether it is being done. */
  readonly command?: { readonly path: string; readonly wrong: number; readonly running: boolean }
  readonly fields: readonly Field[]
  readonly at: number
}

const NONE = '(repository root)'
const CONFIGURED = '(as configured)'

export const newTaskForm = (state: ConsoleState): Form => ({
  kind: 'task',
  title: 'New task',
  worktree: '',
  at: 0,
  fields: [
    text('title', 'Title', 'what is to be done'),
    choice('persona', 'Persona', state.personas, 'implementer'),
    text('description', 'Description', 'what the agent should know'),
    choice('worktree', 'Worktree', worktreesOf(state), worktreeAtHand(state)?.name ?? NONE),
    text('command', 'Command', 'a shell command that does it; else an agent does'),
    text('depends', 'Depends on', 'numbers of tasks: 1,2'),
    text('priority', 'Priority', '0; higher is more important'),
  ],
})

export const spawnForm = (state: ConsoleState, kinds: readonly string[]): Form => ({
  kind: 'spawn',
  title: 'Spawn an agent that works off the board',
  worktree: '',
  at: 0,
  fields: [
    choice('persona', 'Persona', state.personas, agentAtHand(state)?.personaId ?? 'implementer'),
    choice('worktree', 'Worktree', worktreesOf(state), worktreeAtHand(state)?.name ?? NONE),
    choice('kind', 'Kind', [CONFIGURED, ...kinds], CONFIGURED),
  ],
})

export const reasonForm = (kind: 'reject' | 'discard', worktree: string): Form => ({
  kind,
  title: kind === 'reject' ? `Reject the integration of ${worktree}` : `Discard worktree ${worktree}`,
  worktree,
  at: 0,
  fields: [text('reason', 'Reason', kind === 'reject' ? 'what is missing' : 'why it is given up')],
})

const OWN_WORDS = '(in my own words)'

export const answerForm = (request: number, question: string, options: readonly string[]): Form => ({
  kind: 'answer',
  title: `Answer: ${question}`,
  worktree: '',
  request,
  at: 0,
  fields: [
    ...(options.length > 0 ? [{ key: 'option', label: 'Answer', options: [...options, OWN_WORDS], value: '', hint: '◂ ▸ chooses' }] : []),
    text('words', options.length > 0 ? 'Own words' : 'Answer', 'what the agent is to know'),
  ],
})

export const commentForm = (worktree: string, about: Remarked): Form => ({ kind: 'comment', worktree, about, at: 0, ...commentFields(about) })

/** Enter: what is typed goes to its operation, which refuses with a sentence what it cannot take. */
export const submit = (desk: Desk, form: Form): void => submits[form.kind](desk, form, Object.fromEntries(form.fields.map(({ key, value }) => [key, value.trim()])))

type Values = Readonly<Record<string, string>>

const submits: Record<Form['kind'], (desk: Desk, form: Form, values: Values) => void> = {
  task: (desk, _, values) => {
    const wrong = values['title'] === '' ? 'A task needs a title.' : whyNotNumbers(values)
    if (wrong !== undefined) return desk.tell(wrong, 'refused')
    desk.change(closeAll)
    desk.perform(
      createTask,
      {
        title: values['title']!,
        personaId: values['persona']!,
        description: values['description']!,
        priority: Number(values['priority'] || 0),
        dependencies: numbers(values['depends']!),
        ...(values['worktree'] === NONE ? {} : { targetWorktree: values['worktree']! }),
        ...(values['command'] === '' ? {} : { command: values['command']! }),
      },
      (task) => `Task ${task.id} “${task.title}” is on the board.`,
    )
  },
  spawn: (desk, _, values) => {
    desk.change(closeAll)
    desk.perform(
      spawnAgent,
      {
        personaId: values['persona']!,
        ...(values['worktree'] === NONE ? {} : { assignedWorktree: values['worktree']! }),
        ...(values['kind'] === CONFIGURED ? {} : { kind: values['kind']! }),
      },
      (agent) => `${agent.id} (${agent.kind}) takes tasks of ${agent.personaId} off the board.`,
    )
  },
  reject: (desk, { worktree }, { reason = '' }) => {
    if (reason === '') return desk.tell('A rejection needs a reason.', 'refused')
    settle(
      desk,
      itemOf(desk.state(), { worktree }),
      'rejected',
      rejectIntegration,
      { worktreeName: worktree, reason },
      () => `The integration of ${worktree} is rejected; the worktree stays.`,
    )
  },
  answer: (desk, { request }, { option = OWN_WORDS, words = '' }) => {
    const answer = words !== '' ? words : option === OWN_WORDS ? '' : option
    if (answer === '') return desk.tell(option === '' ? 'Choose an answer with ◂ ▸, or type one of your own.' : 'An answer needs words.', 'refused')
    settle(
      desk,
      itemOf(desk.state(), { requestId: request! }),
      'answered',
      answerRequest,
      { requestId: request!, verdict: 'answer', answer },
      ({ agentId }) => `${agentId} is told: ${answer}`,
    )
  },
  comment: (desk, { worktree, about }, { comment = '' }) => (comment === '' ? desk.tell('A comment needs words.', 'refused') : addComment(desk, worktree, about!, comment)),
  command: (desk, form) => submitCommand(desk, form),
  filter: (desk, _, { name = '' }) => saveUnder(desk, name),
  // Enter destroys nothing: it leads to the question what exactly would happen.
  discard: (desk, { worktree }, { reason = '' }) => {
    if (reason === '') return desk.tell('Discarding needs a reason.', 'refused')
    desk.look(
      (outside) => outside.census(worktree),
      (census) =>
        desk.read(listTasks, { worktree }, (tasks) => {
          const unfinished = tasks.filter((task) => !isOver(task.status)).map((task) => task.id)
          const intent = { kind: 'discard', worktree, reason, unfinished, census } as const
          desk.change((state) => (state.view.overlay?.kind === 'form' ? replace({ kind: 'confirm', intent, lines: linesOf(state, intent) })(state) : state))
        }),
    )
  },
}

const text = (key: string, label: string, hint: string): Field => ({ key, label, value: '', hint })

const choice = (key: string, label: string, options: readonly string[], value: string): Field => ({
  key,
  label,
  options,
  hint: '',
  value: options.includes(value) ? value : (options[0] ?? ''),
})

const worktreesOf = ({ board }: ConsoleState): readonly string[] => [NONE, ...board.worktrees.filter((worktree) => worktree.status === 'active').map(({ name }) => name)]

const whyNotNumbers = ({ priority = '', depends = '' }: Values): string | undefined => {
  if (!/^-?\d{0,9}$/.test(priority)) return `A priority is a whole number, this is '${priority}'.`
  if (!/^[\d\s,]*$/.test(depends)) return `Dependencies are numbers of tasks, such as 1,2; this is '${depends}'.`
  return undefined
}

const numbers = (list: string): number[] =>
  list
    .split(/[\s,]+/)
    .filter((part) => part !== '')
    .map(Number)
