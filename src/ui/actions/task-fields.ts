import { OWN_WORKTREE } from '../../domain/worktree/worktree.ts'
import { choiceField, type Field, type FormValues, textField } from '../core/form.ts'
import type { ConsoleState } from '../core/state.ts'
import { noChoice, taskForm as words } from '../../text/forms.ts'

// The fields of a task in a form, and what their values mean.

const { root: NONE, own: OWN, configured: CONFIGURED, anyHost: ANY } = noChoice

/** The fields that a new task and an edited one share, with their present values and the last ones. */
export const sharedFields = (
  kinds: readonly string[],
  now: FormValues,
  last: FormValues = {},
): Readonly<Record<'description' | 'depends' | 'criteria' | 'priority' | 'kind' | 'model' | 'budget', Field>> => {
  const text = (key: keyof typeof words.hints, more: Partial<Field> = {}): Field => ({
    ...textField(key, words.labels[key], words.hints[key], { value: now[key] ?? '' }),
    ...(last[key] === undefined ? {} : { last: last[key] }),
    ...more,
  })
  return {
    description: text('description', { lines: true }),
    depends: text('depends', { names: 'tasks' }),
    criteria: text('criteria', { lines: true }),
    priority: text('priority'),
    kind: choiceField('kind', words.labels.kind, [CONFIGURED, ...kinds], now['kind'] ?? CONFIGURED),
    model: text('model'),
    budget: text('budget'),
  }
}

/** The fields of the host of a worktree that is yet to be built. */
export const hostFields = (hosts: readonly string[], now: FormValues): readonly [host: Field, labels: Field] => [
  // The host of a wish may be gone, or be named by its id.
  choiceField(
    'host',
    words.labels.host,
    [...new Set([ANY, ...hosts, ...(now['host'] === undefined ? [] : [now['host']])])],
    now['host'] ?? ANY,
  ),
  textField('labels', words.labels.labels, words.hints.labels, { value: now['labels'] ?? '' }),
]

/** The worktrees that take work: a new one of its own first, the main checkout last. */
export const taskWorktrees = ({ board }: ConsoleState): readonly string[] => [
  OWN,
  ...board.worktrees.filter((worktree) => worktree.status === 'active').map(({ name }) => name),
  NONE,
]

/** The values of the fields for an operation; a key without a field is undefined. */
export const meaningOf = (values: FormValues) => ({
  description: values['description'],
  priority: values['priority'] === undefined ? undefined : Number(values['priority'] || 0),
  dependencies: values['depends'] === undefined ? undefined : numbers(values['depends']),
  acceptanceCriteria: values['criteria']
    ?.split('\n')
    .map((line) => line.replace(/^\s*(?:[-*]\s+)?/, '').trim())
    .filter((line) => line !== ''),
  kind: values['kind'] === undefined ? undefined : values['kind'] === CONFIGURED ? null : values['kind'],
  host: values['host'] === undefined ? undefined : values['host'] === ANY ? null : values['host'],
  labels: values['labels']?.split(/[\s,]+/).filter((label) => label !== ''),
  model: values['model'] === undefined ? undefined : values['model'] === '' ? null : values['model'],
  budget: values['budget'] === undefined ? undefined : budgetOf(values['budget']),
  targetWorktree:
    values['worktree'] === undefined || values['worktree'] === NONE
      ? undefined
      : values['worktree'] === OWN
        ? OWN_WORKTREE
        : values['worktree'],
})

export const whyNotTask = ({ priority = '', depends = '', budget = '' }: FormValues): string | undefined => {
  if (!/^-?\d{0,9}$/.test(priority)) return words.wrongPriority(priority)
  if (!/^[\d\s,]*$/.test(depends)) return words.wrongDependencies(depends)
  if (budgetOf(budget) === undefined) return words.wrongBudget(budget)
  return undefined
}

const numbers = (list: string): number[] =>
  list
    .split(/[\s,]+/)
    .filter((part) => part !== '')
    .map(Number)

/** `2.50` are dollars, `200000 tokens` or `200k tokens` tokens; both, or nothing. */
const budgetOf = (text: string): { costUsd: number | null; tokens: number | null } | undefined => {
  let costUsd: number | null = null
  let tokens: number | null = null
  for (const part of text.split(/[,;]|\band\b/).map((one) => one.trim())) {
    if (part === '') continue
    const [, amount, unit = ''] = /^\$?(\d+(?:\.\d+)?)\s*(k|m)?\s*(?:tokens?|tok)$/i.exec(part) ?? []
    const [, sum] = /^\$?(\d+(?:\.\d+)?)(?:\s*dollars?)?$/i.exec(part) ?? []
    if (amount !== undefined) tokens = Math.round(Number(amount) * ({ k: 1e3, m: 1e6 }[unit.toLowerCase()] ?? 1))
    else if (sum !== undefined) costUsd = Number(sum)
    else return undefined
  }
  return costUsd === 0 || tokens === 0 ? undefined : { costUsd, tokens }
}

/** A budget as it is typed. */
export const budgetText = ({
  costUsd,
  tokens,
}: {
  readonly costUsd: number | null
  readonly tokens: number | null
}): string =>
  [...(costUsd === null ? [] : [String(costUsd)]), ...(tokens === null ? [] : [words.tokens(tokens)])].join(', ')
