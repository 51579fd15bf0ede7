import { spelledOut } from '../domain/safe-text.ts'
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
import { keyed } from './key-names.ts'
import { addComment, commentFields, type Remarked } from './review/comments.ts'
import { closeAll, replace } from './overlays.ts'
import { submitCommand } from './palette/presses.ts'
import { OWN_WORKTREE } from '../domain/worktree.ts'
import { agentAtHand, worktreeAtHand } from './selection.ts'
import type { ConsoleState } from './state.ts'
import { answerForm as answerWords, noChoice, reasonForms, spawnForm as spawnWords, taskForm } from '../text/forms.ts'
import { commentText } from '../text/review.ts'

export interface Field {
  readonly key: string
  readonly label: string
  readonly value: string
  /** A choice among these; a text where there are none. */
  readonly options?: readonly string[]
  readonly hint: string
  /** What others wrote, behind the hint: no key is named in it. */
  readonly heard?: string
}

/** What is typed before something is done. */
export interface Form {
  readonly kind: 'task' | 'spawn' | 'reject' | 'discard' | 'answer' | 'comment' | 'filter' | 'command'
  readonly title: string
  /** The worktree that a reason is about. */
  readonly worktree: string
  /** The number of the request that is answered. */
  readonly request?: number
  /** What is answered, and the first line of it that is seen. */
  readonly question?: { readonly text: string; readonly from: number }
  /** The place in a diff that is remarked on. */
  readonly about?: Remarked
  /** The command that is filled in, how many of its words the last enter found wrong, and whether it is being done. */
  readonly command?: { readonly path: string; readonly wrong: number; readonly running: boolean }
  readonly fields: readonly Field[]
  readonly at: number
}

const { root: NONE, own: OWN, configured: CONFIGURED, ownWords: OWN_WORDS } = noChoice

export const newTaskForm = (state: ConsoleState): Form => ({
  kind: 'task',
  title: taskForm.title,
  worktree: '',
  at: 0,
  fields: [
    text('title', taskForm.labels.title, taskForm.hints.title),
    choice('persona', taskForm.labels.persona, state.personas, 'implementer'),
    text('description', taskForm.labels.description, taskForm.hints.description),
    choice('worktree', taskForm.labels.worktree, [...worktreesOf(state), OWN], worktreeAtHand(state)?.name ?? NONE),
    text('command', taskForm.labels.command, taskForm.hints.command),
    text('depends', taskForm.labels.depends, taskForm.hints.depends),
    text('priority', taskForm.labels.priority, taskForm.hints.priority),
  ],
})

export const spawnForm = (state: ConsoleState, kinds: readonly string[]): Form => ({
  kind: 'spawn',
  title: spawnWords.title,
  worktree: '',
  at: 0,
  fields: [
    choice('persona', spawnWords.labels.persona, state.personas, agentAtHand(state)?.personaId ?? 'implementer'),
    choice('worktree', spawnWords.labels.worktree, worktreesOf(state), worktreeAtHand(state)?.name ?? NONE),
    choice('kind', spawnWords.labels.kind, [CONFIGURED, ...kinds], CONFIGURED),
  ],
})

export const reasonForm = (kind: 'reject' | 'discard', worktree: string): Form => ({
  kind,
  title: reasonForms[kind].title(worktree),
  worktree,
  at: 0,
  fields: [text('reason', reasonForms.label, reasonForms[kind].hint)],
})

export const answerForm = (request: number, question: string, options: readonly string[]): Form => ({
  kind: 'answer',
  title: answerWords.title(question),
  worktree: '',
  request,
  question: { text: question, from: 0 },
  at: 0,
  fields: [
    ...(options.length > 0
      ? [
          {
            key: 'option',
            label: answerWords.label,
            options: [...options, OWN_WORDS],
            value: '',
            hint: answerWords.chooseHint,
            heard: options.map((option) => spelledOut(option).join(' ')).join(', '),
          },
        ]
      : []),
    text('words', options.length > 0 ? answerWords.ownWords : answerWords.label, answerWords.wordsHint),
  ],
})

export const commentForm = (worktree: string, about: Remarked): Form => ({ kind: 'comment', worktree, about, at: 0, ...commentFields(about) })

/** Enter: what is typed goes to its operation, which refuses with a sentence what it cannot take. */
export const submit = (desk: Desk, form: Form): void => submits[form.kind](desk, form, Object.fromEntries(form.fields.map(({ key, value }) => [key, value.trim()])))

type Values = Readonly<Record<string, string>>

const submits: Record<Form['kind'], (desk: Desk, form: Form, values: Values) => void> = {
  task: (desk, _, values) => {
    const wrong = values['title'] === '' ? taskForm.needsTitle : whyNotNumbers(values)
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
        ...(values['worktree'] === NONE ? {} : { targetWorktree: values['worktree'] === OWN ? OWN_WORKTREE : values['worktree']! }),
        ...(values['command'] === '' ? {} : { command: values['command']! }),
      },
      (task) =>
        task.command === null && desk.state().comfort.agentless
          ? { text: `${taskForm.isMade(task.id, task.title)} ${taskForm.lacksAgent}`, tone: 'refused' }
          : taskForm.isMade(task.id, task.title),
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
      (agent) => spawnWords.takesTasks(agent.id, agent.kind, agent.personaId),
    )
  },
  reject: (desk, { worktree }, { reason = '' }) => {
    if (reason === '') return desk.tell(reasonForms.reject.needsReason, 'refused')
    settle(desk, itemOf(desk.state(), { worktree }), reasonForms.reject.did, rejectIntegration, { worktreeName: worktree, reason }, () => reasonForms.reject.isDone(worktree))
  },
  answer: (desk, { request }, { option = OWN_WORDS, words = '' }) => {
    const answer = words !== '' ? words : option === OWN_WORDS ? '' : option
    if (answer === '') return desk.tell(keyed(desk.state(), option === '' ? answerWords.choose : answerWords.needsWords), 'refused')
    settle(desk, itemOf(desk.state(), { requestId: request! }), answerWords.did, answerRequest, { requestId: request!, verdict: 'answer', answer }, ({ agentId }) =>
      answerWords.isTold(agentId, answer),
    )
  },
  comment: (desk, { worktree, about }, { comment = '' }) => (comment === '' ? desk.tell(commentText.needsWords, 'refused') : addComment(desk, worktree, about!, comment)),
  command: (desk, form) => submitCommand(desk, form),
  filter: (desk, _, { name = '' }) => saveUnder(desk, name),
  // Enter destroys nothing: it leads to the question what exactly would happen.
  discard: (desk, { worktree }, { reason = '' }) => {
    if (reason === '') return desk.tell(reasonForms.discard.needsReason, 'refused')
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
  if (!/^-?\d{0,9}$/.test(priority)) return taskForm.wrongPriority(priority)
  if (!/^[\d\s,]*$/.test(depends)) return taskForm.wrongDependencies(depends)
  return undefined
}

const numbers = (list: string): number[] =>
  list
    .split(/[\s,]+/)
    .filter((part) => part !== '')
    .map(Number)
