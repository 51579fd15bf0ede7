import type { ConsoleCommand } from '../../contracts/console.ts'
import { shellLine } from '../../domain/words/shell-words.ts'
import type { Controller } from './controller.ts'

export interface Field {
  readonly key: string
  readonly label: string
  readonly value: string
  /** A choice among these; a text where there are none. */
  readonly options?: readonly string[]
  readonly hint: string
  /** True if the text may have several lines; the editor opens on it. */
  readonly lines?: true
  /** Its words name tasks, by number or by words of the title. */
  readonly names?: 'tasks'
  /** Tasks with the last typed word in their titles. */
  readonly offers?: readonly OfferedTask[]
  /** The last value, which one key puts into the empty field. */
  readonly last?: string
  /** Letters typed since the choice got the focus; they narrow its options. */
  readonly sought?: string
  /** Text by others, shown after the hint; its placeholders are not replaced by keys. */
  readonly heard?: string
}

export interface OfferedTask {
  readonly id: number
  readonly title: string
}

/** The input that an action needs before it runs. */
export interface Form {
  readonly kind:
    | 'task'
    | 'edit'
    | 'spawn'
    | 'say'
    | 'reject'
    | 'discard'
    | 'answer'
    | 'comment'
    | 'filter'
    | 'command'
    | 'setting'
    | 'hand-back'
    | 'fork'
    | 'allow-host'
  readonly title: string
  /** The worktree that it is about. */
  readonly worktree?: string
  /** The number of the request that is answered. */
  readonly request?: number
  /** The question that is answered, and its first visible line. */
  readonly question?: { readonly text: string; readonly from: number }
  /** The command that is filled in, how many of its words the last enter found wrong, and whether it is being done. */
  readonly command?: { readonly command: ConsoleCommand; readonly wrong: number; readonly running: boolean }
  readonly fields: readonly Field[]
  readonly at: number
  /** Enter: what is typed goes to its operation, which refuses with a sentence what it cannot take. */
  readonly submit: (controller: Controller, values: FormValues, form: Form) => void
}

/** The last word of a list of tasks, if it is a name and no number. */
export const nameIn = (value: string): string => {
  const word = value.split(',').at(-1)!.trim()
  return /^[\d\s]*$/.test(word) ? '' : word
}

/** The typed values, by the keys of the fields. */
export type FormValues = Readonly<Record<string, string>>

/** The words of the fields, without those that are empty. */
export const filledIn = ({ fields }: Form): FormValues =>
  Object.fromEntries(fields.filter(({ value }) => value.trim() !== '').map(({ key, value }) => [key, value.trim()]))

/** The line that does the same as a command's form, for a shell. */
export const shellLineOf = (form: Form): string | undefined =>
  form.command && shellLine(form.command.command.line(filledIn(form)))

export const submit = (controller: Controller, form: Form): void =>
  form.submit(controller, Object.fromEntries(form.fields.map(({ key, value }) => [key, value.trim()])), form)

export const textField = (
  key: string,
  label: string,
  hint: string,
  more: Partial<Pick<Field, 'value' | 'lines' | 'names' | 'last'>> = {},
): Field => ({ key, label, value: '', hint, ...more })

export const choiceField = (key: string, label: string, options: readonly string[], value: string): Field => ({
  key,
  label,
  options,
  hint: '',
  value: options.includes(value) ? value : (options[0] ?? ''),
})
