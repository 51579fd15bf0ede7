import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parse } from 'yaml'
import { hide, widen } from '../../src/ui/comfort/arrangement.ts'
import type { Settings } from '../../src/domain/settings.ts'
import { beginComfort } from '../../src/ui/comfort/begin.ts'
import { arrangementNote } from '../../src/ui/comfort/arrangement.ts'
import { bind, type WishedKeys } from '../../src/ui/comfort/bindings.ts'
import { filterHint } from '../../src/ui/filter/hint.ts'
import { formHints } from '../../src/text/palette.ts'
import { typingHints } from '../../src/text/panes.ts'
import { guideOf } from '../../src/ui/comfort/guide.ts'
import { helpOf, remeasureHelp } from '../../src/ui/comfort/help.ts'
import { keepComfort } from '../../src/ui/comfort/keep.ts'
import { keepView, readView } from '../../src/ui/comfort/kept-view.ts'
import { cycleShape } from '../../src/ui/board/movement.ts'
import { readKept } from '../../src/ui/comfort/kept.ts'
import { plainArrangement, plainComfort } from '../../src/ui/comfort/state.ts'
import { themeName } from '../../src/ui/comfort/theme.ts'
import { footerOf, helpLines, keyed, paletteOf } from '../../src/ui/key-table.ts'
import { keyRows } from '../../src/ui/keys.ts'
import { cursorIn, inboxItems } from '../../src/ui/inbox/list.ts'
import { BODY_TOP, layoutOf, shownPanes } from '../../src/ui/layout.ts'
import { resized } from '../../src/ui/movement.ts'
import { initialState, looking, panes } from '../../src/ui/state.ts'
import { makeStore } from '../../src/ui/store.ts'
import { hitAt, pressMouse } from '../../src/ui/terminal/hits.ts'
import { readConsoleMemory, writeConsoleMemory } from '../../src/effects/console-memory.ts'
import { openDesk, type TestDesk } from './desk.ts'
import { type Fixture, openFixture } from './fixture.ts'

const state = initialState('2026-01-30T14:22:33.000Z')

const problemOf = (wished: WishedKeys): string | undefined => {
  const bound = bind(keyRows, wished)
  return 'problem' in bound ? `${bound.id}: ${bound.problem}` : undefined
}

/** A state whose keys the configuration has changed. */
const boundTo = (wished: WishedKeys) => {
  const bound = bind(keyRows, wished)
  if ('problem' in bound) throw new Error(bound.problem)
  return { ...state, comfort: { ...state.comfort, bindings: bound.bindings } }
}

const linesOf = (lines: ReturnType<typeof helpLines>): string => lines.map(({ text }) => text).join('\n')

test('two keys may change places, and everything that names them shows it', () => {
  const other = boundTo({ spawn: ['r'], retry: ['s'] })
  expect(footerOf(other).keys.slice(0, 2)).toEqual([
    { keys: 'r', label: 'spawn', blocked: false },
    { keys: 's', label: 'retry', blocked: true },
  ])
  expect(linesOf(helpLines(other.comfort.bindings))).toMatch(/ r +Start an agent for the selected task/)
  expect(JSON.stringify(paletteOf(other, 'start an agent for'))).toContain('"r"')
})

test('a sentence names a key as it is now, and leaves alone what is no key', () => {
  const other = boundTo({ new: ['A'], 'item-open': ['ctrl-o'] })
  expect(keyed(state, 'There is no task to open; {new} makes one.')).toBe('There is no task to open; n makes one.')
  expect(keyed(other, '{new} makes one, {item-open} shows it, {} and {none} stay')).toBe('A makes one, ctrl-o shows it, {} and {none} stay')
  expect(JSON.stringify(paletteOf({ ...other, view: { ...other.view, overlay: { kind: 'palette', text: 'open', at: 0 } } }, 'open what is'))).toContain('A makes one')
})

