import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { person } from '../../../../src/domain/agent/actor.ts'
import type { FileMemories } from '../../../../src/contracts/memories.ts'
import { claimTask } from '../../../../src/operations/tasks/claims.ts'
import { perform } from '../../../../src/operations/perform/perform.ts'
import { registerAgent } from '../../../../src/operations/agents/spawn.ts'
import { filesArrived, pageArrived } from '../../../../src/ui/views/memory/feed.ts'
import { listIn, rowsOf } from '../../../../src/ui/views/memory/memory.ts'
import { longText, longTime, shortTime } from '../../../../src/ui/views/memory/rows.ts'
import { sheetOf } from '../../../../src/ui/core/overlays.ts'
import { openController, type TestController } from '../../controller.ts'
import { type Fixture, openFixture } from '../../fixture.ts'
import { brokenOf, decisionOf, dev, entries, graph, memories, workingOf } from '../../memories.ts'

let fixture: Fixture
let controller: TestController

beforeEach(async () => {
  fixture = await openFixture()
  controller = await openController(fixture)
})

afterEach(() => fixture.close())

const arrive = (more: Partial<FileMemories>): void => controller.change(filesArrived(memories(more)))

const pane = () => {
  const { overlay } = controller.state().view
  if (overlay?.kind !== 'memory') throw new Error(`the pane is not in front, but ${overlay?.kind ?? 'nothing'}`)
  return overlay
}

/** The rows of the pane's list, with a mark at the selected one. */
const rows = (): readonly string[] => {
  const list = listIn(pane())
  const found = rowsOf(controller.state(), list)
  return Array.from(
    { length: found?.total ?? 0 },
    (_, index) => `${index === pane().places[list].at ? '▸' : ' '}${found!.row(index).line.text}`,
  )
}

const selected = (): string | undefined => rows().find((row) => row.startsWith('▸'))

const texts = (): readonly string[] => {
  const sheet = sheetOf(controller.state())
  return sheet ? Array.from({ length: sheet.total }, (_, index) => sheet.line(index).text) : []
}

const when = (minute: number): string => shortTime(`2026-01-30T14:0${minute}:00.000Z`)

describe('the memory pane', () => {
  test('is opened by m from the panes and from a view, and left by esc', async () => {
    await fixture.addTask('Log in')
    await controller.reread()
    controller.press('m')
    expect(controller.mode()).toBe('memory')
    controller.press('escape')
    expect(controller.mode()).toBe('list')
    controller.press('enter', 'm')
    expect(controller.mode()).toBe('memory')
    controller.press('escape')
    expect(controller.mode()).toBe('detail')
  })

  test('changes its tab by tab, arrow keys and numbers', () => {
    controller.press('m')
    const seen = ['tab', 'right', 'tab', 'tab', 'shift-tab', 'left', '1', '4', '2', '3'].map((key) => {
      controller.press(key)
      return pane().tab
    })
    expect(seen).toEqual([
      'decisions',
      'timeline',
      'conversations',
      'working',
      'conversations',
      'timeline',
      'working',
      'conversations',
      'decisions',
      'timeline',
    ])
  })

  test('keeps the position in each tab', () => {
    controller.press('m')
    arrive({ working: [dev], timeline: entries('one', 'two', 'three') })
    controller.press('j', 'j', '3', 'j', '1')
    expect(selected()).toMatch(/step 1/)
    controller.press('3')
    expect(selected()).toMatch(/two/)
  })

  test('scrolls by letters, pages and to both ends, and no further', () => {
    controller.press('m', '3')
    arrive({ timeline: entries(...Array.from({ length: 100 }, (_, n) => `entry ${n}`)) })
    controller.press('k')
    expect(selected()).toMatch(/entry 99 /)
    controller.press('G')
    expect(selected()).toMatch(/entry 0 /)
    controller.press('j', 'g', 'page-down')
    // 30 rows less header, notice, footer, border and tabs, and the one below the terminal; a page leaves one row in sight.
    expect(selected()).toMatch(/entry 77 /)
    expect(pane().places.timeline).toMatchObject({ at: 22, top: 0 })
    controller.press('j')
    expect(pane().places.timeline).toMatchObject({ at: 23, top: 1 })
  })

  test('applies keys at once that were pressed while it was being read', () => {
    controller.press('m', '3', 'G')
    expect(rows()).toEqual([])
    arrive({ timeline: entries('one', 'two', 'three') })
    expect(selected()).toMatch(/one/)
  })

  test('has nothing to open if it is empty', () => {
    controller.press('m', 'enter')
    expect(controller.notice()).toBe('Nothing to open here.')
    arrive({})
    controller.press('j', 'G', 'enter')
    expect(controller.mode()).toBe('memory')
  })

  test('keeps its row while rows above it come and go', () => {
    controller.press('m', '3')
    arrive({ timeline: entries('one', 'two', 'three') })
    controller.press('j')
    arrive({ timeline: entries('one', 'two', 'three', 'four', 'five') })
    expect(selected()).toMatch(/two/)
    controller.press('1')
    arrive({ working: [workingOf('ada'), dev] })
    controller.press('G')
    arrive({ working: [dev] })
    expect(selected()).toMatch(/analysis/)
    arrive({ working: [workingOf('ada')] })
    expect(selected()).toMatch(/ada/)
  })

  test('keeps an entry open, and says when it is gone', () => {
    controller.press('m', '3')
    arrive({ timeline: entries('one', 'two') })
    controller.press('enter')
    arrive({ timeline: entries('one', 'two', 'three') })
    expect(sheetOf(controller.state())?.title).toBe('two')
    arrive({ timeline: entries('one') })
    expect(sheetOf(controller.state())).toBeUndefined()
  })
})

