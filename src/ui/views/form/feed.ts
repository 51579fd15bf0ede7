import { safeText } from '../../../domain/words/safe-text.ts'
import { perform } from '../../../operations/perform/perform.ts'
import { nameTasks } from '../../../operations/screens/related-tasks.ts'
import { findTasks } from '../../../operations/screens/search.ts'
import { noChoice } from '../../../text/forms.ts'
import { type Field, type Form, nameIn, type OfferedTask } from '../../core/form.ts'
import type { Feed } from '../../core/registry.ts'
import { changingView, type ConsoleState, type Transition } from '../../core/state.ts'
import { throttled } from '../../core/timers.ts'
import { changeField } from './form.ts'

/** Names that are offered. */
const MOST = 5

/** Task numbers that one read searches, and the reads for one word: the newest tasks of a huge board are found by number. */
const SPAN = 10_000
const READS = 10

/** Facts that a form in front shows beside its fields. */
export const startFormFeed: Feed = (...given) => {
  const stops = [startOffersFeed(...given), startUnconfinedFeed(...given)]
  return () => {
    for (const stop of stops) stop()
  }
}

/** Finds the tasks that a typed word names, while a form with such a field is in front. */
const startOffersFeed: Feed = ({ connection: { core, actor } }, store, careful) => {
  let found = ''
  const search = throttled(
    100,
    careful(async () => {
      const word = wordIn(store.getState())
      if (word === found) return
      const offers = word === '' ? [] : await offersFor(word)
      found = word
      if (wordIn(store.getState()) === word) store.setState(offered(offers), true)
    }),
  )
  const offersFor = async (word: string): Promise<readonly OfferedTask[]> => {
    const ids: number[] = []
    const where = word.replace(/[^\p{L}\p{N}]+/gu, ' ').trim()
    if (where === '') return []
    for (let from: number | null = 1, reads = 0; from !== null && ids.length < MOST && reads < READS; reads++) {
      const part: { ids: readonly number[]; next: number | null } = await perform(
        core,
        findTasks,
        { where, from, span: SPAN },
        actor,
      )
      ids.push(...part.ids)
      from = part.next
    }
    const named = await perform(core, nameTasks, { ids: ids.slice(0, MOST) }, actor)
    return named.map(({ id, title }) => ({ id, title }))
  }
  const stop = store.subscribe((state, before) => {
    if (state.view.overlay !== before.view.overlay && wordIn(state) !== found) search.ask()
  })
  return () => {
    stop()
    search.stop()
  }
}

const wordIn = (state: ConsoleState): string => {
  const field = fieldIn(state)
  return field?.names === 'tasks' ? nameIn(field.value) : ''
}

const fieldIn = ({ view: { overlay } }: ConsoleState): Field | undefined =>
  overlay?.kind === 'form' ? overlay.form.fields[overlay.form.at] : undefined

const offered = (offers: readonly OfferedTask[]): Transition =>
  changingView(({ overlay }) =>
    overlay?.kind === 'form' && overlay.form.fields[overlay.form.at]?.names === 'tasks'
      ? { overlay: { ...overlay, form: changeField(overlay.form, (field) => ({ ...field, offers })) } }
      : {},
  )

/** Shows why the agent of a form that starts one would not be confined, again for each choice. */
const startUnconfinedFeed: Feed = ({ connection: { outside } }, store, careful) => {
  let known = ''
  const keyOf = (start: ReturnType<typeof startIn>): string => (start === undefined ? '' : JSON.stringify(start))
  const read = throttled(
    0,
    careful(async () => {
      const start = startIn(store.getState())
      const why = start === undefined ? null : await outside.whyUnconfined(start)
      known = keyOf(start)
      if (start !== undefined && keyOf(startIn(store.getState())) === known) store.setState(heard(why), true)
    }),
  )
  const end = store.subscribe((state) => {
    if (keyOf(startIn(state)) !== known) read.ask()
  })
  return () => {
    end()
    read.stop()
  }
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