test('keys that cannot be had are refused with a sentence that names both', () => {
  expect(problemOf({ spawn: ['r'] })).toBe("spawn: 'r' of 'spawn' already is the key of 'retry'; give that another one as well")
  expect(problemOf({ spwan: ['A'] })).toBe("spwan: no key is called 'spwan', so 'A' has nothing to do; did you mean spawn?")
  expect(problemOf({ nwe: ['A'] })).toBe("nwe: no key is called 'nwe', so 'A' has nothing to do; did you mean new?")
  expect(problemOf({ something: ['A'] })).toBe(
    "something: no key is called 'something', so 'A' has nothing to do; the names stand in the README, under Keys, and in the help once it is searched",
  )
  expect(problemOf({ spawn: ['f5'] })).toBe("spawn: 'f5' cannot be the key of 'spawn': no terminal sends it as one key")
  expect(problemOf({ spawn: ['ctrl-i'] })).toBe("spawn: 'ctrl-i' cannot be the key of 'spawn': a terminal cannot tell it from tab")
  expect(problemOf({ spawn: ['ctrl-c'] })).toBe("spawn: 'ctrl-c' cannot be the key of 'spawn': it leaves the console from anywhere")
  expect(problemOf({ 'rub-out': ['x'] })).toBe("rub-out: 'x' cannot be the key of 'rub-out': where one types, a letter is text")
  expect(problemOf({ spawn: [] })).toBe("spawn: 'spawn' needs a key")
  expect(problemOf({ spawn: ['A'], down: ['n', 'down'] })).toContain("'n' of 'down'")
})

test('no configuration lays an approval on another key', () => {
  expect(problemOf({ approve: ['j'] })).toBe("approve: the key of 'approve' answers a question for good and stays 'y'")
  for (const { id } of keyRows.filter((row) => row.keys.includes('y') && row.modes.some((mode) => mode !== 'list'))) expect(problemOf({ [id]: ['Y'] }), id).toBeDefined()
})

test('the ways out of a mode stay, whatever is wished', () => {
  const bound = bind(keyRows, { quit: ['Q'], back: ['backspace'] })
  expect(bound).toEqual({ id: 'back', problem: expect.stringContaining("'backspace' of 'back' already is the key of 'rub-out'") as unknown })
  expect(bind(keyRows, { quit: ['Q'], 'clear-filter': ['ctrl-b'] })).toMatchObject({
    bindings: { quit: { keys: ['Q', 'ctrl-c'], shown: 'Q' }, 'clear-filter': { keys: ['ctrl-b', 'escape'] } },
  })
})

test('NO_COLOR comes before every theme, the configuration before what was kept', () => {
  expect(themeName({ wish: 'light', background: 'light', colourless: true })).toBe('mono')
  expect(themeName({ wish: 'auto', background: 'light', colourless: false })).toBe('light')
  expect(themeName({ wish: 'auto', background: undefined, colourless: false })).toBe('dark')
  expect(themeName({ wish: 'contrast', background: 'light', colourless: false })).toBe('contrast-light')
})

test('panes fill the body however they are hidden and resized', () => {
  for (const hidden of [[], ['agents'], ['board', 'agents'], ['log', 'worktrees', 'board']] as const) {
    for (const wider of [-6, 0, 6]) {
      for (const steps of [-6, 6]) {
        for (const [columns, rows] of [
          [200, 50],
          [100, 16],
          [80, 24],
        ] as const) {
          const arrangement = { ...plainArrangement, hidden, wider, taller: { agents: steps, log: steps } }
          const { rooms, body } = layoutOf(columns, rows, 'worktrees', 0, arrangement)
          const lefts = [...new Set(Object.values(rooms).map((room) => room.left))]
          for (const left of lefts) {
            const column = Object.values(rooms).filter((room) => room.left === left)
            expect(column.every((room) => room.height >= 1)).toBe(true)
            expect(column.reduce((sum, room) => sum + room.height + 1, 1)).toBe(body)
          }
          expect(lefts.reduce((sum, left) => sum + Object.values(rooms).find((room) => room.left === left)!.width + 2, 0)).toBe(columns)
          expect(Object.keys(rooms).sort()).toEqual([...shownPanes(arrangement, 'worktrees')].sort())
        }
      }
    }
  }
})

