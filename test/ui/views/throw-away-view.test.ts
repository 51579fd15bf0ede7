import { afterEach, beforeEach, expect, test } from 'vitest'
import { ours } from '../../../src/domain/words/safe-text.ts'
import { type AnyView, type ListView, makeTable } from '../../../src/ui/core/registry.ts'
import { footerOf, helpLines } from '../../../src/ui/keys/help.ts'
import { paneRows, sharedRows } from '../../../src/ui/actions/keys.ts'
import { page } from '../../../src/ui/panes/movement.ts'
import { open } from '../../../src/ui/core/overlays.ts'
import { paletteOf } from '../../../src/ui/views/palette/palette.ts'
import { changingView, type Overlay, type Transition } from '../../../src/ui/core/state.ts'
import { clickOver } from '../../../src/ui/mouse.ts'
import { views } from '../../../src/ui/views/index.ts'
import { openController, type TestController } from '../controller.ts'
import { type Fixture, openFixture } from '../fixture.ts'

// A throw-away view in one place: its row alone must contain everything that the console knows about it.

interface Sketch {
  readonly kind: 'sketch'
  readonly at: number
  readonly top: number
  readonly wiped?: true
}

const LINES = 40

const change = (overlay: Sketch, next: Partial<Sketch>): Transition =>
  changingView(() => ({ overlay: { ...overlay, ...next } as unknown as Overlay }))

type SketchRow = ListView<Sketch, { readonly sketches: number }>

const sketch: SketchRow = {
  kind: 'sketch',
  title: 'In the sketch',
  manner: 'reading',
  opens: [
    {
      id: 'sketch',
      keys: ['K'],
      shown: 'K',
      label: 'sketch',
      help: 'Open the sketch',
      press: (controller) => controller.change(open({ kind: 'sketch', at: 0, top: 0 } as unknown as Overlay)),
    },
  ],
  keys: [
    {
      id: 'wipe',
      keys: ['v'],
      shown: 'v',
      label: 'wipe',
      help: 'Wipe the sketch',
      footer: true,
      press: (controller) =>
        controller.change((state) => change(state.view.overlay as unknown as Sketch, { wiped: true })(state)),
    },
  ],
  empty: { sketches: 0 },
  window: (_, { top }, height) => ({
    title: ours('Sketch'),
    lines: Array.from({ length: height }, (_, row) => ({ text: ours(`line ${top + row}`) })),
    top,
    total: LINES,
  }),
  scroll: (state, overlay, by) => change(overlay, { at: Math.max(0, Math.min(LINES - 1, overlay.at + by)) })(state),
  click: (state, overlay, line) => change(overlay, { at: overlay.top + line })(state),
}

let fixture: Fixture
let controller: TestController

beforeEach(async () => {
  fixture = await openFixture()
  controller = await openController(fixture)
  const table = makeTable([...paneRows, ...sharedRows], [...views, sketch] as unknown as readonly AnyView[])
  controller.change((state) => ({ ...state, table, ...sketch.empty }))
})

afterEach(() => fixture.close())

const seen = (): Sketch => controller.state().view.overlay as unknown as Sketch

test('a view that is one more row of the list is opened by its key, and closed by esc', () => {
  controller.press('K')
  expect(controller.mode()).toBe('sketch')
  controller.press('escape')
  expect(controller.mode()).toBe('list')
})

test('a view that is one more row of the list has its keys in the footer, the help and the palette, under its title', () => {
  const { table, preferences } = controller.state()
  controller.press('K')
  expect(footerOf(controller.state()).keys.map(({ keys, label }) => `${keys} ${label}`)).toContain('v wipe')
  const help = helpLines(table, preferences.bindings).map(({ text }) => String(text))
  expect(help.indexOf('In the sketch')).toBeGreaterThan(-1)
  expect(help[help.indexOf('In the sketch') + 1]).toMatch(/^ {2}v +Wipe the sketch$/)
  expect(help).toContainEqual(expect.stringMatching(/^ {2}K +Open the sketch$/))
  controller.press(':')
  expect(paletteOf(controller.state(), 'wipe the')[0]?.help).toContain('Wipe the sketch')
  controller.press('escape', 'v')
  expect(seen().wiped).toBe(true)
})

test('a view that is one more row of the list scrolls by the shared keys, and a click selects a row of it', () => {
  controller.press('K', 'j', 'j')
  expect(seen().at).toBe(2)
  controller.change(page(1))
  expect(seen().at).toBeGreaterThan(10)
  controller.press('G')
  expect(seen().at).toBe(LINES - 1)
  controller.change(clickOver(5, 3))
  expect(seen().at).toBe(4)
})

test('a view that forgets a part of its row does not compile', () => {
  const { kind, title, manner, keys, empty } = sketch
  // @ts-expect-error It has no title.
  const untitled: SketchRow = { ...sketch, title: undefined }
  // @ts-expect-error It has no keys, not even an empty list.
  const keyless: SketchRow = {
    kind,
    title,
    manner,
    empty,
    window: sketch.window,
    scroll: sketch.scroll,
    click: sketch.click,
  }
  // @ts-expect-error It has nothing to draw, to move to or to click.
  const undrawn: SketchRow = { kind, title, manner, keys, empty }
  expect([untitled, keyless, undrawn]).toHaveLength(3)
})
