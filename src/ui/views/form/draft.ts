import { filledIn, type Form } from '../../core/form.ts'
import { noticed } from '../../core/reducers.ts'
import type { Transition } from '../../core/state.ts'
import { keyed } from '../../keys/bindings.ts'
import { formText } from '../../../text/forms.ts'

/** True if a person has typed a text into the form of a new task, which a slip of Esc must not lose. */
export const draftIn = (form: Form): boolean =>
  form.kind === 'task' && form.fields.some(({ options, value }) => options === undefined && value.trim() !== '')

export const keepingDraft =
  (form: Form): Transition =>
  (state) => ({ ...noticed(keyed(state, formText.draftKept), 'told')(state), draft: filledIn(form) })
