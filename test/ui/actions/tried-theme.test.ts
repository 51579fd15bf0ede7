import { afterEach, beforeEach, expect, it } from 'vitest'
import { catalogue } from '../../../src/domain/settings/catalogue.ts'
import { instant } from '../../../src/domain/words/time.ts'
import { closeAll, open } from '../../../src/ui/core/overlays.ts'
import { changingPreferences, type ConsoleState, type Overlay } from '../../../src/ui/core/state.ts'
import { keepPreferences } from '../../../src/ui/preferences.ts'
import { makeStore } from '../../../src/ui/store.ts'
import { startSettingsFeed } from '../../../src/ui/views/settings/settings.ts'
import { eventually } from '../../support/eventually.ts'

const store = makeStore(instant(0))
const wish = (): string => store.getState().preferences.theme.wish
const kept: unknown[] = []
let stops: readonly (() => void)[]
const settings = (changes: Readonly<Record<string, string>>): Overlay => {
  const { theme, bindings, strict } = store.getState().preferences
  const now = { path: 'config.yaml', text: '', target: 'main', settings: [] }
  return { kind: 'settings', now, changes, before: { theme, bindings, strict }, at: 0, top: 0 }
}
const change = (transition: (state: ConsoleState) => ConsoleState): void => store.setState(transition, true)
const trying = (theme: 'dark' | 'light'): void =>
  change(changingPreferences(({ theme: now }) => ({ theme: { ...now, wish: theme } })))

beforeEach(() => {
  kept.length = 0
  const memory = {
    read: () => ({}),
    write: (next: (before: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>) =>
      void kept.push(next({})),
  }
  stops = [
    keepPreferences({ tell: () => {} }, store, memory),
    startSettingsFeed(undefined as never, store, (work) => async () => {
      await work()
      return true
    }),
  ]
})
afterEach(() => stops.forEach((stop) => stop()))

it('a theme that is only tried is not kept for the next console, and is undone whichever way the settings are left', async () => {
  expect(catalogue.map(({ key }) => key)).toContain('console.theme')
  change(open(settings({ 'console.theme': 'light' })))
  trying('light')
  expect([wish(), kept]).toEqual(['light', []])
  change(closeAll)
  await eventually(() => expect(wish()).toBe('auto'))
  expect(kept.at(-1)).toMatchObject({ comfort: { theme: 'auto' } })
})

it('a theme of saved settings is kept for the next console', async () => {
  change(open(settings({ 'console.theme': 'dark' })))
  trying('dark')
  // The answer of a question closes the view for a moment.
  const front = store.getState().view.overlay!
  change(closeAll)
  change(open(front))
  await new Promise((next) => setImmediate(next))
  expect(wish()).toBe('dark')
  const saved = settings({})
  change((state) => ({ ...state, view: { ...state.view, overlay: saved } }))
  expect(kept.at(-1)).toMatchObject({ comfort: { theme: 'dark' } })
  change(closeAll)
  await new Promise((next) => setImmediate(next))
  expect(wish()).toBe('dark')
})
