import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { Settings } from '../../src/domain/settings/settings.ts'
import { readConsoleMemory, writeConsoleMemory } from '../../src/effects/opening/console-world.ts'
import { formHints } from '../../src/text/forms.ts'
import { typingHints } from '../../src/text/panes.ts'
import { BODY_TOP, layoutOf, roomsIn, shownPanes } from '../../src/ui/core/layout.ts'
import { sheetOf } from '../../src/ui/core/overlays.ts'
import { changingView, panes, plainArrangement, plainPreferences } from '../../src/ui/core/state.ts'
import { themeName } from '../../src/ui/core/theme.ts'
import { bind, keyed, type WishedKeys } from '../../src/ui/keys/bindings.ts'
import { footerOf, helpLines } from '../../src/ui/keys/help.ts'
import { hitAt, pressMouse } from '../../src/ui/mouse.ts'
import { arrangementNote, hide, widen } from '../../src/ui/panes/arrangement.ts'
import { cycleShape, guideOf } from '../../src/ui/panes/board.ts'
import { resized } from '../../src/ui/panes/movement.ts'
import { beginPreferences, keepPreferences, keepView, readKept, readView } from '../../src/ui/preferences.ts'
import { initialState, makeStore } from '../../src/ui/store.ts'
import { filterHint } from '../../src/ui/views/filter/filter.ts'
import { helpOf } from '../../src/ui/views/help/view.ts'
import { cursorIn, inboxItems } from '../../src/ui/views/inbox/inbox.ts'
import { table } from '../../src/ui/views/index.ts'
import { paletteOf } from '../../src/ui/views/palette/palette.ts'
import { openController, type TestController } from './controller.ts'
import { type Fixture, openFixture } from './fixture.ts'

const state = initialState('2026-01-30T14:22:33.000Z')

const problemOf = (wished: WishedKeys): string | undefined => {
  const bound = bind(table, wished)
  return 'problem' in bound ? `${bound.id}: ${bound.problem}` : undefined
}

/** A state whose keys the configuration has changed. */
const boundTo = (wished: WishedKeys) => {
  const bound = bind(table, wished)
  if ('problem' in bound) throw new Error(bound.problem)
  return { ...state, preferences: { ...state.preferences, bindings: bound.bindings } }
}

const linesOf = (lines: ReturnType<typeof helpLines>): string => lines.map(({ text }) => text).join('\n')

test('two keys may be swapped, and every text that names them shows it', () => {
  const other = boundTo({ spawn: ['r'], retry: ['s'] })
  expect(footerOf(other).keys.slice(0, 2)).toEqual([
    { keys: 'r', label: 'spawn', blocked: false },
    { keys: 's', label: 'retry', blocked: true },
  ])
  expect(linesOf(helpLines(table, other.preferences.bindings))).toMatch(/ r +Start an agent for the task/)
  expect(JSON.stringify(paletteOf(other, 'start an agent for'))).toContain('"r"')
})

test('a sentence names a key by its current binding, and other words stay', () => {
  const other = boundTo({ new: ['A'], 'item-open': ['ctrl-o'] })
  expect(keyed(state, 'No task to open. {new} creates one.')).toBe('No task to open. n creates one.')
  expect(keyed(other, '{new} makes one, {item-open} shows it, {} and {none} stay')).toBe(
    'A makes one, ctrl-o shows it, {} and {none} stay',
  )
  expect(
    JSON.stringify(
      paletteOf(
        { ...other, view: { ...other.view, overlay: { kind: 'palette', text: 'open', at: 0 } } },
        'open the selected',
      ),
    ),
  ).toContain('A creates one')
})