describe('a working memory', () => {
  test('shows open blockers, the plan, and notes, newest first', () => {
    controller.press('m')
    arrive({ working: [dev, workingOf('qa')] })
    expect(rows()).toEqual([
      `▸dev  ${when(9)}  step 2 of 3 · 1 open blocker · 2 observations · 1 decision`,
      `   ⚑ blocker      ${when(5)}  No staging database`,
      '   ✓ step 1                    Analyse',
      '   ● step 2                    Build',
      '   ○ step 3                    Test',
      `   · observation  ${when(2)}  Logging in is slow`,
      `   · observation  ${when(1)}  The API answers 500`,
      `   ◆ decision     ${when(3)}  Use SQLite`,
      `   ! key fact     ${when(7)}  Port 4000`,
      `   ◇ key fact     ${when(6)}  token-ttl: 15 minutes`,
      `   ✓ resolved     ${when(4)}  CI has no secrets`,
      `   ✓ task done    ${when(8)}  analysis`,
      ` qa  ${when(9)}  `,
    ])
  })

  test('is read entry by entry', () => {
    controller.press('m')
    arrive({ working: [dev] })
    const read = (...keys: string[]): readonly string[] => {
      controller.press(...keys, 'enter')
      const lines = texts()
      controller.press('escape')
      return lines
    }
    expect(read()).toEqual(
      expect.arrayContaining([
        'file          .ai/working_memory_dev.json',
        'story         S1',
        '● 2. Build',
        '2 blockers',
      ]),
    )
    expect(read('j', 'j', 'j', 'j', 'j')).toEqual([
      'agent         dev',
      `written       ${longTime('2026-01-30T14:02:00.000Z')}`,
      'story         S1',
      'task          3',
      '',
      'Logging in is slow',
    ])
    expect(read('j', 'j')).toEqual(expect.arrayContaining(['Use SQLite', 'Reasoning', 'It needs no server']))
    expect(read('j', 'j', 'j')).toEqual(expect.arrayContaining(['CI has no secrets', 'The team added them']))
  })

  test('distinguishes entries of the same time', () => {
    const twice = { timestamp: '2026-01-30T14:01:00.000Z', content: 'again', context: {} }
    controller.press('m')
    arrive({ working: [workingOf('dev', { observations: [twice, twice, { ...twice, content: 'and again' }] })] })
    controller.press('j', 'enter')
    expect(texts().at(-1)).toBe('and again')
    controller.press('escape', 'j', 'enter')
    expect(texts().at(-1)).toBe('again')
  })

  test('that cannot be read shows one sentence among the others', () => {
    controller.press('m')
    arrive({ working: [brokenOf('dev', '.ai/working_memory_dev.json:3: a key was expected.'), workingOf('qa')] })
    expect(rows()).toEqual(['▸✗ .ai/working_memory_dev.json:3: a key was expected.', expect.stringMatching(/^ qa/)])
    controller.press('enter')
    expect(texts()).toEqual(['.ai/working_memory_dev.json:3: a key was expected.'])
  })
})