test('what a person has edited into the memory by hand breaks nothing', () => {
  expect(readKept({})).toEqual({ theme: null, arrangement: plainArrangement, guided: false })
  expect(readKept({ comfort: { theme: 'pink', arrangement: { hidden: [...panes], wider: 1e9, taller: { log: 2, moon: 3 } }, guided: 'yes' } })).toEqual({
    theme: null,
    arrangement: { zoomed: false, hidden: [], wider: 0, taller: { log: 2 } },
    guided: false,
  })
})

let fixture: Fixture
let desk: TestDesk

beforeEach(async () => {
  fixture = await openFixture()
  desk = await openDesk(fixture)
  desk.change((before) => ({ ...before, loaded: true, view: { ...before.view, size: { columns: 120, rows: 30 } } }))
})
afterEach(() => fixture.close())

const beStrict = (): void => desk.change((before) => ({ ...before, comfort: { ...before.comfort, strict: true } }))
const arrangement = () => desk.state().comfort.arrangement

test('+ zooms the pane that has the focus, and again shows all', () => {
  desk.press('3', '+')
  const { columns, rows } = desk.state().view.size
  expect(Object.keys(layoutOf(columns, rows, 'log', 0, arrangement()).rooms)).toEqual(['log'])
  desk.press('+')
  expect(Object.keys(layoutOf(columns, rows, 'log', 0, arrangement()).rooms)).toHaveLength(4)
})

test('- hides a pane, pressed again brings it back, and so does its number', () => {
  desk.press('2', '-')
  expect([arrangement().hidden, desk.state().view.pane]).toEqual([['agents'], 'log'])
  expect(desk.notice()).toBe('The list of agents is hidden; 2 brings it back.')
  desk.press('-')
  expect([arrangement().hidden, desk.state().view.pane]).toEqual([[], 'agents'])
  // What is there again is said to be hidden no longer.
  expect(desk.notice()).toBe('')
  desk.press('-', 'tab', 'shift-tab', '-')
  expect(arrangement().hidden).toEqual(['agents', 'log'])
  desk.press('1', 'tab')
  expect(desk.state().view.pane).toBe('worktrees')
  desk.press('2')
  expect([arrangement().hidden, desk.state().view.pane]).toEqual([['log'], 'agents'])
  // The sentence about the log is still true.
  expect(desk.notice()).toBe('The log is hidden; 3 brings it back.')
  desk.press('3')
  expect([arrangement().hidden, desk.notice()]).toEqual([[], ''])
})

test('why panes are missing is said where the keys go, with what shows them again', () => {
  const note = (): string => arrangementNote(desk.state())
  expect(note()).toBe('')
  desk.press('+')
  expect(note()).toBe('zoomed, + shows all')
  desk.press('+', '2', '-', '-', '1', '2', '-', '-', '1')
  expect(note()).toBe('')
  desk.press('2', '-', '-', '-', '-', '-')
  expect([arrangement().hidden, note()]).toEqual([['agents'], 'hidden: 2'])
  desk.press('4', '-', '1')
  expect(note()).toBe('hidden: 2 4')
  desk.change((before) => ({ ...before, comfort: { ...before.comfort, bindings: { agents: { keys: ['A'], shown: 'A' } } } }))
  expect(note()).toBe('hidden: A 4')
})

test('a pane that no other gives room to says why it does not grow', () => {
  desk.press('2', '-', '1', '}')
  expect([arrangement().taller, desk.notice()]).toEqual([{}, 'No other pane stands above or below it here; > and < make it wider or narrower.'])
  desk.press('3')
  desk.press('-', '4', '-', '1')
  for (const key of ['>', '}']) {
    desk.press('escape', key)
    expect(desk.notice()).toBe('This is the last pane; the number of another shows that again.')
  }
})

test('the last pane stays', () => {
  desk.press('-', 'tab', 'shift-tab', '-', 'tab', 'shift-tab', '-', 'tab', '-')
  expect(arrangement().hidden).toHaveLength(3)
  expect(desk.notice()).toBe('This is the last pane; the number of another shows that again.')
})

