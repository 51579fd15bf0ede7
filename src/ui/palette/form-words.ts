import { ours, safeText, type SafeText, spelledOut } from '../../domain/safe-text.ts'
import type { CommandWords } from '../../../components/form-lines.ts'
import type { Form } from '../forms.ts'
import { keyed } from '../key-names.ts'
import type { ConsoleState } from '../state.ts'
import { commandOf, shownLine, valuesOf } from './command-form.ts'
import { formHints } from '../../text/palette.ts'

/** What a form is made of beside itself. */
export type FormTable = Pick<ConsoleState, 'commands' | 'comfort'>

/** The form of a command as it is drawn, and as its lines are counted. */
export const wordsOf = (state: FormTable, form: Form): CommandWords => {
  const command = commandOf(state, form)
  const wrong = command && form.command?.wrong ? command.refusals(valuesOf(form)) : {}
  return {
    fields: form.fields.map((field) => ({
      label: ours(field.label),
      value: ours(spelledOut(field.value).join(' ')),
      choice: field.options !== undefined,
      hint: safeText(field.hint),
      wrong: wrong[field.key] === undefined ? null : safeText(wrong[field.key]!),
    })),
    at: form.at,
    line: shownLine(state.commands, form),
    hint: hintBelow(state, form),
  }
}

/** The keys of a form, as they stand below it. */
export const hintBelow = (state: FormTable, form: Form): SafeText => {
  if (form.command?.running) return ours(formHints.running)
  const hint = form.command ? formHints.command : form.fields.length > 1 ? formHints.several : formHints.one
  // What sends a form off in the strict mode.
  return ours(keyed(state, state.comfort.strict ? hint.replace('{submit}', '{leader} {submit}') : hint))
}
