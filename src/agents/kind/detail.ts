import type { Edit, PlanStep } from '../../domain/agent/conversation.ts'
import { type Fields, list, text } from './json-line.ts'

/** A part of a line that only the conversation view shows: reports and budgets are made from readings. */
export type Detail =
  | { readonly kind: 'thought'; readonly text: string }
  /** The input of a tool: its command, or the changes that it makes. `call` is the id that its reading has. */
  | {
      readonly kind: 'input'
      readonly call: string
      readonly command: string | null
      readonly edits: readonly Edit[]
    }
  | { readonly kind: 'result'; readonly call: string; readonly text: string; readonly failed: boolean }
  /** The whole plan, which replaces the one before. */
  | { readonly kind: 'plan'; readonly steps: readonly PlanStep[] }

/** The command or the edits in the arguments of a tool, by the names that the CLIs use; empty if there are none. */
export const inputOf = (call: string, input: Fields): readonly Detail[] => {
  const command = ['command', 'cmd'].map((key) => text(input[key])).find((one) => one !== '') ?? null
  const path = ['file_path', 'filePath', 'absolute_path', 'path', 'notebook_path']
    .map((key) => text(input[key]))
    .find((one) => one !== '')
  const edits = path === undefined ? [] : editsOf(path, input)
  return command === null && edits.length === 0 ? [] : [{ kind: 'input', call, command, edits }]
}

const editsOf = (path: string, input: Fields): readonly Edit[] => {
  const several = list(input.edits)
  const edits = (several.length > 0 ? several : [input]).map((one) => ({
    path,
    before: first(one, ['old_string', 'oldString', 'old_str', 'old_text', 'oldText']),
    after: first(one, [
      'new_string',
      'newString',
      'new_str',
      'new_text',
      'newText',
      'content',
      'file_text',
      'new_source',
    ]),
  }))
  return edits.filter(({ before, after }) => before !== '' || after !== '')
}

const first = (of: Fields, names: readonly string[]): string =>
  names.map((name) => text(of[name])).find((one) => one !== '') ?? ''

/** The steps of a plan in the form of most CLIs: a list of objects with a text and a status. */
export const planOf = (steps: readonly Fields[]): Extract<Detail, { kind: 'plan' }> => ({
  kind: 'plan',
  steps: steps.map((step) => ({
    text: first(step, ['content', 'step', 'description', 'text', 'title']),
    state: planStates[text(step.status)] ?? (step.completed === true ? 'done' : 'open'),
  })),
})

const planStates: Readonly<Record<string, PlanStep['state']>> = {
  in_progress: 'doing',
  inProgress: 'doing',
  completed: 'done',
  done: 'done',
}