test('panes grow and shrink, as far as they have neighbours', () => {
  const widthOf = () => layoutOf(120, 30, desk.state().view.pane, 0, arrangement()).rooms.board!.width
  const before = widthOf()
  desk.press('>', '>')
  expect(widthOf()).toBeGreaterThan(before)
  desk.press('3', '>', '>')
  expect(widthOf()).toBe(before)
  const heightOf = () => layoutOf(120, 30, 'log', 0, arrangement()).rooms.log!.height
  const low = heightOf()
  desk.press('}')
  expect(heightOf()).toBeGreaterThan(low)
  desk.change((state) => ({ ...state, view: { ...state.view, size: { columns: 80, rows: 24 } } }))
  desk.press('>')
  expect(desk.notice()).toBe('The panes stand below each other here; { and } make one lower or taller.')
})

test('a pane that is as wide or as narrow as it gets says so, and the next key the other way is seen', () => {
  const size = (columns: number): void => desk.change((before) => ({ ...before, view: { ...before.view, size: { columns, rows: 30 } } }))
  const width = (): number => layoutOf(desk.state().view.size.columns, 30, 'board', 0, arrangement()).rooms.board!.width
  for (const columns of [120, 200]) {
    size(columns)
    for (const [key, sentence] of [
      ['>', 'It is as wide as it gets; < makes it narrower.'],
      ['<', 'It is as narrow as it gets; > makes it wider.'],
    ] as const) {
      const widths = Array.from({ length: 20 }, () => {
        desk.press('escape', key)
        return [width(), desk.notice()] as const
      })
      // Every press is seen, until each says why it is not.
      const end = widths.findIndex(([, notice]) => notice === sentence)
      const seen = widths.slice(0, end).map(([columns]) => columns)
      expect([end > 3, new Set(seen).size, new Set(widths.slice(end).map(String)).size]).toEqual([true, end, 1])
    }
  }
  // What was as wide as it gets on a wide screen is wider than this one lets it be.
  size(200)
  for (let at = 0; at < 20; at++) desk.press('>')
  size(120)
  const widest = width()
  desk.press('<')
  expect(width()).toBeLessThan(widest)
})

test('what is kept is what the next console begins with, beside what others keep', () => {
  const root = mkdtempSync(join(tmpdir(), 'aiswarm-kept-'))
  try {
    mkdirSync(join(root, '.aiswarm'))
    writeConsoleMemory(root, { filters: ['mine'] })
    const store = makeStore(fixture.core.clock())
    const memory = { read: () => readConsoleMemory(root), write: (patch: Parameters<typeof writeConsoleMemory>[1]) => writeConsoleMemory(root, patch) }
    const stop = keepComfort(desk, store, memory)
    store.setState((before) => widen(1)(hide(before)), true)
    stop()
    store.setState((before) => widen(1)(before), true)
    expect(readConsoleMemory(root)['filters']).toEqual(['mine'])
    const options = { connection: fixture.connection, memory } as unknown as Parameters<typeof beginComfort>[0]
    expect(beginComfort(options, {}).arrangement).toEqual({ zoomed: false, hidden: ['board'], wider: 1, taller: {} })
    expect(beginComfort(options, { NO_COLOR: '1', INK_SCREEN_READER: '1' })).toMatchObject({ spoken: true, theme: { colourless: true } })
    const { core } = fixture.connection
    const agentless = (agents: Partial<Settings['agents']>): boolean =>
      beginComfort(
        { ...options, connection: { ...fixture.connection, core: { ...core, settings: { ...core.settings, agents: { ...core.settings.agents, default: null, ...agents } } } } },
        {},
      ).agentless
    expect([{}, { default: 'claude' }, { personas: { tester: { kind: 'codex', args: [], approvals: 'ask' as const, allow: [] } } }].map(agentless)).toEqual([true, false, false])
  } finally {
    rmSync(root, { recursive: true })
  }
})