describe('the decisions', () => {
  test('are a tree of their relations, with marks', () => {
    controller.press('m', '2')
    arrive({ decisions: graph })
    expect(rows()).toEqual([
      '▸– ADR-004  superseded  Keep sessions in memory',
      '   └─ superseded by ✓ ADR-005  accepted    Keep sessions in SQLite',
      ' ✓ ADR-005  accepted    Keep sessions in SQLite',
      '   ├─ supersedes    – ADR-004  superseded  Keep sessions in memory',
      '   ├─ blocks        ◌ ADR-006  draft       (dependency)',
      '   └─ blocks        ? ADR-099  missing     ',
      ' ◌ ADR-006  draft       (no file)',
    ])
  })

  test('are opened from every place that names them', () => {
    controller.press('m', '2')
    arrive({ decisions: graph })
    controller.press('enter')
    expect(sheetOf(controller.state())?.title).toBe('ADR-004: Keep sessions in memory')
    expect(texts()).toEqual(
      expect.arrayContaining([
        'status        – superseded',
        'superseded_by: ADR-005',
        '# ADR-004: Keep sessions in memory',
        'Because of it.',
      ]),
    )
    controller.press('escape', 'j', 'enter')
    expect(sheetOf(controller.state())?.title).toBe('ADR-005: Keep sessions in SQLite')
    controller.press('escape', 'j', 'j', 'j', 'enter')
    expect(texts()).toEqual(expect.arrayContaining(['file          none (only in the graph)']))
    controller.press('escape', 'j', 'enter')
    expect(controller.notice()).toBe('Nothing to open here.')
  })

  test('show a sentence above the rest if one cannot be read', () => {
    controller.press('m', '2')
    arrive({
      decisions: {
        decisions: [decisionOf('ADR-004', 'Draft', 'Fine')],
        problems: ['context/decisions/decisions-log.md:4: no status.'],
      },
    })
    expect(rows()).toEqual(['▸✗ context/decisions/decisions-log.md:4: no status.', ' ◌ ADR-004  draft       Fine'])
  })
})

test('the timeline is sorted newest first, and an entry opens with its notes', () => {
  controller.press('m', '3')
  arrive({ timeline: { ...entries('one', 'two'), problems: ['context/meta/timeline.md:9: no entry.'] } })
  expect(rows()).toEqual([
    '▸✗ context/meta/timeline.md:9: no entry.',
    ` ${when(1)}  claude        two · note of two`,
    ` ${when(0)}  claude        one · note of one`,
  ])
  controller.press('G', 'enter')
  expect(texts()).toEqual([
    `when          ${longTime('2026-01-30T14:00:00.000Z')}`,
    'who           claude',
    'file          context/meta/timeline.md, line 1',
    '',
    'Notes',
    '- note of one',
  ])
})

describe('the conversations', () => {
  const page = (total: number, from: number, place: number | null = null) => ({
    total,
    from,
    place,
    conversations: Array.from({ length: Math.min(200, total - from) }, (_, n) => ({
      messageId: `m${total - from - n}`,
      at: '2026-01-30T14:00:00.000Z',
      said: `prompt ${total - from - n}`,
      success: n % 3 === 0 ? null : n % 3 === 1,
    })),
  })

  test('have a mark if they have an execution', () => {
    controller.press('m', '4')
    controller.change(pageArrived(page(3, 0), null))
    expect(rows()).toEqual([
      `▸  ${when(0)}  m3                prompt 3`,
      ` ✓ ${when(0)}  m2                prompt 2`,
      ` ✗ ${when(0)}  m1                prompt 1`,
    ])
  })

  test('of attempts are named by their task', () => {
    controller.press('m', '4')
    const one = {
      messageId: 'session-20260130-142233:task-12:2',
      at: '2026-01-30T14:00:00.000Z',
      said: 'Log in',
      success: true,
    }
    controller.change(pageArrived({ total: 1, from: 0, place: null, conversations: [one] }, null))
    expect(rows()).toEqual([`▸✓ ${when(0)}  task 12 try 2     Log in`])
  })

  test('show dots for unread rows, which cannot be opened', () => {
    controller.press('m', '4')
    controller.change(pageArrived(page(100_000, 0), null))
    controller.press('G')
    expect(selected()).toBe('▸…')
    controller.press('enter')
    expect(controller.notice()).toBe('Nothing to open here.')
    controller.change(pageArrived(page(100_000, 99_800), null))
    expect(selected()).toMatch(/prompt 1$/)
    controller.press('k')
    expect(selected()).toMatch(/prompt 2$/)
  })

  test('keep their position while new ones arrive', () => {
    controller.press('m', '4')
    controller.change(pageArrived(page(100, 0), null))
    controller.press('j', 'j')
    controller.change(pageArrived(page(105, 0, 7), 'm98'))
    expect(selected()).toMatch(/prompt 98$/)
    controller.press('j')
    // This page was requested before the last key.
    controller.change(pageArrived(page(106, 0, 8), 'm98'))
    expect(pane().places.conversations.at).toBe(8)
  })
})