test('a key binding that is impossible is refused with a sentence that names both keys', () => {
  expect(problemOf({ spawn: ['r'] })).toBe(
    "spawn: 'r' of 'spawn' is already the key of 'retry'. Give 'retry' another key too",
  )
  expect(problemOf({ spwan: ['A'] })).toBe("spwan: no key has the name 'spwan' (set to 'A'); did you mean spawn?")
  expect(problemOf({ nwe: ['A'] })).toBe("nwe: no key has the name 'nwe' (set to 'A'); did you mean new?")
  expect(problemOf({ elephants: ['A'] })).toBe(
    "elephants: no key has the name 'elephants' (set to 'A'); docs/console.md and the search in the help list the names",
  )
  expect(problemOf({ spawn: ['f5'] })).toBe(
    "spawn: 'f5' cannot be the key of 'spawn': terminals do not send it as one key",
  )
  expect(problemOf({ spawn: ['ctrl-i'] })).toBe(
    "spawn: 'ctrl-i' cannot be the key of 'spawn': a terminal cannot tell it from tab",
  )
  expect(problemOf({ spawn: ['ctrl-c'] })).toBe(
    "spawn: 'ctrl-c' cannot be the key of 'spawn': it quits the console from any view",
  )
  expect(problemOf({ 'rub-out': ['x'] })).toBe(
    "rub-out: 'x' cannot be the key of 'rub-out': in a text field, a letter is text",
  )
  expect(problemOf({ spawn: [] })).toBe("spawn: 'spawn' needs a key")
  expect(problemOf({ spawn: ['A'], down: ['n', 'down'] })).toContain("'n' of 'down'")
})

test('a configuration cannot bind an approval to another key', () => {
  expect(problemOf({ approve: ['j'] })).toBe(
    "approve: 'approve' answers a question that cannot be undone, so its key stays 'y'",
  )
  for (const { id } of table.rows.filter((row) => row.keys.includes('y') && row.modes.some((mode) => mode !== 'list')))
    expect(problemOf({ [id]: ['Y'] }), id).toBeDefined()
})

test('the keys that leave a mode stay, whatever the configuration says', () => {
  const bound = bind(table, { quit: ['Q'], back: ['backspace'] })
  expect(bound).toEqual({
    id: 'back',
    problem: expect.stringContaining("'backspace' of 'back' is already the key of 'rub-out'") as unknown,
  })
  expect(bind(table, { quit: ['Q'], 'clear-filter': ['ctrl-b'] })).toMatchObject({
    bindings: { quit: { keys: ['Q', 'ctrl-c'], shown: 'Q' }, 'clear-filter': { keys: ['ctrl-b', 'escape'] } },
  })
})

test('NO_COLOR overrides every theme, and the configuration overrides the saved theme', () => {
  expect(themeName({ wish: 'light', background: 'light', colourless: true })).toBe('mono')
  expect(themeName({ wish: 'auto', background: 'light', colourless: false })).toBe('light')
  expect(themeName({ wish: 'auto', background: undefined, colourless: false })).toBe('dark')
  expect(themeName({ wish: 'contrast', background: 'light', colourless: false })).toBe('contrast-light')
})

test('panes fill the body, however they are hidden and resized', () => {
  for (const hidden of [[], ['agents'], ['board', 'agents'], ['log', 'worktrees', 'board']] as const) {
    for (const left of [1, 60, 500]) {
      for (const lines of [1, 60]) {
        for (const [columns, rows] of [
          [200, 50],
          [100, 16],
          [80, 24],
        ] as const) {
          const moved = { left, heights: { agents: lines, log: lines } }
          const arrangement = { ...plainArrangement, hidden, borders: { wide: moved, narrow: moved } }
          const { rooms, body } = layoutOf(columns, rows, 'worktrees', 0, arrangement)
          const lefts = [...new Set(Object.values(rooms).map((room) => room.left))]
          for (const left of lefts) {
            const column = Object.values(rooms).filter((room) => room.left === left)
            expect(column.every((room) => room.height >= 1)).toBe(true)
            expect(column.reduce((sum, room) => sum + room.height + 1, 1)).toBe(body)
          }
          expect(
            lefts.reduce((sum, left) => sum + Object.values(rooms).find((room) => room.left === left)!.width + 2, 0),
          ).toBe(columns)
          expect(Object.keys(rooms).sort()).toEqual([...shownPanes(arrangement, 'worktrees')].sort())
        }
      }
    }
  }
})

test('a saved state that a person has edited by hand breaks nothing', () => {
  expect(readKept({})).toEqual({ theme: null, arrangement: plainArrangement, guided: false })
  expect(
    readKept({
      comfort: {
        theme: 'pink',
        arrangement: {
          hidden: [...panes],
          borders: { wide: { left: 1e9, heights: { log: 2, moon: 3, agents: -1 } }, narrow: 'low', round: {} },
        },
        guided: 'yes',
      },
    }),
  ).toEqual({
    theme: null,
    arrangement: { zoomed: false, hidden: [], borders: { wide: { heights: { log: 2 } } } },
    guided: false,
  })
})