test('the filter in force is there again in the next console; one that is still typed, or that means nothing, is not', () => {
  let written: Readonly<Record<string, unknown>> = {}
  const memory = { read: () => written, write: (patch: (kept: typeof written) => typeof written) => void (written = { ...written, ...patch(written) }) }
  const open = () => {
    const store = makeStore(fixture.core.clock())
    keepView({ tell: desk.tell, change: (to) => store.setState(to(store.getState()), true) }, store, memory)
    return store
  }
  const store = open()
  const view = (change: object): void => store.setState((state) => ({ ...state, view: { ...state.view, ...change } }), true)
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

test('lists are sorted and the board is drawn as in the console before; what makes no sense is left out', () => {
  let kept: Readonly<Record<string, unknown>> = { filters: ['mine'] }
  const memory = { read: () => kept, write: (patch: (before: typeof kept) => typeof kept) => void (kept = { ...kept, ...patch(kept) }) }
  const store = makeStore(fixture.core.clock())
  const on = { tell: desk.tell, change: (transition: Parameters<typeof desk.change>[0]) => store.setState((before) => transition(before), true) }
  const stop = keepView(on, store, memory)
  on.change(cycleShape)
  on.change(looking(() => ({ sorts: { board: 'priority', agents: 'task' } })))
  stop()
  expect(kept).toEqual({ filters: ['mine'], view: { sorts: { board: 'priority', agents: 'task' }, shape: 'columns', filter: '' } })
  const next = makeStore(fixture.core.clock())
  keepView({ ...on, change: (transition) => next.setState((before) => transition(before), true) }, next, memory)()
  expect(next.getState().view).toMatchObject({ sorts: { board: 'priority', agents: 'task' }, shape: { as: 'columns' } })
  expect(readView({ view: { sorts: { board: 'colour', log: 'time', agents: 3 }, shape: 'globe' } })).toMatchObject({ sorts: {}, shape: { as: 'list' } })
  expect(readView({ view: 'x' })).toMatchObject({ sorts: {}, shape: { as: 'list' } })
})

test('a key that cannot be had ends the start with the place in the file, in one sentence', () => {
  const begin = (keys: WishedKeys) => () => {
    const core = { ...fixture.core, settings: { ...fixture.core.settings, console: { ...fixture.core.settings.console, keys } } }
    const options = { connection: { ...fixture.connection, core }, placeOf: (place: readonly string[]) => `config.yaml:3 (${place.join('.')})` } as unknown as Parameters<
      typeof beginComfort
    >[0]
    return beginComfort(options, {})
  }
  expect(begin({ spawn: ['r'] })).toThrow(
    /^config\.yaml:3 \(console\.keys\.spawn\): console\.keys\.spawn: 'r' of 'spawn' already is the key of 'retry'; give that another one as well\.$/,
  )
  expect(begin({ nwe: ['A'] })).toThrow(/; did you mean new\?$/)
})

test('the other keys that the README gives as an example can be had', () => {
  const example = /other keys by their names \(see Keys\), such as (\{.*\})/.exec(readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8'))![1]!
  const wished = Object.entries(parse(example) as Record<string, string | readonly string[]>).map(([id, keys]) => [id, [keys].flat()])
  expect(problemOf(Object.fromEntries(wished) as WishedKeys)).toBe(undefined)
})

test('a pane that is as tall or as low as it gets says so, and the next key the other way is seen', () => {
  const size = (columns: number, rows: number): void => desk.change((before) => ({ ...before, view: { ...before.view, size: { columns, rows } } }))
  const height = (): number => layoutOf(desk.state().view.size.columns, desk.state().view.size.rows, 'log', 0, arrangement()).rooms.log!.height
  desk.press('3')
  for (const [columns, rows] of [
    [200, 50],
    [80, 24],
  ] as const) {
    size(columns, rows)
    for (const [key, sentence] of [
      ['}', 'It is as tall as it gets; { makes it lower.'],
      ['{', 'It is as low as it gets; } makes it taller.'],
    ] as const) {
      const heights = Array.from({ length: 20 }, () => {
        desk.press('escape', key)
        return [height(), desk.notice()] as const
      })
      const end = heights.findIndex(([, notice]) => notice === sentence)
      const seen = heights.slice(0, end).map(([lines]) => lines)
      expect([end > 3, new Set(seen).size, new Set(heights.slice(end).map(String)).size]).toEqual([true, end, 1])
    }
  }
})

test('in the strict mode what is typed by mistake does nothing, and the leader key lets one key act', async () => {
  beStrict()
  await fixture.addTask('Bake')
  await desk.reread()
  desk.press('s', 's', 'p', 'j', 'o')
  expect(desk.notice()).toBe("Strict mode: ctrl-x and then o does 'shell'.")
  expect(desk.shells).toEqual([])
  desk.press('ctrl-x', 'o', 'o')
  expect(desk.shells).toHaveLength(1)
  desk.press('ctrl-x')
  expect(desk.notice()).toBe('The next key acts.')
  desk.press('j')
  expect(desk.notice()).toBe('')
  desk.press('o')
  expect(desk.shells).toHaveLength(1)
  desk.press('x')
  expect(desk.mode()).toBe('confirm')
  desk.press('y')
  expect([desk.mode(), desk.notice()]).toEqual(['confirm', 'Strict mode: ctrl-x and then y says yes.'])
  desk.press('ctrl-x', 'y')
  expect(desk.mode()).toBe('list')
})

test('in the strict mode no word sends a form off, nor does what is found among the commands', async () => {
  beStrict()
  const tasks = async () => {
    await desk.reread()
    return desk.state().board.tasks.map(({ title }) => title)
  }
  desk.press(...'hey new world', 'enter')
  expect([desk.mode(), desk.notice(), await tasks()]).toEqual(['form', "Strict mode: ctrl-x and then enter does 'go on'.", []])
  desk.press('ctrl-x', 'enter')
  expect(desk.mode()).toBe('list')
  await expect.poll(tasks).toEqual(['ew world'])
  desk.press(':', ...'spawn', 'enter')
  expect([desk.mode(), desk.notice()]).toEqual(['list', "Strict mode: ctrl-x and then s does 'spawn'."])
  // What only shows something needs no leader.
  desk.press(':', ...'help', 'enter')
  expect(desk.mode()).toBe('help')
})

test('outside of the strict mode the leader key says that there is none', () => {
  desk.press('ctrl-x')
  expect(desk.notice()).toBe('The strict mode is off; console.strict in the configuration switches it on.')
  expect(desk.state().comfort.led).toBe(false)
})

test('on a narrow screen the sentences of the help go on below, and its length follows the width', () => {
  const help = (): { total: number; lines: readonly string[] } => {
    const { overlay } = desk.state().view
    return { total: overlay?.kind === 'help' ? overlay.total : -1, lines: helpOf(desk.state()).map(({ text }) => text) }
  }
  desk.change(resized(200, 50))
  desk.press('?')
  const wide = help()
  expect(wide.total).toBe(wide.lines.length)
  desk.change((state) => remeasureHelp(resized(60, 15)(state)))
  const narrow = help()
  expect(narrow.total).toBe(narrow.lines.length)
  expect(narrow.total).toBeGreaterThan(wide.total)
  expect(Math.max(...narrow.lines.map((line) => line.length))).toBeLessThanOrEqual(56)
  expect(narrow.lines.join(' ').replace(/\s+/g, ' ')).toContain('Start an agent for the selected task; on other panes: one that works off the board')
  desk.press('G')
  expect(desk.state().view.overlay).toMatchObject({ top: narrow.total - 9 })
})

test('the help shows only the keys with the words that are typed, as they are typed', () => {
  const shown = (): string => {
    const { overlay } = desk.state().view
    const sought = overlay?.kind === 'help-search' ? overlay.text : overlay?.kind === 'help' ? overlay.sought : ''
    return linesOf(helpLines(plainComfort.bindings, sought))
  }
  desk.press('?', '/', ...'wider')
  expect(shown()).toContain('Make the pane wider · wider')
  expect(shown()).not.toContain('narrower')
  desk.press(...' q')
  expect(shown()).toBe('No key has all these words.')
  desk.press('backspace', 'backspace', 'enter')
  expect(desk.state().view.overlay).toMatchObject({ kind: 'help', sought: 'wider' })
  desk.press('/', 'escape', 'escape')
  expect(desk.mode()).toBe('list')
})

test('the guidance is there for an empty board, goes with the first task, and never comes back once it was taken away', async () => {
  expect(guideOf(desk.state())).toEqual([
    'n puts a task on the board; an agent is started for it.',
    '? shows every key, : finds a command by its name.',
    'esc takes these lines away for good.',
  ])
  expect(guideOf({ ...desk.state(), comfort: boundTo({ new: ['N'] }).comfort })[0]).toMatch(/^N puts/)
  expect(guideOf({ ...desk.state(), comfort: { ...desk.state().comfort, agentless: true } }).slice(0, 2)).toEqual([
    "No agent found: see 'aiswarm doctor', then start anew.",
    'n puts a task on the board; one with a command starts.',
  ])
  const empty = desk.state()
  await fixture.addTask('Bake')
  await desk.reread()
  expect(guideOf(desk.state())).toEqual([])
  desk.press('escape')
  expect(desk.state().comfort.guided).toBe(false)
  desk.change(() => empty)
  desk.press('escape')
  expect([desk.state().comfort.guided, guideOf(desk.state())]).toEqual([true, []])
})

test('sentences and hints name the keys as they are bound', () => {
  const { comfort } = boundTo({ agents: ['Z'], submit: ['ctrl-o'], 'keep-filter': ['ctrl-o'] })
  desk.change((before) => ({ ...before, comfort }))
  desk.press('Z', '-')
  expect(desk.notice()).toBe('The list of agents is hidden; Z brings it back.')
  desk.press('/')
  expect(filterHint(desk.state()).hint).toContain('ctrl-o keeps, esc clears')
  expect(keyed(desk.state(), formHints.several)).toBe('ctrl-o goes on   esc leaves   tab ↓ next field   ← → change a choice')
  // Every key that a hint names is a row.
  for (const hint of [...Object.values(typingHints).filter((one) => typeof one === 'string'), ...Object.values(formHints)]) expect(keyed(desk.state(), hint)).not.toMatch(/[{}]/)
})

test('a click selects the row under it, and gives its pane the focus', async () => {
  for (const title of ['Bake', 'Cool', 'Slice']) await fixture.addTask(title)
  await fixture.addWorktree('greet')
  await desk.reread()
  const { rooms } = layoutOf(120, 30, 'board')
  pressMouse(desk, { kind: 'click', column: rooms.board!.left + 5, row: rooms.board!.top + 2 })
  expect(desk.state().view).toMatchObject({ pane: 'board', task: 2 })
  pressMouse(desk, { kind: 'click', column: rooms.worktrees!.left, row: rooms.worktrees!.top })
  expect(desk.state().view).toMatchObject({ pane: 'worktrees', worktree: 'greet' })
  pressMouse(desk, { kind: 'click', column: rooms.board!.left, row: rooms.board!.top + 20 })
  expect(desk.state().view.task).toBe(2)
  expect(hitAt(desk.state(), 0, 0)).toBeUndefined()
  expect(hitAt(desk.state(), 119, 29)).toBeUndefined()
})

test('the wheel moves what is under it and leaves the focus where it is', async () => {
  for (let n = 0; n < 9; n++) await fixture.addTask(`Task ${n}`)
  await desk.reread()
  desk.press('4')
  pressMouse(desk, { kind: 'wheel-down', column: 5, row: 5 })
  expect(desk.state().view).toMatchObject({ pane: 'worktrees', task: 4 })
  desk.press('1', '?')
  pressMouse(desk, { kind: 'wheel-down', column: 5, row: 5 })
  expect(desk.state().view).toMatchObject({ task: 4, overlay: { kind: 'help', top: 3 } })
})

test('a click marks what lies over the panes, and the wheel goes through the commands', async () => {
  for (const title of ['Bake', 'Cool', 'Slice']) await fixture.addTask(title)
  await desk.reread()
  const { body } = layoutOf(120, 30, 'board')
  const palette = () => desk.state().view.overlay as { readonly kind: 'palette'; readonly at: number }
  desk.press(':')
  const top = BODY_TOP + body - 13
  pressMouse(desk, { kind: 'click', column: 5, row: top + 2 + 4 })
  expect(palette().at).toBe(4)
  for (const nowhere of [top, top + 1, top + 12, top - 1]) pressMouse(desk, { kind: 'click', column: 5, row: nowhere })
  expect(palette().at).toBe(4)
  for (let turn = 0; turn < 4; turn++) pressMouse(desk, { kind: 'wheel-down', column: 5, row: top + 5 })
  expect(palette().at).toBe(16)
  // The marked row is the eighth of the ten that are seen: the last two are for a text that is cut.
  pressMouse(desk, { kind: 'click', column: 5, row: top + 2 })
  expect(palette().at).toBe(9)
  for (let turn = 0; turn < 9; turn++) pressMouse(desk, { kind: 'wheel-up', column: 5, row: top + 5 })
  expect(palette().at).toBe(0)
  expect(desk.mode()).toBe('palette')
  desk.press('escape', 'n')
  pressMouse(desk, { kind: 'click', column: 5, row: BODY_TOP + body - 10 + 1 + 2 })
  expect(desk.state().view.overlay).toMatchObject({ kind: 'form', form: { at: 2 } })
  desk.press('escape')

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
  desk.change((state) => ({ ...state, board: { ...state.board, attention: waits as never } }))
  desk.press('W')
  expect(desk.mode()).toBe('inbox')
  pressMouse(desk, { kind: 'click', column: 5, row: BODY_TOP + 1 + 4 })
  const items = inboxItems(desk.state())
  const { overlay } = desk.state().view
  expect(overlay?.kind === 'inbox' ? cursorIn(items, overlay) : -1).toBe(2)
})

test('a click on a key of the footer presses it, but answers no question for good', async () => {
  await fixture.addTask('Bake')
  await desk.reread()
  const clickOn = (label: string): void => {
    for (let column = 0; column < 120; column++) {
      const hit = hitAt(desk.state(), column, 28)
      if (hit?.kind === 'key' && hit.row.label === label) return pressMouse(desk, { kind: 'click', column, row: 28 })
    }
    throw new Error(`There is no '${label}'`)
  }
  clickOn('abort')
  expect(desk.mode()).toBe('confirm')
  clickOn('yes')
  expect([desk.mode(), desk.notice()]).toEqual(['confirm', 'That is answered by its key: y.'])
  clickOn('no')
  expect(desk.mode()).toBe('list')
  clickOn('quit')
  expect(desk.quits.count).toBe(1)
})

test('where there is room for one pane, it is neither made wider nor taller', () => {
  desk.change((before) => ({ ...before, view: { ...before.view, size: { columns: 60, rows: 15 } } }))
  for (const key of ['>', '<', '{', '}']) {
    desk.press('escape', key)
    expect(desk.notice()).toBe('The terminal has room for one pane.')
  }
  desk.press('escape', '+')
  expect([arrangement().zoomed, desk.notice()]).toEqual([false, 'The terminal has room for one pane.'])
})

test('of a zoom from a larger terminal nothing is said where there is room for one pane anyway', () => {
  const size = (columns: number, rows: number): void => desk.change((before) => ({ ...before, view: { ...before.view, size: { columns, rows } } }))
  desk.press('+')
  for (const [columns, rows] of [
    [60, 15],
    [80, 16],
  ] as const) {
    size(columns, rows)
    expect(arrangementNote(desk.state())).toBe('')
    desk.press('escape', '>')
    expect(desk.notice()).toBe('The terminal has room for one pane.')
    desk.press('escape', '-')
    expect([arrangement().hidden.length, desk.notice()]).toEqual([1, expect.stringContaining('is hidden')])
    desk.press('-')
  }
  size(120, 30)
  expect(arrangementNote(desk.state())).toBe('zoomed, + shows all')
})