describe('the key t', () => {
  test('opens the trail of the selected task, from its detail as well', async () => {
    await fixture.addTask('Log in')
    await controller.reread()
    controller.press('t')
    expect(controller.notice()).toBe('Task 1 has had no attempt yet.')
    await perform(fixture.core, registerAgent, { id: 'backend-1', personaId: 'implementer' }, person)
    await perform(fixture.core, claimTask, { taskId: 1, agentId: 'backend-1' }, person)
    await controller.reread()
    controller.press('t')
    expect(controller.state().view.overlay).toMatchObject({ kind: 'record', record: { of: 'trail', taskId: 1 } })
    expect(sheetOf(controller.state())?.title).toBe('Trail of task 1: Log in')
    controller.press('escape', 'enter', 't', 'escape')
    expect(controller.mode()).toBe('detail')
  })

  test('opens the trail of the task that an agent works on', async () => {
    await fixture.addTask('Log in')
    await perform(fixture.core, registerAgent, { id: 'backend-1', personaId: 'implementer' }, person)
    await controller.reread()
    controller.press('2', 't')
    expect(controller.notice()).toBe('Agent backend-1 has no task.')
    await perform(fixture.core, claimTask, { taskId: 1, agentId: 'backend-1' }, person)
    await controller.reread()
    controller.press('t')
    expect(controller.state().view.overlay).toMatchObject({ record: { of: 'trail', taskId: 1 } })
  })

  test('says why it opens nothing', () => {
    const said = ['1', '2', '4'].map((key) => {
      controller.press(key, 't')
      return controller.notice()
    })
    expect(said).toEqual([
      'Select a task to see its trail.',
      'Select an agent to see the trail of its task.',
      'Select a task, or an agent with a task, to see its trail.',
    ])
  })
})

describe('the search words', () => {
  test('are typed, deleted and left', () => {
    controller.press('m', '/', ...'logim', 'backspace', ...'n q')
    expect(controller.state().view.overlay).toMatchObject({ kind: 'memory-search', text: 'login q' })
    controller.press('escape')
    expect(pane().words).toBe('')
    controller.press('/', ...'login', 'enter')
    expect(pane().words).toBe('login')
    controller.press('/')
    expect(controller.state().view.overlay).toMatchObject({ text: 'login' })
    controller.press('ctrl-u', 'enter')
    expect(pane().words).toBe('')
  })

  test('are left by esc before the pane is, and by a change of tab', () => {
    controller.press('m', '3', '/', ...'login', 'enter', 'escape')
    expect(pane()).toMatchObject({ words: '', tab: 'timeline' })
    controller.press('/', 'x', 'enter', '2')
    expect(pane()).toMatchObject({ words: '', tab: 'decisions' })
    controller.press('escape')
    expect(controller.mode()).toBe('list')
  })
})

describe('a huge text', () => {
  test('is shown as far as it can be wrapped at once, with a note about the rest', () => {
    const lines = longText('x'.repeat(1_000_000), 80, 'context/adr.md')
    expect(lines).toHaveLength(2501)
    expect(lines.at(-1)!.text).toBe('… and 800000 more characters: context/adr.md')
  })

  test('of wide characters is cut sooner', () => {
    expect(longText('実'.repeat(50_000), 80, 'context/adr.md').at(-1)!.text).toBe(
      '… and 20000 more characters: context/adr.md',
    )
  })
})

test('the memory pane always has an existing row selected, whatever keys are pressed while memories change', () => {
  const keys = [
    'm',
    't',
    '1',
    '2',
    '3',
    '4',
    'tab',
    'left',
    'j',
    'k',
    'g',
    'G',
    'page-down',
    'page-up',
    'enter',
    'escape',
    '/',
    'x',
    'backspace',
    '?',
    ':',
  ]
  const arrivals: readonly (readonly [string, () => void])[] = [
    [
      'much',
      () =>
        arrive({
          working: [dev, workingOf('qa')],
          decisions: graph,
          timeline: entries(...'abcdefghijklmnopqrstuvwxyz'),
        }),
    ],
    ['little', () => arrive({ working: [brokenOf('dev', 'broken')], timeline: entries('a') })],
    ['nothing', () => arrive({})],
  ]
  const step = fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...keys) },
    { weight: 1, arbitrary: fc.constantFrom(...arrivals) },
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      controller.change((state) => ({ ...state, view: { ...state.view, overlay: null } }))
      controller.press('m')
      for (const one of steps) {
        if (typeof one === 'string') controller.press(one)
        else one[1]()
        sheetOf(controller.state())
        const { overlay } = controller.state().view
        if (overlay?.kind !== 'memory') continue
        const list = listIn(overlay)
        const total = rowsOf(controller.state(), list)?.total
        if (total === undefined || total === 0) continue
        const { at, top } = overlay.places[list]
        expect(at).toBeLessThan(total)
        expect(top).toBeLessThanOrEqual(at)
      }
    }),
    { numRuns: 200 },
  )
})