let fixture: Fixture
let controller: TestController

beforeEach(async () => {
  fixture = await openFixture()
  controller = await openController(fixture)
  controller.change((before) => ({
    ...before,
    loaded: true,
    view: { ...before.view, size: { columns: 120, rows: 30 } },
  }))
})
afterEach(() => fixture.close())

/** Panes beside each other. */
const besideOthers = (columns = 160): void =>
  controller.change((before) => ({ ...before, view: { ...before.view, size: { columns, rows: 30 } } }))

const beStrict = (): void =>
  controller.change((before) => ({ ...before, preferences: { ...before.preferences, strict: true } }))
const arrangement = () => controller.state().preferences.arrangement

test('Z zooms the focused pane, and again shows all panes', () => {
  controller.press('3', 'Z')
  const { columns, rows } = controller.state().view.size
  expect(Object.keys(layoutOf(columns, rows, 'log', 0, arrangement()).rooms)).toEqual(['log'])
  controller.press('Z')
  expect(Object.keys(layoutOf(columns, rows, 'log', 0, arrangement()).rooms)).toHaveLength(4)
})

test('_ hides a pane, and a second _ or its number shows it again', () => {
  controller.press('2', '_')
  expect([arrangement().hidden, controller.state().view.pane]).toEqual([['agents'], 'log'])
  expect(controller.notice()).toBe('The list of agents is hidden. 2 shows it again.')
  controller.press('_')
  expect([arrangement().hidden, controller.state().view.pane]).toEqual([[], 'agents'])
  // A pane that is back is no longer reported as hidden.
  expect(controller.notice()).toBe('')
  controller.press('_', 'tab', 'shift-tab', '_')
  expect(arrangement().hidden).toEqual(['agents', 'log'])
  controller.press('1', 'tab')
  expect(controller.state().view.pane).toBe('worktrees')
  controller.press('2')
  expect([arrangement().hidden, controller.state().view.pane]).toEqual([['log'], 'agents'])
  // The sentence about the log is still true.
  expect(controller.notice()).toBe('The log is hidden. 3 shows it again.')
  controller.press('3')
  expect([arrangement().hidden, controller.notice()]).toEqual([[], ''])
})

test('the reason for missing panes is shown in the footer, with the key that shows them', () => {
  const note = (): string => arrangementNote(controller.state())
  expect(note()).toBe('')
  controller.press('Z')
  expect(note()).toBe('zoomed, Z shows all')
  controller.press('Z', '2', '_', '_', '1', '2', '_', '_', '1')
  expect(note()).toBe('')
  controller.press('2', '_', '_', '_', '_', '_')
  expect([arrangement().hidden, note()]).toEqual([['agents'], 'hidden: 2'])
  controller.press('4', '_', '1')
  expect(note()).toBe('hidden: 2 4')
  controller.change((before) => ({
    ...before,
    preferences: { ...before.preferences, bindings: { agents: { keys: ['A'], shown: 'A' } } },
  }))
  expect(note()).toBe('hidden: A 4')
})

test('a pane that cannot grow shows why', () => {
  besideOthers()
  controller.press('2', '_', '1', '+')
  expect([arrangement().borders, controller.notice()]).toEqual([{}, 'No pane is above or below this one: use > and <.'])
  controller.press('3')
  controller.press('_', '4', '_', '1')
  for (const key of ['>', '+']) {
    controller.press('escape', key)
    expect(controller.notice()).toBe(
      'The last visible pane cannot be hidden. Press the number of another pane to show it.',
    )
  }
})

test('the last pane cannot be hidden', () => {
  controller.press('_', 'tab', 'shift-tab', '_', 'tab', 'shift-tab', '_', 'tab', '_')
  expect(arrangement().hidden).toHaveLength(3)
  expect(controller.notice()).toBe(
    'The last visible pane cannot be hidden. Press the number of another pane to show it.',
  )
})

