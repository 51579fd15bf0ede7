import { safeText } from '../../../domain/words/safe-text.ts'
import type { Form } from '../../core/form.ts'
import { type ConsoleState, changingView, type Transition } from '../../core/state.ts'
import type { Feed } from '../../core/registry.ts'
import { noChoice } from '../../../text/forms.ts'

/** Shows why the agent of a form that starts one would not be confined, again for each choice. */
export const startUnconfinedFeed: Feed = ({ connection: { outside } }, store, careful) => {
  let asked = ''
  return store.subscribe((state) => {
    const start = startIn(state)
    const key = start === undefined ? '' : JSON.stringify(start)
    if (key === asked) return
    asked = key
    if (start === undefined) return
    void careful(async () => {
      const why = await outside.whyUnconfined(start)
      if (asked === key) store.setState(heard(why), true)
    })()
  })
}

const startIn = ({ view: { overlay } }: ConsoleState) => {
  if (overlay?.kind !== 'form' || overlay.form.kind !== 'spawn') return undefined
  const valueOf = (key: string): string => overlay.form.fields.find((field) => field.key === key)?.value ?? ''
  const kind = valueOf('kind')
  return { personaId: valueOf('persona'), kind: kind === noChoice.configured ? null : kind }
}

/** Said beside the field in front, whichever it is. */
const heard = (why: string | null): Transition =>
  changingView(({ overlay }) =>
    overlay?.kind === 'form' && overlay.form.kind === 'spawn'
      ? { overlay: { ...overlay, form: withHeard(overlay.form, why) } }
      : {},
  )

const withHeard = (form: Form, why: string | null): Form => ({
  ...form,
  fields: form.fields.map(({ heard: _, ...field }) => (why === null ? field : { ...field, heard: safeText(why) })),
})