test('panes grow and shrink as long as they have neighbours', () => {
  besideOthers()
  const widthOf = () => roomsIn(controller.state()).board!.width
  const before = widthOf()
  controller.press('<', '<')
  expect(widthOf()).toBeLessThan(before)
  controller.press('3', '<', '<')
  expect(widthOf()).toBe(before)
  const heightOf = () => roomsIn(controller.state()).log!.height
  controller.press('-')
  const low = heightOf()
  controller.press('+')
  expect(heightOf()).toBeGreaterThan(low)
  controller.change((state) => ({ ...state, view: { ...state.view, size: { columns: 80, rows: 24 } } }))
  controller.press('>')
  expect(controller.notice()).toBe('The panes are stacked: use - and +.')
})

test('a pane at its maximum or minimum width says so, and the opposite key has a visible effect', () => {
  const width = (): number => roomsIn(controller.state()).board!.width
  for (const columns of [150, 200]) {
    besideOthers(columns)
    for (const [key, sentence] of [
      ['<', 'The pane has its minimum width. > makes it wider.'],
      ['>', 'The pane has its maximum width. < makes it narrower.'],
    ] as const) {
      const widths = Array.from({ length: 20 }, () => {
        controller.press('escape', key)
        return [width(), controller.notice()] as const
      })
      // Every press has a visible effect, until each says why it has none.
      const end = widths.findIndex(([, notice]) => notice === sentence)
      const seen = widths.slice(0, end).map(([columns]) => columns)
      expect([end > 3, new Set(seen).size, new Set(widths.slice(end).map(String)).size]).toEqual([true, end, 1])
    }
  }
  // The maximum width on a wide screen is more than this one allows.
  besideOthers(200)
  for (let at = 0; at < 20; at++) controller.press('>')
  besideOthers(150)
  const widest = width()
  controller.press('<')
  expect(width()).toBeLessThan(widest)
})

test('the next console starts with the saved state, next to the state of other consoles', () => {
  const root = mkdtempSync(join(tmpdir(), 'aiswarm-kept-'))
  try {
    mkdirSync(join(root, '.aiswarm'))
    writeConsoleMemory(root, { filters: ['mine'] })
    const store = makeStore(fixture.core.clock())
    const memory = {
      read: () => readConsoleMemory(root),
      write: (patch: Parameters<typeof writeConsoleMemory>[1]) => writeConsoleMemory(root, patch),
    }
    const stop = keepPreferences(controller, store, memory)
    store.setState((before) => widen(1)(hide(before)), true)
    const kept = store.getState().preferences.arrangement.borders.wide?.left
    stop()
    store.setState((before) => widen(1)(before), true)
    expect(readConsoleMemory(root)['filters']).toEqual(['mine'])
    const options = { connection: fixture.connection, memory } as unknown as Parameters<typeof beginPreferences>[0]
    expect(beginPreferences(options, {}, table).arrangement).toEqual({
      zoomed: false,
      hidden: ['board'],
      borders: { wide: { left: kept, heights: {} } },
    })
    expect(beginPreferences(options, { NO_COLOR: '1', INK_SCREEN_READER: '1' }, table)).toMatchObject({
      spoken: true,
      theme: { colourless: true },
    })
    const { core } = fixture.connection
    const agentless = (agents: Partial<Settings['agents']>): boolean =>
      beginPreferences(
        {
          ...options,
          connection: {
            ...fixture.connection,
            core: {
              ...core,
              settings: { ...core.settings, agents: { ...core.settings.agents, default: null, ...agents } },
            },
          },
        },
        {},
        table,
      ).agentless
    expect(
      [
        {},
        { default: 'claude' },
        { personas: { tester: { kind: 'codex', args: [], approvals: 'ask' as const, allow: [] } } },
      ].map(agentless),
    ).toEqual([true, false, false])
  } finally {
    rmSync(root, { recursive: true })
  }
})

test('the next console has the applied filter, and not one that is being typed or is invalid', () => {
  let written: Readonly<Record<string, unknown>> = {}
  const memory = {
    read: () => written,
    write: (patch: (kept: typeof written) => typeof written) => void (written = { ...written, ...patch(written) }),
  }
  const open = () => {
    const store = makeStore(fixture.core.clock())
    keepView({ tell: controller.tell, change: (to) => store.setState(to(store.getState()), true) }, store, memory)
    return store
  }
  const store = open()
  const view = (change: object): void =>
    store.setState((state) => ({ ...state, view: { ...state.view, ...change } }), true)
  view({ filter: 'state:fai', overlay: { kind: 'filter', text: 'state:fai' } })
  expect(written).toEqual({})
  view({ filter: 'state:failed', overlay: { kind: 'form', behind: { kind: 'filter', text: 'state:failed' } } })
  expect(written).toEqual({})
  view({ overlay: null })
  expect(open().getState().view.filter).toBe('state:failed')
  view({ filter: '' })
  expect(open().getState().view.filter).toBe('')
  written = { view: { filter: 'state:nonsense' } }
  expect(open().getState().view.filter).toBe('')
})

test('the next console has the saved sort and board shape, and ignores invalid ones', () => {
  let kept: Readonly<Record<string, unknown>> = { filters: ['mine'] }
  const memory = {
    read: () => kept,
    write: (patch: (before: typeof kept) => typeof kept) => void (kept = { ...kept, ...patch(kept) }),
  }
  const store = makeStore(fixture.core.clock())
  const on = {
    tell: controller.tell,
    change: (transition: Parameters<typeof controller.change>[0]) =>
      store.setState((before) => transition(before), true),
  }
  const stop = keepView(on, store, memory)
  on.change(cycleShape)
  on.change(changingView(() => ({ sorts: { board: 'priority', agents: 'task' } })))
  stop()
  expect(kept).toEqual({
    filters: ['mine'],
    view: { sorts: { board: 'priority', agents: 'task' }, shape: 'columns', filter: '' },
  })
  const next = makeStore(fixture.core.clock())
  keepView({ ...on, change: (transition) => next.setState((before) => transition(before), true) }, next, memory)()
  expect(next.getState().view).toMatchObject({ sorts: { board: 'priority', agents: 'task' }, shape: { as: 'columns' } })
  expect(readView({ view: { sorts: { board: 'colour', log: 'time', agents: 3 }, shape: 'globe' } })).toMatchObject({
    sorts: {},
    shape: { as: 'list' },
  })
  expect(readView({ view: 'x' })).toMatchObject({ sorts: {}, shape: { as: 'list' } })
})

test('an impossible key binding stops the start, with its place in the file, in one sentence', () => {
  const begin = (keys: WishedKeys) => () => {
    const core = {
      ...fixture.core,
      settings: { ...fixture.core.settings, console: { ...fixture.core.settings.console, keys } },
    }
    const options = {
      connection: { ...fixture.connection, core },
      placeOf: (place: readonly string[]) => `config.yaml:3 (${place.join('.')})`,
    } as unknown as Parameters<typeof beginPreferences>[0]
    return beginPreferences(options, {}, table)
  }
  expect(begin({ spawn: ['r'] })).toThrow(
    /^config\.yaml:3 \(console\.keys\.spawn\): console\.keys\.spawn: 'r' of 'spawn' is already the key of 'retry'. Give 'retry' another key too\.$/,
  )
  expect(begin({ nwe: ['A'] })).toThrow(/; did you mean new\?$/)
})

test('the example key bindings of docs/configuration.md are possible', () => {
  const example = /Other keys by the names [^`]*`(\{.*?\})`/.exec(
    readFileSync(join(import.meta.dirname, '../../docs/configuration.md'), 'utf8'),
  )![1]!
  const wished = Object.entries(parse(example) as Record<string, string | readonly string[]>).map(([id, keys]) => [
    id,
    [keys].flat(),
  ])
  expect(problemOf(Object.fromEntries(wished) as WishedKeys)).toBe(undefined)
})

test('a pane at its maximum or minimum height says so, and the opposite key has a visible effect', () => {
  const size = (columns: number, rows: number): void =>
    controller.change((before) => ({ ...before, view: { ...before.view, size: { columns, rows } } }))
  const height = (): number => roomsIn(controller.state()).log!.height
  controller.press('3')
  const lower = ['-', 'The pane has its minimum height. + makes it taller.'] as const
  const taller = ['+', 'The pane has its maximum height. - makes it lower.'] as const
  for (const [columns, rows, keys] of [
    [200, 50, [lower, taller]],
    [80, 24, [taller, lower]],
  ] as const) {
    size(columns, rows)
    for (const [key, sentence] of keys) {
      const heights = Array.from({ length: 20 }, () => {
        controller.press('escape', key)
        return [height(), controller.notice()] as const
      })
      const end = heights.findIndex(([, notice]) => notice === sentence)
      const seen = heights.slice(0, end).map(([lines]) => lines)
      expect([end > 3, new Set(seen).size, new Set(heights.slice(end).map(String)).size]).toEqual([true, end, 1])
    }
  }
})

test('the strict mode ignores keys that are typed by mistake, and the leader key enables one key', async () => {
  beStrict()
  await fixture.addTask('Bake')
  await controller.reread()
  controller.press('s', 's', 'p', 'j', 'o')
  expect(controller.notice()).toBe("Strict mode: press ctrl-x, then o, to run 'shell'.")
  expect(controller.shells).toEqual([])
  controller.press('ctrl-x', 'o', 'o')
  expect(controller.shells).toHaveLength(1)
  controller.press('ctrl-x')
  expect(controller.notice()).toBe('The next key is enabled.')
  controller.press('j')
  expect(controller.notice()).toBe('')
  controller.press('o')
  expect(controller.shells).toHaveLength(1)
  controller.press('x')
  expect(controller.mode()).toBe('confirm')
  controller.press('y')
  expect([controller.mode(), controller.notice()]).toEqual([
    'confirm',
    'Strict mode: press ctrl-x, then y, to confirm.',
  ])
  controller.press('ctrl-x', 'y')
  expect(controller.mode()).toBe('list')
})

test('the strict mode requires the leader key to submit a form or to run a command', async () => {
  beStrict()
  const tasks = async () => {
    await controller.reread()
    return controller.state().board.tasks.map(({ title }) => title)
  }
  controller.press(...'hey new world', 'enter')
  expect([controller.mode(), controller.notice(), await tasks()]).toEqual([
    'form',
    "Strict mode: press ctrl-x, then enter, to run 'submit'.",
    [],
  ])
  controller.press('ctrl-x', 'enter')
  expect(controller.mode()).toBe('list')
  await expect.poll(tasks).toEqual(['ew world'])
  controller.press(':', ...'spawn', 'enter')
  expect([controller.mode(), controller.notice()]).toEqual([
    'list',
    "Strict mode: press ctrl-x, then s, to run 'spawn'.",
  ])
  // A key that only shows something needs no leader.
  controller.press(':', ...'help', 'enter')
  expect(controller.mode()).toBe('help')
})

test('the leader key outside the strict mode says that there is none', () => {
  controller.press('ctrl-x')
  expect(controller.notice()).toBe('Strict mode is off. Set console.strict in the configuration to turn it on.')
  expect(controller.state().preferences.led).toBe(false)
})

test('the sentences of the help wrap on a narrow screen, and its length follows the width', () => {
  const help = (): { total: number; lines: readonly string[] } => {
    return { total: sheetOf(controller.state())!.total, lines: helpOf(controller.state()).map(({ text }) => text) }
  }
  controller.change(resized(200, 50))
  controller.press('?')
  const wide = help()
  expect(wide.total).toBe(wide.lines.length)
  controller.change((state) => resized(60, 15)(state))
  const narrow = help()
  expect(narrow.total).toBe(narrow.lines.length)
  expect(narrow.total).toBeGreaterThan(wide.total)
  expect(Math.max(...narrow.lines.map((line) => line.length))).toBeLessThanOrEqual(56)
  expect(narrow.lines.join(' ').replace(/\s+/g, ' ')).toContain(
    'Start an agent for the task; elsewhere one that takes tasks',
  )
  controller.press('G')
  expect(controller.state().view.overlay).toMatchObject({ top: narrow.total - 9 })
})

test('the help shows only the keys that match the typed words', () => {
  const shown = (): string => {
    const { overlay } = controller.state().view
    const sought = overlay?.kind === 'help-search' ? overlay.text : overlay?.kind === 'help' ? overlay.sought : ''
    return linesOf(helpLines(table, plainPreferences.bindings, sought))
  }
  controller.press('?', '/', ...'wider')
  expect(shown()).toContain('Make the pane wider · wider')
  expect(shown()).not.toContain('narrower')
  controller.press(...' q')
  expect(shown()).toBe('No key matches.')
  controller.press('backspace', 'backspace', 'enter')
  expect(controller.state().view.overlay).toMatchObject({ kind: 'help', sought: 'wider' })
  controller.press('/', 'escape', 'escape')
  expect(controller.mode()).toBe('list')
})

test('the guide is shown on an empty board, disappears with the first task, and stays away once it is dismissed', async () => {
  expect(guideOf(controller.state())).toEqual([
    'An agent starts for it, in a worktree of its own.',
    'Then i on its worktree shows the changes for your approval.',
    '? shows all keys, : finds a command, esc hides these lines.',
  ])
  expect(guideOf({ ...controller.state(), preferences: boundTo({ integrate: ['J'] }).preferences })[1]).toMatch(
    /^Then J on/,
  )
  expect(
    guideOf({ ...controller.state(), preferences: { ...controller.state().preferences, agentless: true } })[0],
  ).toBe("No agent CLI found: give it a command, or run 'aiswarm doctor'.")
  const empty = controller.state()
  await fixture.addTask('Bake')
  await controller.reread()
  expect(guideOf(controller.state())).toEqual([])
  controller.press('escape')
  expect(controller.state().preferences.guided).toBe(false)
  controller.change(() => empty)
  controller.press('escape')
  expect([controller.state().preferences.guided, guideOf(controller.state())]).toEqual([true, []])
})

test('sentences and hints name the keys by their bindings', () => {
  const { preferences } = boundTo({ agents: ['A'], submit: ['ctrl-o'], 'keep-filter': ['ctrl-o'] })
  controller.change((before) => ({ ...before, preferences }))
  controller.press('A', '_')
  expect(controller.notice()).toBe('The list of agents is hidden. A shows it again.')
  controller.press('/')
  expect(filterHint(controller.state()).hint).toContain('ctrl-o keep, esc clear')
  expect(keyed(controller.state(), formHints.several)).toBe(
    'ctrl-o submit   esc cancel   tab ↓ next field   ← → change option',
  )
  // Every key that a hint names is a row.
  for (const hint of [
    ...Object.values(typingHints).filter((one) => typeof one === 'string'),
    ...Object.values(formHints),
  ])
    expect(keyed(controller.state(), hint)).not.toMatch(/[{}]/)
})

test('a click selects the row under it and focuses its pane', async () => {
  for (const title of ['Bake', 'Cool', 'Slice']) await fixture.addTask(title)
  await fixture.addWorktree('greet')
  await controller.reread()
  const rooms = roomsIn(controller.state())
  pressMouse(controller, { kind: 'click', column: rooms.board!.left + 5, row: rooms.board!.top + 2 })
  expect(controller.state().view).toMatchObject({ pane: 'board', task: 2 })
  pressMouse(controller, { kind: 'click', column: rooms.worktrees!.left, row: rooms.worktrees!.top + 1 })
  expect(controller.state().view).toMatchObject({ pane: 'worktrees', worktree: 'greet' })
  pressMouse(controller, { kind: 'click', column: rooms.board!.left, row: rooms.board!.top + 20 })
  expect(controller.state().view.task).toBe(2)
  expect(hitAt(controller.state(), 0, 0)).toBeUndefined()
  expect(hitAt(controller.state(), 119, 29)).toBeUndefined()
})

test('the wheel scrolls the pane under it and keeps the focus', async () => {
  for (let n = 0; n < 9; n++) await fixture.addTask(`Task ${n}`)
  await controller.reread()
  controller.press('4')
  pressMouse(controller, { kind: 'wheel-down', column: 5, row: 5 })
  expect(controller.state().view).toMatchObject({ pane: 'worktrees', task: 4 })
  controller.press('1', '?')
  pressMouse(controller, { kind: 'wheel-down', column: 5, row: 5 })
  expect(controller.state().view).toMatchObject({ task: 4, overlay: { kind: 'help', top: 3 } })
})

test('a click selects a row of an overlay, and the wheel scrolls the commands', async () => {
  for (const title of ['Bake', 'Cool', 'Slice']) await fixture.addTask(title)
  await controller.reread()
  const { body } = layoutOf(120, 30, 'board')
  const palette = () => controller.state().view.overlay as { readonly kind: 'palette'; readonly at: number }
  controller.press(':')
  const top = BODY_TOP + ((body - 13) >> 1)
  pressMouse(controller, { kind: 'click', column: 15, row: top + 2 + 4 })
  expect(palette().at).toBe(4)
  for (const nowhere of [top, top + 1, top + 12, top - 1])
    pressMouse(controller, { kind: 'click', column: 15, row: nowhere })
  expect(palette().at).toBe(4)
  for (let turn = 0; turn < 4; turn++) pressMouse(controller, { kind: 'wheel-down', column: 15, row: top + 5 })
  expect(palette().at).toBe(16)
  // The clicked row is the eighth of the ten visible ones: the last two belong to a cut text.
  pressMouse(controller, { kind: 'click', column: 15, row: top + 2 })
  expect(palette().at).toBe(9)
  for (let turn = 0; turn < 9; turn++) pressMouse(controller, { kind: 'wheel-up', column: 15, row: top + 5 })
  expect(palette().at).toBe(0)
  expect(controller.mode()).toBe('palette')
  controller.press('escape', 'n')
  pressMouse(controller, { kind: 'click', column: 5, row: BODY_TOP + body - 14 + 1 + 2 })
  expect(controller.state().view.overlay).toMatchObject({ kind: 'form', form: { at: 2 } })
  controller.press('escape')

  const waits = [1, 2, 3].map((taskId) => ({
    kind: 'failed',
    since: fixture.core.clock(),
    text: 'x',
    evidence: '',
    like: null,
    taskId,
    agentId: null,
    worktree: null,
    requestId: null,
  }))
  controller.change((state) => ({ ...state, board: { ...state.board, attention: waits as never } }))
  controller.press('W')
  expect(controller.mode()).toBe('inbox')
  pressMouse(controller, { kind: 'click', column: 5, row: BODY_TOP + 1 + 4 })
  const items = inboxItems(controller.state())
  const { overlay } = controller.state().view
  expect(overlay?.kind === 'inbox' ? cursorIn(items, overlay) : -1).toBe(2)
})

test('a click on a key of the footer presses it, except a key that answers for good', async () => {
  await fixture.addTask('Bake')
  await controller.reread()
  const clickOn = (label: string): void => {
    for (let column = 0; column < 120; column++) {
      const hit = hitAt(controller.state(), column, 28)
      if (hit?.kind === 'key' && hit.row.label === label)
        return pressMouse(controller, { kind: 'click', column, row: 28 })
    }
    throw new Error(`There is no '${label}'`)
  }
  clickOn('abort')
  expect(controller.mode()).toBe('confirm')
  clickOn('yes')
  expect([controller.mode(), controller.notice()]).toEqual(['confirm', 'Press y to answer; a click does not.'])
  clickOn('no')
  expect(controller.mode()).toBe('list')
  clickOn('quit')
  expect(controller.quits.count).toBe(1)
})

test('a single visible pane cannot be made wider or taller', () => {
  controller.change((before) => ({ ...before, view: { ...before.view, size: { columns: 60, rows: 15 } } }))
  for (const key of ['>', '<', '-', '+']) {
    controller.press('escape', key)
    expect(controller.notice()).toBe('The terminal has room for one pane.')
  }
  controller.press('escape', 'Z')
  expect([arrangement().zoomed, controller.notice()]).toEqual([false, 'The terminal has room for one pane.'])
})

test('a zoom from a larger terminal is not mentioned if there is room for only one pane', () => {
  const size = (columns: number, rows: number): void =>
    controller.change((before) => ({ ...before, view: { ...before.view, size: { columns, rows } } }))
  controller.press('Z')
  for (const [columns, rows] of [
    [60, 15],
    [80, 16],
  ] as const) {
    size(columns, rows)
    expect(arrangementNote(controller.state())).toBe('')
    controller.press('escape', '>')
    expect(controller.notice()).toBe('The terminal has room for one pane.')
    controller.press('escape', '_')
    expect([arrangement().hidden.length, controller.notice()]).toEqual([1, expect.stringContaining('is hidden')])
    controller.press('_')
  }
  size(120, 30)
  expect(arrangementNote(controller.state())).toBe('zoomed, Z shows all')
})
